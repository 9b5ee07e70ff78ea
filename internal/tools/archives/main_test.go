package main

import (
	"maps"
	"slices"
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
