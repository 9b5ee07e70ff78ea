package imageref

import (
	"strings"
	"testing"
)

// TestReferencesThatNoImageHas: each is refused for its own reason. The tests of parse_image show the parts.
func TestReferencesThatNoImageHas(t *testing.T) {
	t.Parallel()
	const (
		sum      = "e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
		cannot   = ", which a reference cannot contain"
		noDigest = "after the @ comes one digest: sha256, sha384 or sha512, a colon, and 64, 96 or 128 hexadecimal digits in lower case"
		noHost   = "its registry must be the name or the address of a host, with :PORT or without"
		noPart   = "part 2 of its repository must begin and end with a letter or a digit, with one dot, one or two underscores or " +
			"hyphens between them"
		upper = " is upper-case: a repository has lower-case letters only"
	)
	for image, want := range map[string]string{
		"model":                                  "",
		"localhost:5000/team/model:1.2.3":        "",
		"":                                       "it is empty",
		"https://registry.example/app":           "it has a scheme; leave out the part up to ://",
		"model@":                                 noDigest,
		"registry.example/model:2@sha256:" + sum: "",
		"registry.example/mod\u00e9l:2":          `character 21 is "é" (U+00E9)` + cannot,
		"registry.example/model: 2":              "character 24 is a space" + cannot,
		"my_registry.example.com/app":            noHost,
		"registry.example/team/Model":            "character 23" + upper,
		"ghcr.io/Org/App:1":                      "character 9" + upper,
		"registry.example/team/_model":           noPart,
		"registry.example/team/a..b":             noPart,
		"model:1.0+build":                        `character 10 is "+" (U+002B)` + cannot,
		"${image}":                               `character 1 is "$" (U+0024)` + cannot,
		`"model:2"`:                              `character 1 is """ (U+0022)` + cannot,
		"model?tag=2":                            `character 6 is "?" (U+003F)` + cannot,
		"[::1]:5000/model":                       "",
		"@sha256:" + sum:                         "it does not name a repository",
		":2":                                     "it does not name a repository",
		"registry.example/":                      "it does not name a repository",
		"registry.example/:2":                    "it does not name a repository",
		"model@md5:d41d8cd98f00b204e9800998ecf":  noDigest,
		"model:-2": "its tag must be 1 to 128 letters, digits, underscores, dots and hyphens, " +
			"and must not begin with a dot or a hyphen",
		"sha256:" + sum:                         "it is a digest only, without the repository to find it in",
		sum:                                     "64 hexadecimal digits are an image's id, not its name",
		"model@sha256:abc":                      noDigest,
		"registry.example/team/:2":              "its repository has an empty part: a slash at its start or its end, or two in a row",
		"-registry.example/model:2":             noHost,
		strings.Repeat("team/", 60) + "model:1": "its repository has more than 255 characters",
	} {
		_, err := Parse(image)
		if isRefused := err != nil; isRefused != (want != "") || isRefused && err.Error() != want {
			t.Errorf("%q: %v, want %q", image, err, want)
		}
	}
}
