package provider

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// messagesFile holds every message in full, to be read by people. A test compares each with what a user reads.
const messagesFile = "testdata/messages.md"

// scene leads to one message or several.
type scene struct {
	title string
	play  func(*testing.T) []*tfprotov6.Diagnostic
}

// TestMessages plays what users run into, through the provider's server, and compares the messages word for word. With
// -update it writes them anew.
func TestMessages(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile(messagesFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	var scenes []scene
	for _, some := range []func() []scene{
		valueScenes, blockScenes, environmentScenes, proxyScenes, unreadScenes, argumentScenes, lookupScenes, credentialScenes,
		originScenes, gatewayScenes, serviceScenes, answerScenes, waitingScenes, connectionScenes, followScenes,
	} {
		scenes = append(scenes, some()...)
	}
	known := sections(string(file))
	var mu sync.Mutex
	shown := map[string]string{}
	if *update {
		t.Cleanup(func() { writeMessages(t, scenes, shown) })
	}
	for _, s := range scenes {
		want := known[s.title]
		delete(known, s.title)
		t.Run(s.title, func(t *testing.T) {
			t.Parallel()
			got := rendered(s.play(t))
			mu.Lock()
			defer mu.Unlock()
			shown[s.title] = got
			if got != want && !*update {
				t.Errorf("%s -, messages +:\n%s\n%s", messagesFile, difference(want, got), writtenBy(t))
			}
		})
	}
	if len(known) > 0 && !*update {
		t.Errorf("%s has messages that no scene leads to: %q", messagesFile, slices.Sorted(maps.Keys(known)))
	}
}

// TestEveryHintHasAScene: the sentence of each row of a table of hints is in the file of messages.
func TestEveryHintHasAScene(t *testing.T) {
	t.Parallel()
	messages, err := os.ReadFile(messagesFile)
	if err != nil {
		t.Fatal(err)
	}
	sentences := sentencesOfHints(t)
	if len(sentences) < 60 {
		t.Errorf("only %d rows were found", len(sentences))
	}
	for _, sentence := range sentences {
		part := strings.ReplaceAll(regexp.QuoteMeta(sentence), regexp.QuoteMeta("{}"), ".+")
		if !regexp.MustCompile(part).Match(messages) {
			t.Errorf("no scene leads to the hint %q", sentence)
		}
	}
}

// sentencesOfHints finds the rows in the source, so that no table is forgotten. Each ends in what is said.
func sentencesOfHints(t *testing.T) (sentences []string) {
	t.Helper()
	files, err := filepath.Glob("setting/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			table, ok := node.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if kind, _ := table.Type.(*ast.Ident); kind == nil || kind.Name != "hints" {
				return true
			}
			for _, element := range table.Elts {
				row, _ := element.(*ast.CompositeLit)
				sentences = append(sentences, spelled(t, row.Elts[len(row.Elts)-1]))
			}
			return false
		})
	}
	return sentences
}

// spelled returns a text of the source. {} stands for a constant in it.
func spelled(t *testing.T, text ast.Expr) string {
	t.Helper()
	switch text := text.(type) {
	case *ast.BinaryExpr:
		return spelled(t, text.X) + spelled(t, text.Y)
	case *ast.BasicLit:
		plain, err := strconv.Unquote(text.Value)
		if err != nil {
			t.Fatal(err)
		}
		return plain
	}
	return "{}"
}

// what differs from run to run.
var (
	ports    = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	elapsed  = regexp.MustCompile(`(attempts?) in ([0-9.]+[a-zµ]+)+`)
	thisTime = regexp.MustCompile(`this machine's clock says [^.]*UTC`)
	timeInGo = regexp.MustCompile(`current time [^ ]+`)
)

// rendered returns diagnostics in full, each with its argument, without what differs from run to run.
func rendered(diagnostics []*tfprotov6.Diagnostic) string {
	var out []string
	for _, d := range diagnostics {
		at := ""
		if argument := argumentOf(d); argument != "" {
			at = fmt.Sprintf(" (on %s)", argument)
		}
		kind := "Error"
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			kind = "Warning"
		}
		out = append(out, fmt.Sprintf("%s: %s%s\n\n%s\n", kind, d.Summary, at, d.Detail))
	}
	text := strings.Join(out, "\n")
	text = ports.ReplaceAllString(text, "127.0.0.1:PORT")
	text = elapsed.ReplaceAllString(text, "$1 in TIME")
	text = timeInGo.ReplaceAllString(text, "current time NOW")
	return thisTime.ReplaceAllString(text, "this machine's clock says NOW")
}

// sections returns the messages of the file, by title.
func sections(file string) map[string]string {
	found := map[string]string{}
	for part := range strings.SplitSeq(file, "\n## ") {
		title, rest, ok := strings.Cut(part, "\n\n```\n")
		if text, _, closed := strings.Cut(rest, "```\n"); ok && closed {
			found[title] = text
		}
	}
	return found
}

func writeMessages(t *testing.T, scenes []scene, shown map[string]string) {
	t.Helper()
	var file strings.Builder
	file.WriteString("# What the provider says\n\n" +
		"Each message in full, written by `go test -run TestMessages -update ./internal/provider`.\n")
	for _, s := range scenes {
		fmt.Fprintf(&file, "\n## %s\n\n```\n%s```\n", s.title, shown[s.title])
	}
	if err := os.WriteFile(messagesFile, []byte(file.String()), 0o600); err != nil {
		t.Error(err)
	}
}
