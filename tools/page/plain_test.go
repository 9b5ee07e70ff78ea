package page

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestWithoutJavaScript: everything can be read and found, and the page says that its buttons change nothing.
func TestWithoutJavaScript(t *testing.T) {
	s := serve(t)
	someRequests(s)
	b := newTab(t)
	b.do(emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(s.URL))
	b.says("noscript", "the buttons that change something do\n    nothing")
	if !value[bool](b, `document.querySelector("noscript p").checkVisibility()`) {
		t.Error("the page does not show what it says about JavaScript")
	}
	for _, text := range []string{
		"sandbox-000003", "fault 1", "EMEA power balance", "Fabrikam trading signal", "ghcr.io/fabrikam/", "contoso-trading",
		"message Not today.",
	} {
		b.says("body", text)
	}
	// Folds work without a script.
	b.click("#client-0 summary")
	b.waits(`document.querySelector("#client-0 pre").checkVisibility()`)
	// A form finds requests and unfolds groups.
	b.leads(chromedp.SendKeys("[name=text]", "not TODAY"+kb.Enter, chromedp.ByQuery))
	b.says("#requests", "Nothing is found")
	b.fills("[name=text]", "sandbox-000003")
	b.leads(chromedp.KeyEvent(kb.Enter))
	b.says("#counted", "1 found")
	b.do(chromedp.Navigate(s.URL + "/?unfolded=1"))
	if value[bool](b, `!!document.querySelector("#revision-0-3")`) {
		t.Error("a group is unfolded that nobody has asked for")
	}
	b.click("#group-0 summary")
	b.leads(chromedp.Click("#group-0 a", chromedp.ByQuery))
	b.says("#revision-0-3", "Re-publish")
	// Neither a button nor Enter changes anything.
	b.do(chromedp.Click(`//header//button[.="Reset…"]`, chromedp.BySearch))
	b.types(publish+" input", "registry.example/x:1"+kb.Enter)
	b.leads(chromedp.Click("#request-3 a", chromedp.ByQuery))
	b.says("pre", "Not today.")
	if got := s.send(http.MethodGet, "/", ""); strings.Contains(got, `id="revision-0-4"`) || !strings.Contains(got, `id="request-3"`) {
		t.Error("a button did something")
	}
}
