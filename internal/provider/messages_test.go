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

// messagesFile has the messages of each scene, for people to read. It has a long line in full once, and cuts it below
// that: a changed sentence is one changed line.
const messagesFile = "testdata/messages.md"

// scene is a situation with its messages.
type scene struct {
	title string
	play  func(*testing.T) []*tfprotov6.Diagnostic
	// through plays the scene of a service behind a front, with headers. It is nil for other scenes.
	through func(t *testing.T, front func(http.Handler) http.Handler, headers map[string]any) []*tfprotov6.Diagnostic
}

// TestMessages plays each scene through the provider's server, and compares the messages word for word. With -update it
// writes them anew.
func TestMessages(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile(messagesFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	var scenes []scene
	for _, some := range []func() []scene{
		proxyScenes, originScenes, gatewayScenes, dataSourceScenes, serviceScenes, waitingScenes, connectionScenes,
	} {
		scenes = append(scenes, some()...)
	}
	known := readMessages(string(file))
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
			got := laidOut(t, s.play(t))
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

// Texts that differ from run to run.
var (
	ports    = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	elapsed  = regexp.MustCompile(`(attempts?) in ([0-9.]+[a-zµ]+)+`)
	thisTime = regexp.MustCompile(`this machine's clock says [^.]*UTC`)
	timeInGo = regexp.MustCompile(`current time [^ ]+`)
)

// rendered returns diagnostics in full, each with its argument, except for texts that differ from run to run.
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

// answerOf finds the status of a sandbox's answer in a message, with the request id below it.
var answerOf = regexp.MustCompile(`(?m)^(Status .* http://localhost.*)(\nRequest id (?:sandbox-\d+|any))?$`)

// laidOut returns messages in the form of the file: one line for each paragraph, with its further lines indented, without
// request ids. It fails if a summary is unknown, or if a status lacks its request id.
func laidOut(t *testing.T, diagnostics []*tfprotov6.Diagnostic) string {
	t.Helper()
	for _, d := range diagnostics {
		if !slices.Contains(summaries, d.Summary) {
			t.Errorf("the summary %q is not in the list of all of them", d.Summary)
		}
	}
	text := rendered(diagnostics)
	if text == "" {
		return "\tno message\n"
	}
	for _, found := range answerOf.FindAllStringSubmatch(text, -1) {
		if found[2] == "" {
			t.Errorf("%s: the message lacks the id of the request", found[1])
		}
	}
	var lines strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSuffix(answerOf.ReplaceAllString(text, "$1"), "\n"), "\n\n") {
		lines.WriteString("\t" + strings.ReplaceAll(paragraph, "\n", "\n\t  ") + "\n")
	}
	return lines.String()
}

// isCut ends a cut line of the file.
const isCut = " …\n"

// readMessages returns the messages in the file by scene, each line in full.
func readMessages(file string) map[string]string {
	found, title := map[string]string{}, ""
	var full []string
	for line := range strings.Lines(file) {
		if rest, isTitle := strings.CutPrefix(line, "## "); isTitle {
			title = strings.TrimSpace(rest)
		}
		if line[0] != '\t' {
			continue
		}
		text := strings.TrimLeft(line, "\t ")
		found[title] += strings.TrimSuffix(line, text)
		first, repeats := strings.CutSuffix(text, isCut)
		at := slices.IndexFunc(full, func(above string) bool { return strings.HasPrefix(above, first+" ") })
		if repeats && at >= 0 {
			text = full[at]
		}
		full = append(full, text)
		found[title] += text
	}
	return found
}

func writeMessages(t *testing.T, scenes []scene, shown map[string]string) {
	t.Helper()
	var file strings.Builder
	file.WriteString("# What the provider says\n\n" +
		"The messages of each scene, written by `go test -run TestMessages -update ./internal/provider`. A line that ends with " +
		"\" …\" is above in full.\n")
	var full []string
	for _, s := range scenes {
		fmt.Fprintf(&file, "\n## %s\n\n", s.title)
		for line := range strings.Lines(shown[s.title]) {
			text := strings.TrimLeft(line, "\t ")
			file.WriteString(strings.TrimSuffix(line, text))
			if slices.Contains(full, text) {
				text = cut(text, full)
			} else {
				full = append(full, text)
			}
			file.WriteString(text)
		}
	}
	if err := os.WriteFile(messagesFile, []byte(file.String()), 0o600); err != nil {
		t.Error(err)
	}
}

// cut shortens a long line to its first words, as many as distinguish it from all lines above.
func cut(line string, above []string) string {
	const least, long = 20, 60
	for at, letter := range line {
		first := line[:at] + " "
		isOther := func(other string) bool { return other != line && strings.HasPrefix(other, first) }
		if letter == ' ' && at >= least && len(line) > long && !slices.ContainsFunc(above, isOther) {
			return line[:at] + isCut
		}
	}
	return line
}
