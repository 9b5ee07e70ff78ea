package page

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// someRequests sends a few requests, two of them hit by a fault. It returns the token.
func someRequests(s *service) string {
	s.t.Helper()
	s.send(http.MethodPost, "/control/faults", `{"route": "latest", "status": 503, "times": 1, "message": "Not today."}`)
	s.send(http.MethodPost, "/control/faults", `{"route": "models", "delay": "1200ms"}`)
	token := s.token()
	for _, path := range []string{
		"/v1/model-group?timeHorizon=day_ahead",
		"/v1/model-group/" + mainGroup + "/latest-model",
		"/v1/model-group/" + mainGroup + "/models",
		"/v1/model-group/emea%2Fpower%3Fv=1%23%CE%B2%20%2541",
	} {
		s.send(http.MethodGet, path, "", "Authorization", "Bearer "+token, "User-Agent", "test/1")
	}
	s.send(http.MethodGet, "/v1/model-group", "")
	return token
}

// TestAddresses: a filter, a search, a pause and an open request are in the address. Back closes the request, and a
// reload keeps all of it.
func TestAddresses(t *testing.T) {
	s := serve(t)
	token := someRequests(s)
	b := show(t, s)
	shows := func(query, visible string) {
		t.Helper()
		b.waits(fmt.Sprintf(`location.search === %q && document.getElementById("drawer").checkVisibility() === %s`, query, visible))
	}
	for _, number := range []string{"5", "4"} { // the second while the first is open
		b.click("#request-" + number)
		shows("?request="+number, "true")
	}
	b.do(chromedp.NavigateBack())
	shows("", "false")
	b.fills("[name=text]", "503 LATEST")
	b.says("#counted", "6 so far, 1 found")
	b.fills("[name=search]", "week_ahead SEA")
	b.says("#found", "1 of 9")
	b.do(chromedp.Click(`//button[.="Pause"]`, chromedp.BySearch))
	b.says("#counted", "Follow")
	const looks = "text=503+LATEST&until=6&search=week_ahead+SEA"
	shows("?"+looks, "false")
	open := []chromedp.Action{chromedp.Focus("#request-3 a", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter)}
	b.do(open...)
	shows("?request=3&"+looks, "true")
	for _, text := range []string{"sandbox-000003", `"message": "Not today."`, "fault 1", "test/1", "(hidden)"} {
		b.says("#request", text)
	}
	b.do(chromedp.Reload())
	b.isLive()
	shows("?request=3&"+looks, "true")
	if got := b.page("request=1", ""); strings.Contains(got, token) {
		t.Error("a token is shown")
	}
	b.do(chromedp.NavigateBack())
	shows("?"+looks, "false")
	b.says("#found", "1 of 9")
	b.says("#counted", "Follow")
	b.do(append(open, chromedp.WaitVisible("#request h2", chromedp.ByQuery), chromedp.KeyEvent(kb.Escape))...)
	shows("?"+looks, "false")
	b.waits(`document.activeElement === document.querySelector("#request-3 a")`)
}

// page returns the page as the sandbox renders it for a text.
func (b *tab) page(query, text string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf(`fetch("/?%s" + encodeURIComponent(%q)).then((answer) => answer.text())`, query, text))
}

// TestKeyboard: the first links skip to the panels, and the list of requests is one stop, in which arrow keys lead on.
func TestKeyboard(t *testing.T) {
	s := serve(t)
	someRequests(s)
	b := show(t, s)
	tabs := strings.Repeat(kb.Tab, 3) // to the link to the faults
	b.do(chromedp.KeyEvent(tabs + kb.Enter + kb.Tab))
	b.waits(`document.activeElement.closest("#faults-panel")`)
	b.do(chromedp.Focus("#request-6 a", chromedp.ByQuery))
	for _, step := range [][2]string{
		{kb.ArrowDown, "5"}, {kb.ArrowDown, "4"}, {kb.ArrowUp, "5"}, {kb.End, "1"}, {kb.ArrowDown, "1"}, {kb.Home, "6"},
	} {
		b.do(chromedp.KeyEvent(step[0]))
		b.waits(`document.activeElement.dataset.number === "` + step[1] + `"`)
	}
	const counted = `[...document.querySelectorAll("#requests a")].filter((link) => link.tabIndex === 0).length`
	if stops := value[int](b, counted); stops != 1 {
		t.Errorf("the list has %d stops", stops)
	}
}

