package page

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestUpdatesKeepWhatAPersonDoes: half-typed text, folds and focus, also while the sandbox is stopped.
func TestUpdatesKeepWhatAPersonDoes(t *testing.T) {
	s := serve(t)
	b := show(t, s)
	b.click("#group-1 summary")
	b.click("#client-1 summary")
	b.types(publish+" input", "registry.example/half")
	expect := func(when string) {
		t.Helper()
		const atWork = `[document.activeElement.value, document.querySelector("#group-1 details").open,
			document.getElementById("client-1").open].join(" ")`
		if got := value[string](b, atWork); got != "registry.example/half false true" {
			t.Errorf("%s there is %s", when, got)
		}
	}
	s.send(http.MethodPost, "/control/model-groups/"+mainGroup+"/publish", `{"dockerImage": "registry.example/outside:1"}`)
	b.says("#revision-0-4", "registry.example/outside:1")
	expect("after a change from outside")
	s.stop()
	b.says("#live", "does not answer")
	b.click(groupBox + " .publish button")
	b.says("#said.bad", "The sandbox does not answer.")
	b.do(chromedp.Focus(publish+" input", chromedp.ByQuery))
	s.restart()
	b.waits(`document.getElementById("live").textContent === "live" && !document.getElementById("said").textContent`)
	b.waits(`!document.getElementById("revision-0-4")`)
	expect("when it serves again")
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

// TestGroupsUnfold: of a group that is folded there is a line, and its rows come when it is unfolded.
func TestGroupsUnfold(t *testing.T) {
	b := show(t, serve(t, "-catalogue="+catalogue(t, 1000)))
	if elements := value[int](b, `document.querySelectorAll("#groups *").length`); elements > 1000 {
		t.Errorf("1,000 groups that are folded are %d elements", elements)
	}
	b.do(chromedp.Click(`//button[.="Show more"]`, chromedp.BySearch))
	b.waits(`document.querySelectorAll("#groups details").length === 200 && location.search === "?groups=200"`)
	b.click("#group-7 summary")
	b.says("#revision-7-2", "group-007:2.0.0")
}
