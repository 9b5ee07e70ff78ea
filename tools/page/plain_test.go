package page

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestWithoutJavaScript: everything can be read, and the page says that its buttons do nothing.
func TestWithoutJavaScript(t *testing.T) {
	s := serve(t)
	someRequests(s)
	b := newTab(t)
	b.do(emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(s.URL))
	b.says("noscript", "the buttons do nothing")
	if !value[bool](b, `document.querySelector("noscript p").checkVisibility()`) {
		t.Error("the page does not show what it says about JavaScript")
	}
	for _, text := range []string{
		"sandbox-000003", "fault 1", "EMEA power balance", "Fabrikam trading signal", "ghcr.io/fabrikam/", "contoso-trading",
		"message Not today.",
	} {
		b.says("body", text)
	}
	// Folds need no script.
	b.click("#client-0 summary")
	b.waits(`document.querySelector("#client-0 pre").checkVisibility()`)
	// Neither a button nor Enter does anything.
	b.do(chromedp.Click(`//header//button[.="Reset…"]`, chromedp.BySearch))
	b.types(publish+" input", "registry.example/x:1"+kb.Enter)
	b.click("#request-3 a")
	b.waits(`location.pathname === "/page/requests/3"`)
	b.says("pre", "Not today.")
	if got := s.send(http.MethodGet, "/", ""); strings.Contains(got, `id="revision-0-4"`) || !strings.Contains(got, `id="request-3"`) {
		t.Error("a button did something")
	}
}

// TestForeignPagesAreRefused: a page of another origin, and one whose name has been pointed at this machine.
func TestForeignPagesAreRefused(t *testing.T) {
	s := serve(t)
	s.token()
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<form method="post" action="`+s.URL+`/control/reset"><button>x</button></form>`)
	}))
	defer foreign.Close()
	b := newTab(t)
	b.do(chromedp.Navigate(foreign.URL))
	b.click("button")
	b.says("body", "not for the web pages of "+foreign.URL)
	if got := s.send(http.MethodGet, "/control/requests", ""); !strings.Contains(got, "sandbox-000001") {
		t.Errorf("a foreign page has reset the sandbox: %s", got)
	}
	rebound := strings.Replace(s.URL, "127.0.0.1", "rebound.example", 1)
	for _, path := range []string{"/", "/page/requests/1", "/control/requests", "/v1/model-group"} {
		b.do(chromedp.Navigate(rebound + path))
		b.says("body", "not under \\\"rebound.example\\\"")
	}
}

// TestCopyWithoutAClipboard: http of another name than this machine's is not a secure context, and has no clipboard.
func TestCopyWithoutAClipboard(t *testing.T) {
	s := serve(t, "-host=sandbox.example")
	named := *s
	named.URL = strings.Replace(s.URL, "127.0.0.1", "sandbox.example", 1)
	b := show(t, &named)
	b.click("#revision-0-1 .copy")
	b.says("#announcement", "Selected: copy it with your keyboard")
	want := "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
	if got := value[string](b, `getSelection().toString().replace(/\s/g, "")`); got != want {
		t.Errorf("what is selected is %q, want %q", got, want)
	}
}
