package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWantedPlatforms(t *testing.T) {
	listed := "aix/ppc64\ndarwin/amd64\ndarwin/arm64\nlinux/386\nlinux/mips\nopenbsd/amd64\nwindows/amd64\n"
	want := []platform{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "386"}, {"windows", "amd64"}}
	if got := wantedPlatforms(listed); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReleaseNames(t *testing.T) {
	r := release{version: "1.2.3"}
	names := []string{
		r.zip(platform{"linux", "arm64"}),
		r.executable(platform{"linux", "arm64"}),
		r.executable(platform{"windows", "386"}),
		r.checksums(),
		r.manifest(),
	}
	want := []string{
		"terraform-provider-modelcatalogue_1.2.3_linux_arm64.zip",
		"terraform-provider-modelcatalogue_v1.2.3",
		"terraform-provider-modelcatalogue_v1.2.3.exe",
		"terraform-provider-modelcatalogue_1.2.3_SHA256SUMS",
		"terraform-provider-modelcatalogue_1.2.3_manifest.json",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestParseChecksums(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	got, err := parseChecksums(sum + "  a.zip\n" + sum + "  b.zip\n")
	if err != nil || len(got) != 2 || got["a.zip"] != sum || got["b.zip"] != sum {
		t.Errorf("got %v and %v", got, err)
	}
	for name, text := range map[string]string{
		"one space":  sum + " a.zip\n",
		"short":      sum[1:] + "  a.zip\n",
		"no name":    sum + "  \n",
		"same twice": sum + "  a.zip\n" + sum + "  a.zip\n",
		"empty line": "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := parseChecksums(text); err == nil {
				t.Errorf("%q is read as %v", text, got)
			}
		})
	}
}

// The expected value was printed by dirhash.HashZip of golang.org/x/mod, which
// the engines use.
func TestPackageHash(t *testing.T) {
	archive, err := pack(map[string]packed{
		"LICENSE":  {mode: 0o644, content: []byte("free\n")},
		"provider": {mode: 0o755, content: []byte("#!/bin/sh\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "provider.zip")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := unzip(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := packageHash(files), "h1:sWxgZyc9D9wp7oKGWkna/+JtVPh5FMlY/f2DQC7K4tg="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if mode := files["provider"].mode; mode.Perm() != 0o755 {
		t.Errorf("mode %v", mode)
	}
}

func TestReadExports(t *testing.T) {
	welcome := `The sandbox listens. In a shell:

  export MODELCATALOGUE_BASE_URL=http://127.0.0.1:1234
  # the owner
  export MODELCATALOGUE_CLIENT_ID='owner' MODELCATALOGUE_CLIENT_SECRET="s3cret"
  # somebody else
  export MODELCATALOGUE_CLIENT_ID=other MODELCATALOGUE_CLIENT_SECRET=other
`
	got, err := readExports(strings.NewReader(welcome))
	want := []string{
		"MODELCATALOGUE_BASE_URL=http://127.0.0.1:1234", "MODELCATALOGUE_CLIENT_ID=owner", "MODELCATALOGUE_CLIENT_SECRET=s3cret",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}

	_, err = readExports(strings.NewReader("export MODELCATALOGUE_BASE_URL=http://127.0.0.1:1234\n"))
	if err == nil || !strings.Contains(err.Error(), "MODELCATALOGUE_CLIENT_ID") {
		t.Errorf("error %v, want one that names what is missing", err)
	}
}
