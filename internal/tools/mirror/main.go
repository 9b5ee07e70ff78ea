// Command mirror adds builds of the provider to a folder from which engines install it. The folder is a filesystem
// mirror, and served by a web server a network mirror.
//
//	mirror DIR VERSION PROGRAM…
//
// The name of the folder of a PROGRAM is its platform, such as linux_amd64.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"golang.org/x/mod/sumdb/dirhash"
)

// folders are the subfolders of the mirror, one for each engine's registry.
var folders = []string{
	"registry.terraform.io/modelcatalogue/modelcatalogue",
	"registry.opentofu.org/modelcatalogue/modelcatalogue",
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: mirror DIR VERSION PROGRAM…")
		os.Exit(2)
	}
	for _, folder := range folders {
		if err := add(filepath.Join(os.Args[1], folder), os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, "mirror:", err)
			os.Exit(1)
		}
	}
}

// add packs each program into an archive of the folder, and writes the lists of archives. It prints the name of an
// archive whose content it changes.
func add(folder, version string, programs []string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, program := range programs {
		platform := filepath.Base(filepath.Dir(program))
		name := filepath.Join(folder, "terraform-provider-modelcatalogue_"+version+"_"+platform+".zip")
		before, _ := dirhash.HashZip(name, dirhash.Hash1) // the hash in lock files
		if err := pack(program, name); err != nil {
			return err
		}
		if now, _ := dirhash.HashZip(name, dirhash.Hash1); before != "" && before != now {
			fmt.Println(name)
		}
	}
	return list(folder)
}

// pack makes an archive of a program, without its time, so that the same program gives the same bytes.
func pack(program, name string) error {
	text, err := os.ReadFile(program) //nolint:gosec // the caller names its own files
	content := fstest.MapFS{filepath.Base(program): {Data: text, Mode: 0o755}}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	return errors.Join(err, archive.AddFS(content), archive.Close(), os.WriteFile(name, packed.Bytes(), 0o644))
}

// archive is an entry in the list of a version, by the protocol of network mirrors.
type archive struct {
	URL    string   `json:"url"`
	Hashes []string `json:"hashes"`
}

// list writes the list of a folder's versions, and a list of archives for each version.
func list(folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "*_*_*_*.zip"))
	if err != nil {
		return err
	}
	versions, lists := map[string]struct{}{}, map[string]map[string]archive{}
	for _, name := range names {
		hash, err := dirhash.HashZip(name, dirhash.Hash1)
		if err != nil {
			return fmt.Errorf("%s is not an archive of this mirror: %w", name, err)
		}
		_, release, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".zip"), "_")
		version, platform, _ := strings.Cut(release, "_")
		if lists[version] == nil {
			versions[version], lists[version] = struct{}{}, map[string]archive{}
		}
		lists[version][platform] = archive{URL: filepath.Base(name), Hashes: []string{hash}}
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
