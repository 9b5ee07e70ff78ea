package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// The most that an executable may weigh, unpacked.
const sizeLimit = 20 << 20

// verifyChecksums holds each list of checksums against its signature, the files,
// and what a release consists of.
func verifyChecksums(ctx context.Context, r release, key *signingKey) error {
	lists := r.checksums()
	var listed []string
	for list, want := range lists {
		status, err := key.gpg(ctx, "--status-fd=1", "--verify", r.path(list+".sig"), r.path(list))
		if err != nil {
			return err
		}
		if !strings.Contains(status, "VALIDSIG "+key.fingerprint) {
			return fmt.Errorf("the signature of %s is not by %s:\n%s", list, key.fingerprint, status)
		}
		text, err := os.ReadFile(r.path(list))
		if err != nil {
			return err
		}
		sums, err := parseChecksums(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", list, err)
		}
		if got := slices.Sorted(maps.Keys(sums)); !slices.Equal(got, want) {
			return fmt.Errorf("%s has the files\n%q\nand should have\n%q", list, got, want)
		}
		for name, sum := range sums {
			content, err := os.ReadFile(r.path(name))
			if err != nil {
				return err
			}
			if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
				return fmt.Errorf("%s has the checksum %x, and %s says %s", name, got, list, sum)
			}
		}
		listed = append(append(listed, want...), list, list+".sig")
	}
	entries, err := os.ReadDir(r.path(""))
	if err != nil {
		return err
	}
	slices.Sort(listed)
	if got := names(entries); !slices.Equal(got, listed) {
		return fmt.Errorf("the release has the files\n%q\nand should have\n%q", got, listed)
	}
	say("%d files, %d of them lists of checksums: every checksum and signature is right", len(entries), len(lists))
	return nil
}

func names(entries []os.DirEntry) []string {
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// parseChecksums reads lines as sha256sum writes them: name to checksum.
func parseChecksums(text string) (map[string]string, error) {
	sums := map[string]string{}
	for line := range strings.Lines(text) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(sum) != hex.EncodedLen(sha256.Size) || name == "" || sums[name] != "" {
			return nil, fmt.Errorf("not a line of checksums: %q", line)
		}
		sums[name] = sum
	}
	return sums, nil
}

// verifyArchives opens each archive: one executable and the licence, made from
// the commit in the way the project promises, and described by its bill of
// materials.
func verifyArchives(r release, work string) error {
	for _, of := range programs {
		var largest int
		for _, on := range r.platforms {
			executable, err := openArchive(r, of, on)
			if err == nil {
				err = verifyExecutable(executable, r, on, work)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", r.archive(of, on), err)
			}
			if err := verifySBOM(executable, r, of, on); err != nil {
				return fmt.Errorf("%s: %w", r.sbom(of, on), err)
			}
			largest = max(largest, len(executable))
		}
		say("%s: %d archives and bills of materials are as they should be, the largest executable is %.1f MiB",
			of.name, len(r.platforms), float64(largest)/(1<<20))
	}
	return nil
}

// openArchive returns the executable of an archive that holds what it should.
func openArchive(r release, of program, on platform) ([]byte, error) {
	archive, err := zip.OpenReader(r.path(r.archive(of, on)))
	if err != nil {
		return nil, err
	}
	defer archive.Close() //nolint:errcheck // Only read.
	var executable *zip.File
	var got []string
	for _, file := range archive.File {
		got = append(got, file.Name)
		if file.Name == r.executable(of, on) {
			executable = file
		}
	}
	slices.Sort(got)
	if want := []string{"LICENSE", r.executable(of, on)}; !slices.Equal(got, want) {
		return nil, fmt.Errorf("it holds %q and should hold %q", got, want)
	}
	if mode := executable.Mode().Perm(); mode != 0o755 {
		return nil, fmt.Errorf("the executable has mode %v", mode)
	}
	return readZipped(executable)
}

func readZipped(file *zip.File) ([]byte, error) {
	reader, err := file.Open()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(reader)
	return content, errors.Join(err, reader.Close())
}

func verifyExecutable(executable []byte, r release, on platform, work string) error {
	switch {
	case len(executable) > sizeLimit:
		return fmt.Errorf("the executable has %d bytes, %d are allowed", len(executable), sizeLimit)
	case !bytes.Contains(executable, []byte(r.version)):
		return errors.New("the executable does not know its version")
	case bytes.Contains(executable, []byte(work)):
		return errors.New("the executable has a path of the machine that built it")
	}
	info, err := buildinfo.Read(bytes.NewReader(executable))
	if err != nil {
		return err
	}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	for key, value := range map[string]string{
		"GOOS": on.os, "GOARCH": on.arch, "CGO_ENABLED": "0", "-trimpath": "true",
		"vcs.revision": r.commit, "vcs.modified": "false",
	} {
		if built[key] != value {
			return fmt.Errorf("built with %s=%q, which should be %q", key, built[key], value)
		}
	}
	return nil
}

// verifySBOM holds a bill of materials against the executable that it describes.
func verifySBOM(executable []byte, r release, of program, on platform) error {
	file, err := os.Open(r.path(r.sbom(of, on)))
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // Only read.
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(file, cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
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
	var got []string
	for _, component := range *bom.Components {
		got = append(got, component.Name+" "+component.Version)
	}
	slices.Sort(got)
	if want := parts(info); !slices.Equal(got, want) {
		return fmt.Errorf("it lists\n%q\nand the executable is made of\n%q", got, want)
	}
	return nil
}

// parts are the standard library and the modules of an executable.
func parts(info *debug.BuildInfo) []string {
	parts := []string{"std " + strings.TrimPrefix(info.GoVersion, "go")}
	for _, module := range info.Deps {
		parts = append(parts, module.Path+" "+module.Version)
	}
	slices.Sort(parts)
	return parts
}

// compareBuilds holds two releases of one commit against each other. Signatures
// differ by nature; the lists that are signed do not.
func compareBuilds(a, b release) error {
	for list, files := range a.checksums() {
		for _, name := range append(files, list) {
			first, err := os.ReadFile(a.path(name))
			if err != nil {
				return err
			}
			second, err := os.ReadFile(b.path(name))
			if err != nil {
				return err
			}
			if !bytes.Equal(first, second) {
				return fmt.Errorf("%s differs between two builds of %s", name, a.commit)
			}
		}
	}
	return nil
}
