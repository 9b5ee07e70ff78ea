package provider

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// messagesFile holds every message in full, to be read by people. A test compares each with the printed one.
const messagesFile = "testdata/messages.md"

// scene leads to one message or several.
type scene struct {
	title string
	play  func(*testing.T) []*tfprotov6.Diagnostic
	// through plays a scene of a service behind something in front of it, with headers. It is nil in other scenes.
	through func(t *testing.T, front func(http.Handler) http.Handler, headers map[string]any) []*tfprotov6.Diagnostic
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
		valueScenes, unknownScenes, situationScenes, proxyScenes, originScenes, gatewayScenes, dataSourceScenes, serviceScenes,
		waitingScenes, connectionScenes,
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
