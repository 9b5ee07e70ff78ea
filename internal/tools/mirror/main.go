// Command mirror adds builds of the provider to a folder from which engines install it: a filesystem mirror, and a
// network mirror if a web server has its files.
//
//	mirror DIR VERSION PLATFORM=PROGRAM…
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"
)

const provider = "terraform-provider-modelcatalogue"

// folders are below the mirror, one for the registry of each engine.
var folders = []string{
	"registry.terraform.io/modelcatalogue/modelcatalogue",
	"registry.opentofu.org/modelcatalogue/modelcatalogue",
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: mirror DIR VERSION PLATFORM=PROGRAM…")
		os.Exit(2)
	}
	for _, folder := range folders {
		if err := add(filepath.Join(os.Args[1], folder), os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, "mirror:", err)
			os.Exit(1)
		}
	}
}

// add packs each program into an archive of the folder, and lists the archives anew. It prints the name of an archive
// that it replaces by another build.
func add(folder, version string, programs []string) error {
	unpacked := filepath.Join(folder, version) // an engine could take that in place of the archive
	if err := errors.Join(os.RemoveAll(unpacked), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	for _, program := range programs {
		platform, path, _ := strings.Cut(program, "=")
		packed, err := pack(path, version)
		if err != nil {
			return err
		}
		archive := filepath.Join(folder, fmt.Sprintf("%s_%s_%s.zip", provider, version, platform))
		before, _ := hashOf(archive)
		if err := os.WriteFile(archive, packed, 0o644); err != nil {
			return err
		}
		if now, _ := hashOf(archive); before != "" && before != now {
			fmt.Println(archive)
		}
	}
	return list(folder)
}

// pack returns an archive of a program under the name that engines look for.
func pack(program, version string) ([]byte, error) {
	content, err := os.ReadFile(program) //nolint:gosec // the caller names its own programs
	if err != nil {
		return nil, err
	}
	header := &zip.FileHeader{Name: provider + "_v" + version + filepath.Ext(program), Method: zip.Deflate}
	header.SetMode(0o755)
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	entry, err := archive.CreateHeader(header)
	if err != nil {
		return nil, err
	}
	_, err = entry.Write(content)
	err = errors.Join(err, archive.Close())
	return packed.Bytes(), err
}

// hashOf returns the hash of an archive's files that lock files have.
func hashOf(archive string) (string, error) {
	return dirhash.HashZip(archive, dirhash.Hash1)
}

// archive is one in the list of a version, by the protocol of network mirrors.
type archive struct {
	URL    string   `json:"url"`
	Hashes []string `json:"hashes"`
}

// list writes the list of a folder's versions, and for each version the list of its archives.
func list(folder string) error {
	archives, err := filepath.Glob(filepath.Join(folder, provider+"_*.zip"))
	if err != nil {
		return err
	}
	versions, lists := map[string]struct{}{}, map[string]map[string]archive{}
	named := regexp.MustCompile(`_([^_]+)_([^_]+_[^_]+)\.zip$`)
	for _, file := range archives {
		name := named.FindStringSubmatch(file)
		hash, err := hashOf(file)
		if name == nil || err != nil {
			return fmt.Errorf("%s is not an archive of this mirror: %w", file, err)
		}
		version, platform := name[1], name[2]
		if lists[version] == nil {
			versions[version], lists[version] = struct{}{}, map[string]archive{}
		}
		lists[version][platform] = archive{URL: filepath.Base(file), Hashes: []string{hash}}
	}
	err = write(folder, "index", map[string]any{"versions": versions})
	for version, archives := range lists {
		err = errors.Join(err, write(folder, version, map[string]any{"archives": archives}))
	}
	return err
}

func write(folder, name string, document any) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name+".json"), append(text, '\n'), 0o644)
}
