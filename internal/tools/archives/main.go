// Command archives holds the files of a release against what the registries and
// this project ask of them: which files there are, what each archive holds, how its
// executable was built, and what its bill of materials says of it. It runs in the
// checkout that built the release; tools/verify-release.sh calls it.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// The most that an executable may weigh, unpacked.
const sizeLimit = 20 << 20

func main() {
	version := flag.String("version", "", "the `version` of the release")
	commit := flag.String("commit", "", "the `commit` that it was built of")
	flag.Parse()
	if err := verify(*version, *commit, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "archives:", err)
		os.Exit(1)
	}
}

func verify(version, commit, dir string) error {
	listed, err := exec.Command("go", "tool", "dist", "list").Output() //nolint:noctx // as short as this program
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	r := release{dir: dir, version: version, commit: commit, root: root, platforms: wantedPlatforms(string(listed))}
	if err := r.verifyNames(); err != nil {
		return err
	}
	for _, of := range programs {
		largest := 0
		for _, on := range r.platforms {
			executable, err := r.open(of, on)
			if err == nil {
				err = r.verifyExecutable(executable, on)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", r.archive(of, on), err)
			}
			if err := r.verifySBOM(executable, of, on); err != nil {
				return fmt.Errorf("%s: %w", r.sbom(of, on), err)
			}
			largest = max(largest, len(executable))
		}
		fmt.Printf("%s: %d archives and bills of materials are as they should be, the largest executable is %.1f MiB\n",
			of, len(r.platforms), float64(largest)/(1<<20))
	}
	return nil
}

// The programs that a release consists of: the beginnings of their archives' names.
const (
	provider = "terraform-provider-modelcatalogue"
	sandbox  = "modelcatalogue-sandbox"
)

var programs = []string{provider, sandbox}

// platform is a pair that `go tool dist list` has.
type platform struct{ os, arch string }

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

// release is what was built.
type release struct {
	dir, version, commit string
	root                 string // of the checkout
	platforms            []platform
}

func (r release) archive(of string, on platform) string {
	return fmt.Sprintf("%s_%s_%s_%s.zip", of, r.version, on.os, on.arch)
}

func (r release) sbom(of string, on platform) string {
	return fmt.Sprintf("%s_%s_%s_%s.cdx.json", of, r.version, on.os, on.arch)
}

// executable is a program's file name. That of the provider is what the registries want.
func (r release) executable(of string, on platform) string {
	if of == provider {
		of += "_v" + r.version
	}
	if on.os == "windows" {
		of += ".exe"
	}
	return of
}

// checksums are the lists of checksums, each with the files that it must have.
func (r release) checksums() map[string][]string {
	lists := map[string][]string{}
	add := func(name, file string) {
		name += "_" + r.version + "_SHA256SUMS"
		lists[name] = append(lists[name], file)
	}
	add(provider, provider+"_"+r.version+"_manifest.json")
	add(sandbox, sandbox+"_"+r.version+"_openapi.json")
	for _, of := range programs {
		for _, on := range r.platforms {
			add(of, r.archive(of, on))
			add("modelcatalogue-sboms", r.sbom(of, on))
		}
	}
	for _, files := range lists {
		slices.Sort(files)
	}
	return lists
}

// verifyNames holds the names of the files, and those in each list of checksums,
// against what a release consists of.
func (r release) verifyNames() error {
	var want, got []string
	for list, files := range r.checksums() {
		text, err := os.ReadFile(filepath.Join(r.dir, list)) //nolint:gosec // of the release
		if err != nil {
			return err
		}
		var names []string
		for line := range strings.Lines(string(text)) {
			_, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
			names = append(names, name)
		}
		if slices.Sort(names); !slices.Equal(names, files) {
			return fmt.Errorf("%s has the files\n%q\nand should have\n%q", list, names, files)
		}
		want = append(append(want, files...), list, list+".sig")
	}
	entries, err := os.ReadDir(r.dir)
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if slices.Sort(want); err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("the release has the files\n%q\nand should have\n%q", got, want)
	}
	return err
}

// open returns the executable of an archive that holds what it should.
func (r release) open(of string, on platform) ([]byte, error) {
	archive, err := zip.OpenReader(filepath.Join(r.dir, r.archive(of, on)))
	if err != nil {
		return nil, err
	}
	defer archive.Close() //nolint:errcheck // Only read.
	var names []string
	for _, file := range archive.File {
		names = append(names, file.Name)
	}
	slices.Sort(names)
	name := r.executable(of, on)
	if want := []string{"LICENSE", name}; !slices.Equal(names, want) {
		return nil, fmt.Errorf("it holds %q and should hold %q", names, want)
	}
	file, err := archive.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // Only read.
	info, err := file.Stat()
	if err == nil && info.Mode().Perm() != 0o755 {
		err = fmt.Errorf("the executable has mode %v", info.Mode())
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}

// verifyExecutable holds how an executable was made against what this project promises.
func (r release) verifyExecutable(executable []byte, on platform) error {
	switch {
	case len(executable) > sizeLimit:
		return fmt.Errorf("the executable has %d bytes, %d are allowed", len(executable), sizeLimit)
	case !bytes.Contains(executable, []byte(r.version)):
		return errors.New("the executable does not know its version")
	case bytes.Contains(executable, []byte(r.root)):
		return errors.New("the executable has a path of the machine that built it")
	}
	info, err := buildinfo.Read(bytes.NewReader(executable))
	if err != nil {
		return err
	}
	for _, want := range []debug.BuildSetting{
		{Key: "GOOS", Value: on.os},
		{Key: "GOARCH", Value: on.arch},
		{Key: "CGO_ENABLED", Value: "0"},
		{Key: "-trimpath", Value: "true"},
		{Key: "vcs.revision", Value: r.commit},
		{Key: "vcs.modified", Value: "false"},
	} {
		if !slices.Contains(info.Settings, want) {
			return fmt.Errorf("it should be built with %s=%q, and is with %q", want.Key, want.Value, info.Settings)
		}
	}
	return nil
}

// verifySBOM holds a bill of materials against the executable that it describes.
func (r release) verifySBOM(executable []byte, of string, on platform) error {
	text, err := os.ReadFile(filepath.Join(r.dir, r.sbom(of, on)))
	if err != nil {
		return err
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return err
	}
	if bom.Metadata == nil || bom.Metadata.Component == nil || bom.Components == nil {
		return errors.New("it describes nothing")
	}
	described := bom.Metadata.Component
	digest := cdx.Hash{Algorithm: cdx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sha256.Sum256(executable))}
	if described.Name != r.executable(of, on) || described.Version != r.version ||
		described.Hashes == nil || !slices.Contains(*described.Hashes, digest) {
		return fmt.Errorf("it describes another program: %s %s", described.Name, described.Version)
	}
	info, err := buildinfo.Read(bytes.NewReader(executable))
	if err != nil {
		return err
	}
	want := []string{"std " + strings.TrimPrefix(info.GoVersion, "go")}
	for _, module := range info.Deps {
		want = append(want, module.Path+" "+module.Version)
	}
	var got []string
	for _, component := range *bom.Components {
		got = append(got, component.Name+" "+component.Version)
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		return fmt.Errorf("it lists\n%q\nand the executable is made of\n%q", got, want)
	}
	return nil
}
