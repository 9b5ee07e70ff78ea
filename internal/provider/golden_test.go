package provider

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// update makes tests write the files that they compare with, in testdata.
var update = flag.Bool("update", false, "write messages and states anew")

// writtenBy names the command that writes the file that a test compares with.
func writtenBy(t *testing.T) string {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("If the new text is right, write it: go test ./internal/provider -run '^%s$' -update", test)
}

// difference returns the lines that two texts do not share, "-" before those of want and "+" before those of got, with
// a few lines around them. It is "" if the texts are the same, and ends after a screen.
func difference(want, got string) string {
	const most = 40
	lines := strings.Split(cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")), "\n")
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("… and %d lines more", len(lines)-most))
	}
	return strings.Join(lines, "\n")
}

// expectSame compares whole values. A nil list differs from an empty one.
func expectSame(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("want -, got +:\n%s", difference(indented(t, want), indented(t, got)))
	}
}

func indented(t *testing.T, value any) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text.String())
}