// TestFaultsAreMadeAndRemoved uses the form.
func TestFaultsAreMadeAndRemoved(t *testing.T) {
	s := serve(t)
	b := show(t, s)
	b.do(chromedp.SetValue(".fault [name=route]", "groups", chromedp.ByQuery))
	b.types(".fault [name=status]", "503")
	b.types(".fault [name=times]", "1")
	b.click(".fault button")
	b.says("#said", "added fault 1")
	b.says("#fault-1", "route groups")
	b.says("#fault-1", "0 hits")
	token := s.token()
	if got := s.send(http.MethodGet, "/v1/model-group", "", "Authorization", "Bearer "+token); !strings.Contains(got, `"statusCode":503`) {
		t.Errorf("the fault makes %s", got)
	}
	b.says("#fault-1", "1 hit")

	b.fills(".fault [name=retryAfter]", "7")
	b.click(".fault [name=hang]")
	b.click(".fault button")
	b.says("#said.bad", "drop and hang send no answer: only delay goes with them")
	b.click("#fault-1 button")
	b.says("#said", "removed fault 1")
	b.says("#faults", "None")
}

// TestResetAsks, and does nothing if the answer is no.
func TestResetAsks(t *testing.T) {
	s := serve(t)
	b := show(t, s)
	s.send(http.MethodPost, "/control/model-groups/"+mainGroup+"/publish", "")
	b.waits(`document.getElementById("revision-0-4")`)
	reset := chromedp.Click(`//header//button[.="Reset…"]`, chromedp.BySearch)
	for _, no := range []chromedp.Action{
		chromedp.Click("#no", chromedp.ByQuery),
		chromedp.KeyEvent(kb.Escape),
		chromedp.KeyEvent(kb.Enter),
	} {
		b.do(reset)
		b.waits(`document.getElementById("ask").open`)
		b.says("#question", "forget all faults, tokens and requests?")
		b.do(no)
		b.waits(`!document.getElementById("ask").open`)
	}
	if got := s.send(http.MethodGet, "/", ""); !strings.Contains(got, `id="revision-0-4"`) {
		t.Error("it is reset although the answer was no")
	}
	b.do(reset)
	b.click("#yes")
	b.says("#said", "reset")
	b.waits(`!document.getElementById("revision-0-4")`)
}

// TestCopy: ids, images and the lines to paste reach the clipboard.
func TestCopy(t *testing.T) {
	s := serve(t)
	s.token()
	b := show(t, s)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		b.do(browser.SetPermission(&browser.PermissionDescriptor{Name: name}, browser.PermissionSettingGranted))
	}
	b.click("#client-0 summary")
	for selector, want := range map[string][2]string{
		"header .copy":             {"the address", s.URL},
		groupBox + " .owner .copy": {"the id of Day-ahead power price DE-LU, day_ahead", mainGroup},
		"#revision-0-1 .copy":      {"the image of revision 1 of", "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"},
		"#client-0 .copy": {
			"the lines of Northwind Forecasting",
			"export MODELCATALOGUE_BASE_URL='" + s.URL + "'\nexport MODELCATALOGUE_CLIENT_ID='northwind'\n" +
				"export MODELCATALOGUE_CLIENT_SECRET='northwind-sandbox-secret'\nexport NO_PROXY='127.0.0.1'" +
				`"${NO_PROXY:+,$NO_PROXY}${no_proxy:+,$no_proxy}"` + "\nexport no_proxy=\"$NO_PROXY\"",
		},
	} {
		b.click(selector)
		b.says("#said", "copied "+want[0])
		if got := value[string](b, `navigator.clipboard.readText()`); got != want[1] {
			t.Errorf("%s copies\n%s\nwant\n%s", selector, got, want[1])
		}
	}
	// The copied command of a request runs in a shell that has the variables.
	b.click("#request-1")
	b.click("#request dd:last-child .copy")
	b.says("#said", "copied the request as curl")
	curl := exec.Command("sh", "-c", value[string](b, `navigator.clipboard.readText()`))
	curl.Env = append(os.Environ(), "MODELCATALOGUE_CLIENT_ID="+s.ClientID, "MODELCATALOGUE_CLIENT_SECRET="+s.ClientSecret, "NO_PROXY=*")
	if out, err := curl.Output(); err != nil || !strings.Contains(string(out), `"access_token"`) {
		t.Errorf("curl: %s %v", out, err)
	}
}
