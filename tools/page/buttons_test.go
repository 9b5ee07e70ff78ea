package page

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestButtonsSayWhatTheyDid, in the last line of the window.
func TestButtonsSayWhatTheyDid(t *testing.T) {
	s := serve(t)
	b := show(t, s)
	const typedIn = `document.querySelector("` + publish + ` input").value`
	row := func(revision string) string { return "#revision-0-" + revision }
	press := func(row, label string) {
		t.Helper()
		b.do(chromedp.Click(`//*[@id="`+row[1:]+`"]//button[.="`+label+`"]`, chromedp.BySearch))
	}

	// The typed text stays if it is refused, and goes if it is published.
	b.types(publish+" input", "registry.example/Button:2")
	b.click(publish + " button")
	b.says("#said.bad", "must be lower-case letters")
	if typed := value[string](b, typedIn); typed != "registry.example/Button:2" {
		t.Errorf("the input has %q", typed)
	}
	b.fills(publish+" input", "registry.example/by-button:2")
	b.click(publish + " button")
	b.says("#said", "published revision 4 of Day-ahead power price DE-LU, day_ahead")
	b.says(row("4"), "registry.example/by-button:2")
	if typed := value[string](b, typedIn); typed != "" {
		t.Errorf("the input keeps %q", typed)
	}
	for _, step := range []struct{ revision, label, done, after string }{
		{"3", "Archive", "archived revision 3", "Unarchive"},
		{"3", "Unarchive", "unarchived revision 3", "Archive"},
		{"3", "Disable", "disabled revision 3", "Enable"},
		{"3", "Enable", "enabled revision 3", "Disable"},
	} {
		press(row(step.revision), step.label)
		b.says("#said", step.done)
		b.says(row(step.revision), step.after)
		focused := value[string](b, `document.activeElement.closest("li")?.id + " " + document.activeElement.textContent`)
		if focused != row(step.revision)[1:]+" "+step.after {
			t.Errorf("after %q the focus is on %q", step.label, focused)
		}
	}

	press(row("3"), "Re-publish…")
	if asked := value[string](b, `document.querySelector("#ask input").value`); !strings.HasSuffix(asked, "15d62f24cd83479") {
		t.Errorf("the dialog begins with %q", asked)
	}
	// The image is selected, so that typing replaces it, and Enter agrees.
	b.do(chromedp.KeyEvent("registry.example/moved:3" + kb.Enter))
	b.says("#said", "re-published revision 3")
	b.says(row("3"), "registry.example/moved:3")

	token := s.token()
	b.do(chromedp.Click(`//header//button[.="Revoke tokens"]`, chromedp.BySearch))
	b.says("#said", "revoked all tokens")
	if got := s.send(http.MethodGet, "/v1/model-group", "", "Authorization", "Bearer "+token); !strings.Contains(got, "UNAUTHORIZED") {
		t.Errorf("a token that was revoked gets %s", got)
	}
	b.says("#counted", "2 so far")
	b.do(chromedp.Click(`//button[.="Clear"]`, chromedp.BySearch))
	b.says("#said", "forgot the requests")
	b.says("#counted", "0 so far")
}
