package page

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// atWork is what a person has done to the page, in one text.
const atWork = `(() => {
	const input = document.querySelector("` + publish + ` input");
	return [
		document.activeElement === input && "focused",
		input.value,
		input.selectionStart + "-" + input.selectionEnd,
		document.querySelector("#group-0 details").open,
		document.querySelector("#group-1 details").open,
		document.getElementById("client-1").open,
		document.querySelector(".fault [name=delay]").value,
		document.querySelector(".fault [name=route]").value,
	].join(" ");
})()`

// TestUpdatesKeepWhatAPersonDoes: focus, selection, half-typed text and folds, also while the sandbox is stopped.
func TestUpdatesKeepWhatAPersonDoes(t *testing.T) {
	s := serve(t)
	b := show(t, s)
	b.click("#group-1 summary")
	b.click("#client-1 summary")
	b.types(".fault [name=delay]", "2")
	b.do(chromedp.SetValue(".fault [name=route]", "latest", chromedp.ByQuery))
	b.types(publish+" input", "registry.example/half")
	value[any](b, `document.activeElement.setSelectionRange(3, 7)`)
	const want = "focused registry.example/half 3-7 true false true 2 latest"
	expect := func(when string) {
		t.Helper()
		if got := value[string](b, atWork); got != want {
			t.Errorf("%s there is\n  %s\nwant\n  %s", when, got, want)
		}
	}
	expect("at first")

	for _, group := range []string{mainGroup, windGroup} {
		s.send(http.MethodPost, "/control/model-groups/"+group+"/publish", `{"dockerImage": "registry.example/outside:1"}`)
	}
	s.send(http.MethodPost, "/control/faults", `{"route": "models", "status": 503}`)
	s.token()
	b.says("#revision-0-4", "registry.example/outside:1")
	b.says("#group-1", "3 revisions")
	b.says("#faults", "fault 1")
	b.says("#requests", "/v1/auth/token")
	expect("after changes from outside")

	s.stop()
	b.says("#live", "does not answer")
	expect("while the sandbox is stopped")
	b.click(groupBox + " .publish button")
	b.says("#said.bad", "The sandbox does not answer.")
	b.do(chromedp.Focus(publish+" input", chromedp.ByQuery))
	value[any](b, `document.activeElement.setSelectionRange(3, 7)`)
	s.restart()
	b.waits(`document.getElementById("live").textContent === "live"`)
	b.waits(`!document.getElementById("revision-0-4") && document.querySelector("#faults .empty")`)
	expect("when it serves again")
}

// TestNothingJumps: what one reads stays in its place while requests come and revisions are published.
func TestNothingJumps(t *testing.T) {
	s := serve(t, "-catalogue="+catalogue(t, 60))
	for range 40 {
		s.send(http.MethodGet, "/v1/model-group", "")
	}
	b := show(t, s)
	b.says("#counted", "40")
	value[any](b, `document.querySelector("#group-30 details").open = true`)
	value[any](b, `document.getElementById("groups-scroll").scrollTop = 600`)
	value[any](b, `document.getElementById("requests-scroll").scrollTop = 300`)
	const places = `["request-25", "group-25", "faults", "found"].map((id) => {
		return id + " " + Math.round(document.getElementById(id).getBoundingClientRect().top);
	}).join(", ")`
	before := value[string](b, places)
	for range 20 {
		s.send(http.MethodGet, "/v1/model-group", "")
	}
	s.send(http.MethodPost, "/control/model-groups/group-002/publish", "")
	s.send(http.MethodPost, "/control/model-groups/group-030/publish", "")
	b.says("#counted", "60")
	b.waits(`document.getElementById("revision-30-3")`)
	if after := value[string](b, places); after != before {
		t.Errorf("what was at\n  %s\nis at\n  %s", before, after)
	}
}

// TestNothingMovesUnderThePointer: a list waits while the pointer moves over it.
func TestNothingMovesUnderThePointer(t *testing.T) {
	s := serve(t)
	s.token()
	b := show(t, s)
	b.says("#requests", "sandbox-000001")
	value[any](b, `window.moving = setInterval(() => document.getElementById("requests-scroll").dispatchEvent(new Event("pointermove")), 50)`)
	s.token()
	hasMoved := value[bool](b, `new Promise((resolve) => setTimeout(() => resolve(!!document.getElementById("request-2")), 2500))`)
	value[any](b, `clearInterval(window.moving)`)
	if b.says("#requests", "sandbox-000002"); hasMoved {
		t.Error("a request has come under the pointer")
	}
}

// TestGroupsFoldAndAreSearched: of a group that is folded there is a line, and what is written in its rows is found.
func TestGroupsFoldAndAreSearched(t *testing.T) {
	s := serve(t, "-catalogue="+catalogue(t, 1000))
	b := show(t, s)
	const shown = `document.querySelectorAll("#groups details").length`
	if elements := value[int](b, `document.querySelectorAll("#groups *").length`); elements > 1000 {
		t.Errorf("1,000 groups that are folded are %d elements", elements)
	}
	b.do(chromedp.Click(`//button[.="Show more"]`, chromedp.BySearch))
	b.waits(shown + " === 200")
	b.click("#group-7 summary")
	b.says("#revision-7-2", "group-007:2.0.0")
	text := value[string](b, `document.querySelector("#group-7").innerText.replace(/\n(Publish|Archive|Disable|Re-publish…)(?=\n|$)/g, "")`)
	s.send(http.MethodPost, "/control/model-groups/group-007/revisions/1/archive", "")
	b.says("#revision-7-1", "archived")
	for _, line := range strings.Split(text, "\n") {
		if !strings.Contains(b.page("search=", line), `id="group-7"`) {
			t.Errorf("%q is written in the rows, and not found", line)
		}
	}
	for text, want := range map[string]int{
		"group 12": 11, "GROUP-299": 1, "group-007:1.0": 1, "hour_777": 1, "archived": 1, "unarchive": 0, "nothing": 0,
	} {
		if got := strings.Count(b.page("search=", text), `<li id="group-`); got != want {
			t.Errorf("%q finds %d groups, want %d", text, got, want)
		}
	}
	b.fills("[name=search]", "group-299")
	b.waits(shown + " === 1")
	// A search stays through updates, and finds what is new.
	b.fills("[name=search]", "registry.example/new")
	b.says("#found", "0 of 1000")
	b.says("#groups", "Nothing is found")
	s.send(http.MethodPost, "/control/model-groups/group-000/publish", `{"dockerImage": "registry.example/new:3"}`)
	b.says("#found", "1 of 1000")
}
