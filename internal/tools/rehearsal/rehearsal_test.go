package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestWantedPlatforms(t *testing.T) {
	listed := "aix/ppc64\ndarwin/amd64\ndarwin/arm64\nlinux/386\nlinux/mips\nopenbsd/amd64\nwindows/amd64\n"
	want := []platform{
		{os: "darwin", arch: "amd64"}, {os: "darwin", arch: "arm64"}, {os: "linux", arch: "386"}, {os: "windows", arch: "amd64"},
	}
	if got := wantedPlatforms(listed); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReleaseNames(t *testing.T) {
	windows := platform{os: "windows", arch: "386"}
	r := release{version: "1.2.3", platforms: []platform{windows}}
	for _, test := range []struct{ got, want string }{
		{got: r.executable(provider, platform{os: "linux", arch: "arm64"}), want: "terraform-provider-modelcatalogue_v1.2.3"},
		{got: r.executable(provider, windows), want: "terraform-provider-modelcatalogue_v1.2.3.exe"},
		{got: r.executable(sandbox, windows), want: "modelcatalogue-sandbox.exe"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
	// A registry reads the first list: it has nothing but the provider in it.
	want := map[string][]string{
		"terraform-provider-modelcatalogue_1.2.3_SHA256SUMS": {
			"terraform-provider-modelcatalogue_1.2.3_manifest.json", "terraform-provider-modelcatalogue_1.2.3_windows_386.zip",
		},
		"modelcatalogue-sandbox_1.2.3_SHA256SUMS": {"modelcatalogue-sandbox_1.2.3_openapi.json", "modelcatalogue-sandbox_1.2.3_windows_386.zip"},
		"modelcatalogue-sboms_1.2.3_SHA256SUMS": {
			"modelcatalogue-sandbox_1.2.3_windows_386.cdx.json", "terraform-provider-modelcatalogue_1.2.3_windows_386.cdx.json",
		},
	}
	if got := r.checksums(); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
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

func TestReadExports(t *testing.T) {
	welcome := `The sandbox listens. In a shell:

  export MODELCATALOGUE_BASE_URL=http://127.0.0.1:1234
  export MODELCATALOGUE_CLIENT_ID=owner MODELCATALOGUE_CLIENT_SECRET=s3cret
`
	got, err := readExports(strings.NewReader(welcome))
	want := []string{
		"MODELCATALOGUE_BASE_URL=http://127.0.0.1:1234", "MODELCATALOGUE_CLIENT_ID=owner", "MODELCATALOGUE_CLIENT_SECRET=s3cret",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
	_, err = readExports(strings.NewReader("export MODELCATALOGUE_BASE_URL=http://127.0.0.1:1234\n"))
	if err == nil || !strings.Contains(err.Error(), "MODELCATALOGUE_BASE_URL") {
		t.Errorf("error %v, want one that names what is set", err)
	}
}
