// Command mirror adds builds of the provider to a folder from which engines install it: a filesystem mirror, and a
// network mirror if a web server has its files.
//
//	mirror DIR VERSION BUILD…
//
// A BUILD is a folder with the content of an archive. Its name is the platform, such as linux_amd64.
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

// folders are below the mirror, one for the registry of each engine.
var folders = []string{
	"registry.terraform.io/modelcatalogue/modelcatalogue",
	"registry.opentofu.org/modelcatalogue/modelcatalogue",
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: mirror DIR VERSION BUILD…")
		os.Exit(2)
	}
	for _, folder := range folders {
		if err := add(filepath.Join(os.Args[1], folder), os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, "mirror:", err)
			os.Exit(1)
		}
	}
}

// add packs each build into an archive of the folder, and lists the archives anew. It prints the name of an archive
// that it replaces by another build.
func add(folder, version string, builds []string) error {
	unpacked := filepath.Join(folder, version) // an engine could take that in place of the archive
	if err := errors.Join(os.RemoveAll(unpacked), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	for _, build := range builds {
		name := filepath.Join(folder, "terraform-provider-modelcatalogue_"+version+"_"+filepath.Base(build)+".zip")
		before, _ := dirhash.HashZip(name, dirhash.Hash1) // the hash that lock files have
		if err := pack(build, name); err != nil {
			return err
		}
		if now, _ := dirhash.HashZip(name, dirhash.Hash1); before != "" && before != now {
			fmt.Println(name)
		}
	}
	return list(folder)
}

// pack makes an archive of the programs in a folder, without times: the same programs give the same bytes.
func pack(folder, name string) error {
	programs, err := os.ReadDir(folder)
	content := fstest.MapFS{}
	for _, program := range programs {
		text, unread := os.ReadFile(filepath.Join(folder, program.Name())) //nolint:gosec // the caller names its own files
		content[program.Name()] = &fstest.MapFile{Data: text, Mode: 0o755}
		err = errors.Join(err, unread)
	}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	return errors.Join(err, archive.AddFS(content), archive.Close(), os.WriteFile(name, packed.Bytes(), 0o644))
}

// archive is one in the list of a version, by the protocol of network mirrors.
type archive struct {
	URL    string   `json:"url"`
	Hashes []string `json:"hashes"`
}

// list writes the list of a folder's versions, and for each version the list of its archives.
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
