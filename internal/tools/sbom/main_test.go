package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	digest := sha256.Sum256([]byte("executable"))
	sum := func(text string) (goSum, hash string) {
		digest := sha256.Sum256([]byte(text))
		return "h1:" + base64.StdEncoding.EncodeToString(digest[:]), hex.EncodeToString(digest[:])
	}
	usedSum, usedHash := sum("used")
	forkSum, forkHash := sum("fork")
	bom, err := describe("program.exe", "1.2.3", digest, &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Main:      debug.Module{Path: "example.test/program", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "example.test/used", Version: "v1.0.0", Sum: usedSum},
			{Path: "example.test/old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.test/fork", Version: "v1.0.1", Sum: forkSum}},
		},
		Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-11-21T14:00:00Z"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	main := bom.Metadata.Component
	if main.Name != "program.exe" || main.Version != "1.2.3" || main.PackageURL != "pkg:golang/example.test/program@v1.2.3" ||
		(*main.Hashes)[0].Value != hex.EncodeToString(digest[:]) || bom.Metadata.Timestamp != "2026-11-21T14:00:00Z" {
		t.Errorf("it describes %+v at %s", main, bom.Metadata.Timestamp)
	}
	var got []string
	for _, component := range *bom.Components {
		line := component.PackageURL
		if component.Hashes != nil {
			line += " " + (*component.Hashes)[0].Value
		}
		got = append(got, line)
	}
	want := "pkg:golang/std@1.26.8\npkg:golang/example.test/used@v1.0.0 " + usedHash +
		"\npkg:golang/example.test/fork@v1.0.1 " + forkHash
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("it lists\n%s\nwant\n%s", got, want)
	}
}

func TestDescribeWantsAChecksumOfEachModule(t *testing.T) {
	for name, sum := range map[string]string{"none": "", "too short": "h1:AAAA", "no base64": "h1:?"} {
		t.Run(name, func(t *testing.T) {
			_, err := describe("program", "1.2.3", [sha256.Size]byte{}, &debug.BuildInfo{
				Deps: []*debug.Module{{Path: "example.test/used", Version: "v1.0.0", Sum: sum}},
			})
			if err == nil || !strings.Contains(err.Error(), "example.test/used") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestSerialNumberIsAUUID(t *testing.T) {
	digest := sha256.Sum256([]byte("executable"))
	serial := serialNumber(digest)
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(serial) {
		t.Errorf("the serial number is %s", serial)
	}
	if other := serialNumber(sha256.Sum256([]byte("another"))); other == serial {
		t.Error("another executable has the same serial number")
	}
}
