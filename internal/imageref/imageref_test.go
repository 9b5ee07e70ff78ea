package imageref

import (
	"strings"
	"testing"
)

// TestReferencesThatNoImageHas: each is refused for its own reason. The tests of parse_image show the parts.
func TestReferencesThatNoImageHas(t *testing.T) {
	t.Parallel()
	const sum = "e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	for image, want := range map[string]string{
		"model":                                  "",
		"localhost:5000/team/model:1.2.3":        "",
		"":                                       "it is empty",
		"https://registry.example/app":           "it has a scheme",
		"model@":                                 "after the @ comes one digest",
		"registry.example/model:2@sha256:" + sum: "",
		"registry.example/mod\u00e9l:2":          `character 21 is "é" (U+00E9)`,
		"registry.example/model: 2":              "character 24 is a space",
		"my_registry.example.com/app":            "its registry must be the name or the address of a host",
		"registry.example/team/Model":            "character 23 is upper-case: a repository has lower-case letters only",
		"ghcr.io/Org/App:1":                      "character 9 is upper-case",
		"registry.example/team/_model":           "part 2 of its repository must begin and end with a letter or a digit",
		"registry.example/team/a..b":             "part 2 of its repository must begin and end with a letter or a digit",
		"model:1.0+build":                        `character 10 is "+" (U+002B), which a reference cannot contain`,
		"${image}":                               `character 1 is "$" (U+0024)`,
		`"model:2"`:                              `character 1 is """ (U+0022)`,
		"model?tag=2":                            `character 6 is "?" (U+003F)`,
		"[::1]:5000/model":                       "",
		"@sha256:" + sum:                         "it does not name a repository",
		":2":                                     "it does not name a repository",
		"registry.example/":                      "it does not name a repository",
		"registry.example/:2":                    "it does not name a repository",
		"model@md5:d41d8cd98f00b204e9800998ecf":  "after the @ comes one digest",
		"model:-2":                               "its tag must be 1 to 128 letters",
		"sha256:" + sum:                          "it is a digest only, without the repository to find it in",
		sum:                                      "64 hexadecimal digits are an image's id, not its name",
		"model@sha256:abc":                       "after the @ comes one digest",
		"registry.example/team/:2":               "its repository has an empty part",
		"-registry.example/model:2":              "its registry must be the name or the address of a host",
		strings.Repeat("team/", 60) + "model:1":  "its repository has more than 255 characters",
	} {
		_, err := Parse(image)
		if isRefused := err != nil; isRefused != (want != "") || isRefused && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", image, err, want)
		}
	}
}
