package page

import (
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
		.replace(/^[\d:]+\.\d{3} /, "TIME ").replace(/\d+(\.\d+)? ms/, "MS").replace(/1\.2 s/, "SECONDS")).join("\n")`
	want := strings.Join([]string{
		"TIME sandbox-000007 GET /v1/model-group 429 MS northwind allowance",
		"TIME sandbox-000006 GET /v1/model-group 401 MS – service",
		"TIME sandbox-000005 GET /v1/model-group/ emea%2Fpower%3Fv=1%23%CE%B2%20%2541 EMEA power balance 200 MS northwind service",
		"TIME sandbox-000004 GET /v1/model-group/ " + mainGroup + " /models Day-ahead power price DE-LU 200 SECONDS northwind fault 2",
		"TIME sandbox-000003 GET /v1/model-group/ " + mainGroup + " /latest-model Day-ahead power price DE-LU 503 MS northwind fault 1",
		"TIME sandbox-000002 GET /v1/model-group ?timeHorizon=day_ahead 200 MS northwind service",
		"TIME sandbox-000001 POST /v1/auth/token 200 MS northwind service",
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

// TestFaultsAreMadeAndRemoved uses the form.
func TestFaultsAreMadeAndRemoved(t *testing.T) {
	s := serve(t)
	b := show(t, s)
	b.do(chromedp.SetValue(".fault [name=route]", "groups", chromedp.ByQuery))
	b.types(".fault [name=status]", "503")
	b.types(".fault [name=times]", "1")
	b.click(".fault button")
	b.says(".fault output", "added fault 1")
	b.says("#fault-1", "route groups")
	b.says("#fault-1", "0 hits")
	token := s.token()
	if got := s.send(http.MethodGet, "/v1/model-group", "", "Authorization", "Bearer "+token); !strings.Contains(got, `"statusCode":503`) {
		t.Errorf("the fault makes %s", got)
	}
	b.says("#fault-1", "1 hit")

	b.types(".fault [name=delay]", "soon")
	b.click(".fault button")
	b.says(".fault output.bad", `such as "500ms" or "2s"`)
	b.fills(".fault [name=delay]", "50ms")
	b.click(".fault button")
	b.says(".fault output", "added fault 2")
	b.says("#fault-2", "delay 50ms")

	b.click("#fault-1 button")
	b.says("#faults-done", "removed fault 1")
	b.waits(`!document.getElementById("fault-1") && document.getElementById("fault-2")`)
	b.do(chromedp.Click(`//button[.="Remove all"]`, chromedp.BySearch))
	b.says("#faults-done", "removed all faults")
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
	b.says("header", "reset")
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
	for selector, want := range map[string]string{
		"header .copy":             s.URL,
		"#request-1 .copy":         "sandbox-000001",
		groupBox + " .owner .copy": mainGroup,
		"#revision-0-1 .copy":      "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3",
		"#client-0 .copy": "export MODELCATALOGUE_BASE_URL='" + s.URL + "'\nexport MODELCATALOGUE_CLIENT_ID='northwind'\n" +
			"export MODELCATALOGUE_CLIENT_SECRET='northwind-sandbox-secret'",
	} {
		b.click(selector)
		b.waits(`document.querySelector("` + selector + `").dataset.note === "Copied"`)
		if got := value[string](b, `navigator.clipboard.readText()`); got != want {
			t.Errorf("%s copies\n%s\nwant\n%s", selector, got, want)
		}
	}
}
