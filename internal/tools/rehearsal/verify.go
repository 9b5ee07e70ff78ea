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
	"path/filepath"
	"slices"
	"strings"
)

// The most that a provider's executable may weigh, unpacked.
const sizeLimit = 20 << 20

// verifyChecksums holds the signature against the key, the checksum file against
// the files, and its list of files against what a release consists of.
func verifyChecksums(ctx context.Context, r release, key *signingKey) error {
	status, err := key.gpg(ctx, "--status-fd=1", "--verify", r.path(r.checksums()+".sig"), r.path(r.checksums()))
	if err != nil {
		return err
	}
	if !strings.Contains(status, "VALIDSIG "+key.fingerprint) {
		return fmt.Errorf("the signature is not by %s:\n%s", key.fingerprint, status)
	}

	raw, err := os.ReadFile(r.path(r.checksums()))
	if err != nil {
		return err
	}
	sums, err := parseChecksums(string(raw))
	if err != nil {
		return err
	}
	want := []string{r.manifest()}
	for _, p := range r.platforms {
		want = append(want, r.zip(p))
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(sums)); !slices.Equal(got, want) {
		return fmt.Errorf("%s has the files\n%q\nand should have\n%q", r.checksums(), got, want)
	}
	for name, sum := range sums {
		path := r.path(name)
		if name == r.manifest() {
			// Uploaded from the sources, under this name.
			path = filepath.Join(r.clone, "terraform-registry-manifest.json")
		}
		content, err := os.ReadFile(path) //nolint:gosec // A file of the release.
		if err != nil {
			return err
		}
		if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
			return fmt.Errorf("%s has the checksum %x, and %s says %s", name, got, r.checksums(), sum)
		}
	}
	say("signature and %d checksums are right", len(sums))
	return nil
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

// verifyZips opens every zip: one executable and the licence, made from the
// commit in the way the project promises.
func verifyZips(r release, work string) error {
	var largest int
	for _, p := range r.platforms {
		size, err := verifyZip(r, p, work)
		if err != nil {
			return fmt.Errorf("%s: %w", r.zip(p), err)
		}
		largest = max(largest, size)
	}
	say("%d zips are as they should be, the largest executable is %.1f MiB", len(r.platforms), float64(largest)/(1<<20))
	return nil
}

func verifyZip(r release, p platform, work string) (size int, err error) {
	files, err := unzip(r.path(r.zip(p)))
	if err != nil {
		return 0, err
	}
	want := []string{"LICENSE", r.executable(p)}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		return 0, fmt.Errorf("it holds %q and should hold %q", got, want)
	}
	executable := files[r.executable(p)]
	if executable.mode.Perm() != 0o755 {
		return 0, fmt.Errorf("the executable has mode %v", executable.mode)
	}
	size = len(executable.content)
	if size > sizeLimit {
		return size, fmt.Errorf("the executable has %d bytes, %d are allowed", size, sizeLimit)
	}
	if !bytes.Contains(executable.content, []byte(r.version)) {
		return size, errors.New("the executable does not know its version")
	}
	if bytes.Contains(executable.content, []byte(work)) {
		return size, errors.New("the executable has a path of the machine that built it")
	}

	info, err := buildinfo.Read(bytes.NewReader(executable.content))
	if err != nil {
		return size, err
	}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	for key, value := range map[string]string{
		"GOOS": p.os, "GOARCH": p.arch, "CGO_ENABLED": "0", "-trimpath": "true",
		"vcs.revision": r.commit, "vcs.modified": "false",
	} {
		if built[key] != value {
			return size, fmt.Errorf("built with %s=%q, which should be %q", key, built[key], value)
		}
	}
	return size, nil
}

// packed is one file of a zip.
type packed struct {
	mode    os.FileMode
	content []byte
}

func unzip(path string) (map[string]packed, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer archive.Close() //nolint:errcheck // Only read.
	files := map[string]packed{}
	for _, f := range archive.File {
		content, err := readZipped(f)
		if err != nil {
			return nil, err
		}
		files[f.Name] = packed{mode: f.Mode(), content: content}
	}
	return files, nil
}

func readZipped(file *zip.File) ([]byte, error) {
	reader, err := file.Open()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(reader)
	return content, errors.Join(err, reader.Close())
}

// compareBuilds holds two releases of one commit against each other. Signatures
// differ by nature; the files that are signed do not.
func compareBuilds(a, b release) error {
	for _, name := range append(zips(a), a.checksums()) {
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
	return nil
}

func zips(r release) []string {
	var names []string
	for _, p := range r.platforms {
		names = append(names, r.zip(p))
	}
	return names
}
