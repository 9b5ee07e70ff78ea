package page

import (
	"fmt"
	"net/http"
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

// TestRequests: a row has who asked for what, and what answered; a click shows the answer.
func TestRequests(t *testing.T) {
	s := serve(t, "-rate-limit=4/1h")
	token := someRequests(s)
	s.send(http.MethodGet, "/v1/model-group", "", "Authorization", "Bearer "+token)
	b := show(t, s)
	const rows = `[...document.querySelectorAll("#requests tbody tr")].map((r) => r.innerText.replace(/\s+/g, " ")
		.replace(/^[\d:]+\.\d{3} /, "TIME ").replace(/ \d+(\.\d+)?[mµ]s/, " TOOK").replace(/\b\d\.\d+s\b/, "SECONDS")).join("\n")`
	want := strings.Join([]string{
		"TIME sandbox-000007 GET /v1/model-group 429 TOOK northwind allowance",
		"TIME sandbox-000006 GET /v1/model-group 401 TOOK – service",
		"TIME sandbox-000005 GET /v1/model-group/emea%2Fpower%3Fv=1%23%CE%B2%20%2541 EMEA power balance 200 TOOK northwind service",
		"TIME sandbox-000004 GET /v1/model-group/" + mainGroup + "/models Day-ahead power price DE-LU 200 SECONDS northwind fault 2",
		"TIME sandbox-000003 GET /v1/model-group/" + mainGroup + "/latest-model Day-ahead power price DE-LU 503 TOOK northwind fault 1",
		"TIME sandbox-000002 GET /v1/model-group?timeHorizon=day_ahead 200 TOOK northwind service",
		"TIME sandbox-000001 POST /v1/auth/token 200 TOOK northwind service",
	}, "\n")
	if got := value[string](b, rows); got != want {
		t.Errorf("the rows are\n%s\nwant\n%s", got, want)
	}

	open := func(row string) string {
		t.Helper()
		b.do(chromedp.Focus(row+" a", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
		b.waits(`document.getElementById("request").checkVisibility()`)
		text := value[string](b, `document.getElementById("request").innerText`)
		b.do(chromedp.KeyEvent(kb.Escape))
		b.waits(`!document.getElementById("request").checkVisibility()`)
		if !value[bool](b, `document.activeElement === document.querySelector("`+row+` a")`) {
			t.Error("the focus does not go back to the request")
		}
		return text
	}
	got := open("#request-3")
	for _, text := range []string{
		"sandbox-000003", "503", "fault 1", "northwind", "Day-ahead power price DE-LU", `"message": "Not today."`,
		"X-Request-Id", "User-Agent", "test/1", "Authorization", "(hidden)",
	} {
		if !strings.Contains(got, text) {
			t.Errorf("the drawer does not have %q:\n%s", text, got)
		}
	}
	if got := open("#request-1"); !strings.Contains(got, `"access_token": "(hidden)"`) || strings.Contains(got, token) {
		t.Errorf("the answer with a token is shown as\n%s", got)
	}
	s.send(http.MethodDelete, "/control/requests", "")
	b.says("#requests", "None yet")
	s.send(http.MethodGet, "/v1/model-group", "")
	b.click("#request-8")
	b.waits(`document.getElementById("request").innerText.includes("sandbox-000008")`)
	b.click("#request .close")
	b.waits(`!document.getElementById("request").checkVisibility()`)
}

// TestTheFailingRequestIsFound among those of a large plan, and all that is written in a row is.
func TestTheFailingRequestIsFound(t *testing.T) {
	s := serve(t, "-catalogue="+catalogue(t, 280))
	token := s.token()
	s.send(http.MethodPost, "/control/faults", `{"path": "/v1/model-group/group-007/latest-model", "status": 500}`)
	for i := range 280 {
		s.send(http.MethodGet, fmt.Sprintf("/v1/model-group/group-%03d/latest-model", i), "", "Authorization", "Bearer "+token)
	}
	b := show(t, s)
	const shown = `document.querySelectorAll("#requests tbody tr").length`
	b.says("#requests", "The newest 100 of 281.")
	b.do(chromedp.SetValue("[name=status]", "5", chromedp.ByQuery))
	value[any](b, `document.querySelector("[name=status]").dispatchEvent(new Event("input", { bubbles: true }))`)
	b.says("#counted", "281 so far, 1 found")
	b.says("#request-9", "group-007")
	written := value[[]string](b, `document.querySelector("#request-9").innerText.split(/\s*[\n\t]\s*/)`)
	for _, text := range append(written, "get /V1/model-group/group-007/latest") {
		if !strings.Contains(b.page("status=5&text=", text), `id="request-9"`) {
			t.Errorf("%q is written in the row, and not found", text)
		}
	}
	b.do(chromedp.SetValue("[name=status]", "", chromedp.ByQuery))
	b.fills("[name=text]", "nowhere")
	b.says("#requests", "Nothing is found")
	b.fills("[name=text]", " ")
	for _, want := range []int{200, 281} {
		b.do(chromedp.Click(`//button[.="Show older ones"]`, chromedp.BySearch))
		b.waits(fmt.Sprintf("%s === %d", shown, want))
	}
}

// page returns the page as the sandbox renders it for a text.
func (b *tab) page(query, text string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf(`fetch("/?%s" + encodeURIComponent(%q)).then((answer) => answer.text())`, query, text))
}

// TestPause: a list that is paused stays as it is, whatever arrives.
func TestPause(t *testing.T) {
	s := serve(t)
	someRequests(s)
	b := show(t, s)
	b.do(chromedp.Click(`//button[.="Pause"]`, chromedp.BySearch))
	b.says("#counted", "Follow")
	before := value[string](b, `document.querySelector("#requests").innerHTML`)
	for range 1000 {
		s.send(http.MethodGet, "/v1/model-group", "")
	}
	b.says("#counted", "1006 so far")
	if after := value[string](b, `document.querySelector("#requests").innerHTML`); after != before {
		t.Errorf("the list was\n%s\nand is\n%s", before, after)
	}
	b.do(chromedp.Click(`//button[.="Follow"]`, chromedp.BySearch))
	b.waits(`document.getElementById("request-1006")`)
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

	b.types(".fault [name=delay]", "soon")
	b.click(".fault button")
	b.says("#said.bad", `such as "500ms" or "2s"`)
	b.fills(".fault [name=delay]", "50ms")
	b.click(".fault button")
	b.says("#said", "added fault 2")
	b.says("#fault-2", "delay 50ms")

	b.click("#fault-1 button")
	b.says("#said", "removed fault 1")
	b.waits(`!document.getElementById("fault-1") && document.getElementById("fault-2")`)
	b.do(chromedp.Click(`//button[.="Remove all"]`, chromedp.BySearch))
	b.says("#said", "removed all faults")
	b.says("#faults", "None")

	// What is wrong with the fields as a whole is told by the names that the form has.
	b.click(".fault button")
	b.says("#said.bad", "Give at least one of status, delay, drop and hang.")
	b.types(".fault [name=retryAfter]", "7")
	b.click(".fault [name=hang]")
	b.click(".fault button")
	b.says("#said.bad", "Give a status beside Retry-After.")
	b.types(".fault [name=status]", "429")
	b.click(".fault button")
	b.says("#said.bad", "Give drop or hang alone, or with a delay")
	b.click(".fault [name=hang]")
	b.click(".fault button")
	b.says("#fault-3", "retryAfter 7")
	b.says("#fault-3", "status 429")
	for i, name := range []string{"drop", "hang"} {
		b.click(".fault [name=" + name + "]")
		b.click(".fault button")
		b.says(fmt.Sprintf("#fault-%d", i+4), name+" true")
	}
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
}
