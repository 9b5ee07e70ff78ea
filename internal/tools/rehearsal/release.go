package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// program is one of the two that a release consists of.
type program struct {
	name      string // of its archives, before the version
	versioned bool   // whether its executable's name has the version
}

var (
	provider = program{name: "terraform-provider-modelcatalogue", versioned: true}
	sandbox  = program{name: "modelcatalogue-sandbox"}
	programs = []program{provider, sandbox}
)

// platform is a pair that `go tool dist list` has.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// wantedPlatforms picks those that a release must have from `go tool dist list`.
func wantedPlatforms(listed string) []platform {
	systems := []string{"linux", "darwin", "windows", "freebsd"}
	processors := []string{"amd64", "arm64", "386", "arm"}
	var wanted []platform
	for line := range strings.Lines(listed) {
		os, arch, _ := strings.Cut(strings.TrimSpace(line), "/")
		if slices.Contains(systems, os) && slices.Contains(processors, arch) {
			wanted = append(wanted, platform{os: os, arch: arch})
		}
	}
	return wanted
}

// release is what one build left in its clone.
type release struct {
	clone     string
	commit    string
	version   string
	platforms []platform
}

// path is where the build leaves a file of the release.
func (r release) path(name string) string { return filepath.Join(r.clone, "dist", "release", name) }

// executable is a program's file name on a platform. That of the provider is
// what the registries want.
func (r release) executable(of program, on platform) string {
	name := of.name
	if of.versioned {
		name += "_v" + r.version
	}
	if on.os == "windows" {
		name += ".exe"
	}
	return name
}

func (r release) archive(of program, on platform) string {
	return fmt.Sprintf("%s_%s_%s.zip", of.name, r.version, on)
}

func (r release) sbom(of program, on platform) string {
	return fmt.Sprintf("%s_%s_%s.cdx.json", of.name, r.version, on)
}

// checksums are the lists of checksums, each with the files that it must have.
func (r release) checksums() map[string][]string {
	lists := map[string][]string{}
	add := func(name, file string) {
		name = fmt.Sprintf("%s_%s_SHA256SUMS", name, r.version)
		lists[name] = append(lists[name], file)
	}
	add(provider.name, fmt.Sprintf("%s_%s_manifest.json", provider.name, r.version))
	add(sandbox.name, fmt.Sprintf("%s_%s_openapi.json", sandbox.name, r.version))
	for _, of := range programs {
		for _, on := range r.platforms {
			add(of.name, r.archive(of, on))
			add("modelcatalogue-sboms", r.sbom(of, on))
		}
	}
	for _, files := range lists {
		slices.Sort(files)
	}
	return lists
}
