package sandbox

import (
	"strings"
	"testing"
)

// TestImagesThatNoRegistryCouldHave: each is refused for its own reason.
func TestImagesThatNoRegistryCouldHave(t *testing.T) {
	const sum = "e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	for image, want := range map[string]string{
		"":                                       "",
		"model":                                  "",
		"localhost:5000/team/model:1.2.3":        "",
		"registry.example/model:2@sha256:" + sum: "",
		"registry.example/model: 2":              "it has white space in it",
		"https://registry.example/model:2":       "it has a scheme; leave out the part up to ://",
		"sha256:" + sum:                          "a digest without the name of a repository",
		sum:                                      "cannot specify 64-byte hexadecimal strings",
		"model@sha256:abc":                       "invalid checksum digest length",
		"registry.example/Team/model:2":          "must be lowercase",
		"registry.example/team/:2":               "invalid reference format",
		strings.Repeat("team/", 60) + "model:1":  "must not be more than 255 characters",
	} {
		got := problemOfImage(image)
		if !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("%q is said to be wrong because %q, want %q", image, got, want)
		}
	}
}
