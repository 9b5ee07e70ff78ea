// Command sbom writes a software bill of materials of a Go executable, in
// CycloneDX's JSON: the modules that the linker recorded in it, each with the
// checksum that go.sum holds. The same executable gives the same bytes.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	flags := flag.NewFlagSet("sbom", flag.ExitOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: sbom -version=VERSION EXECUTABLE DOCUMENT")
		flags.PrintDefaults()
	}
	version := flags.String("version", "", "the `version` that the executable is released as")
	_ = flags.Parse(os.Args[1:]) // It exits on a mistake.
	if flags.NArg() != 2 || *version == "" {
		flags.Usage()
		os.Exit(2)
	}
	if err := write(*version, flags.Arg(0), flags.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(version, executable, document string) error {
	content, err := os.ReadFile(executable) //nolint:gosec // the caller's own choice
	if err != nil {
		return err
	}
	info, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("%s: %w", executable, err)
	}
	bom, err := describe(filepath.Base(executable), version, sha256.Sum256(content), info)
	if err != nil {
		return fmt.Errorf("%s: %w", executable, err)
	}
	var text bytes.Buffer
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return os.WriteFile(document, text.Bytes(), 0o644)
}

// describe lists what an executable is made of.
func describe(name, version string, digest [sha256.Size]byte, info *debug.BuildInfo) (*cdx.BOM, error) {
	main := module(&info.Main)
	main.Type = cdx.ComponentTypeApplication
	main.Name, main.Version = name, version
	main.PackageURL = "pkg:golang/" + info.Main.Path + "@v" + version
	main.BOMRef = main.PackageURL
	main.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(digest[:])}}
	main.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "MPL-2.0"}}}

	release := strings.TrimPrefix(info.GoVersion, "go")
	components := []cdx.Component{module(&debug.Module{Path: "std", Version: release})}
	for _, dependency := range info.Deps {
		component := module(dependency)
		if used := dependency.Replace; used != nil {
			dependency = used
			component = module(used)
		}
		// "h1:" and the SHA-256 of the module's files, as go.sum has it.
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(dependency.Sum, "h1:"))
		if err != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf("%s has the checksum %q", dependency.Path, dependency.Sum)
		}
		component.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
		components = append(components, component)
	}

	bom := cdx.NewBOM()
	bom.SerialNumber = serialNumber(digest)
	bom.Metadata = &cdx.Metadata{Component: &main, Timestamp: setting(info, "vcs.time")}
	bom.Components = &components
	return bom, nil
}

func module(m *debug.Module) cdx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	return cdx.Component{
		BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url,
	}
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// serialNumber makes a UUID of version 8 (RFC 9562) of the executable's digest,
// so that a document is told apart by what it describes.
func serialNumber(digest [sha256.Size]byte) string {
	id := digest[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
