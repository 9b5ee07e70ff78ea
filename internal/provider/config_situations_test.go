package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// fileOf writes a file, and returns its path.
func fileOf(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// situation reads a provider block and its environment from a line of a file in testdata, whose head describes the form.
func situation(t *testing.T, line string) (arguments, settings.Environment) {
	t.Helper()
	block, env := arguments{}, settings.Environment{}
	for assignment := range strings.FieldsSeq(line) {
		name, quoted, _ := strings.Cut(assignment, "=")
		value, err := strconv.Unquote(`"` + quoted + `"`)
		if err != nil {
			t.Fatal(assignment, err)
		}
		content, isFile := strings.CutPrefix(value, "@")
		switch {
		case isFile:
			env[name] = fileOf(t, content)
		case !slices.Contains(settings.Arguments, name):
			env[name] = value
		default:
			block[name] = value
		}
	}
	return block, env
}

// TestConfigurations compares the outcome of each configuration of testdata/configurations.txt.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	const file = "testdata/configurations.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		if line[0] == '\t' {
			continue
		}
		got.WriteString(line)
		if line[0] != '#' && line != "\n" {
			got.WriteString("\t" + outcomeOf(t, line) + "\n")
		}
	}
	switch {
	case *update:
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Error(err)
		}
	case got.String() != string(want):
		t.Errorf("%s -, configurations +:\n%s\n%s", file, difference(string(want), got.String()), writtenBy(t))
	}
}

// outcomeOf returns the problems of a configuration, or else its line in the log, and the address and the credentials
// that are used.
func outcomeOf(t *testing.T, line string) string {
	t.Helper()
	given, env := situation(t, line)
	var written logs
	configured, err := newServer(&catalogueProvider{version: "test", environment: env}).ConfigureProvider(written.in(t.Context()),
		&tfprotov6.ConfigureProviderRequest{Config: given.value(t, schemas.Provider.ValueType())})
	if err != nil {
		t.Fatal(err)
	}
	if configured.Diagnostics != nil {
		text := strings.ReplaceAll(strings.TrimSpace(rendered(configured.Diagnostics)), "\n", `\n`)
		return regexp.MustCompile(`"[^"]+/file"`).ReplaceAllString(text, `"/run/file"`)
	}
	const unchanged = `\w+ \S+ by default(, \w+ \S+ by default){2,}(, provider test)?`
	log := regexp.MustCompile(unchanged).ReplaceAllString(strings.Join(written.messages(t, "info"), ""), "…")
	log = strings.ReplaceAll(log, ", snapshot true by default, provider test", "")
	client := settings.Resolve(block(t, given), env).Client
	used := fmt.Sprintf("%s %s:%s %s", client.BaseURL, client.ClientID, client.ClientSecret, client.AccessToken)
	return log + " | used: " + strings.TrimSpace(strings.Replace(used, " : ", " ", 1))
}
