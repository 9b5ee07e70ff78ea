package sandbox

import (
	"strings"
	"testing"
)

// TestImagesThatNoRegistryCouldHave: each is refused for its own reason.
func TestImagesThatNoRegistryCouldHave(t *testing.T) {
	const sum = "e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	const tags = "must be 1 to 128 letters, digits, underscores, dots and hyphens, and begin with a letter, a digit or an underscore"
	for image, want := range map[string]string{
		"":                                       "",
		"model":                                  "",
		"localhost:5000/team/model:1.2.3":        "",
		"registry.example/model:2@sha256:" + sum: "",
		"registry.example/model: 2":              "it has white space in it",
		"https://registry.example/model:2":       "it has a scheme; leave out the part up to ://",
		"model@sha256:" + sum + "@sha256:" + sum: "it has more than one @",
		"sha256:" + sum:                          "it is a digest without the name of a repository",
		sum:                                      "64 hexadecimal digits are an image's id, not its name",
		"model@md5:abc":                          "after the @ comes a digest such as sha256:… (sha256, sha384 or sha512)",
		"model@sha256:abc":                       "a sha256 digest has 64 hexadecimal digits, this one has 3 characters",
		"model@sha256:E49D" + sum[4:]:            "the digits of a digest are 0 to 9 and a to f, in lower case",
		"registry.example/Team/model:2":          "its repository must be in lower case",
		"registry.example/team/:2":               "the name of its repository is missing",
		"@sha256:" + sum:                         "the name of its repository is missing",
		"registry.example/model:":                `its tag "" ` + tags,
		"registry.example/model:-1":              `its tag "-1" ` + tags,
		strings.Repeat("team/", 60) + "model:1":  "its repository has more than 255 characters",
		"registry.example/model:a/b":             "write it as registry.example/team/model:1.2.3",
		"registry..example/model":                "write it as registry.example/team/model:1.2.3",
	} {
		if got := problemOfImage(image); got != want {
			t.Errorf("%q is said to be wrong because %q, want %q", image, got, want)
		}
	}
}
