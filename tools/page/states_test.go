package page

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// overlaps lists the texts and controls that lie over each other, or reach out of the window. The visible part of an
// element that is cut off counts, and an element below a layer does not.
const overlaps = `(() => {
	const layer = document.querySelector("dialog[open], :popover-open") ?? document.body;
	const boxes = [];
	const add = (node, element, rect) => {
		let { left, right, top, bottom } = rect;
		for (let around = element; around && around !== document.body; around = around.parentElement) {
			if (getComputedStyle(around).overflow === "visible") continue;
			const edge = around.getBoundingClientRect();
			left = Math.max(left, edge.left), right = Math.min(right, edge.right);
			top = Math.max(top, edge.top), bottom = Math.min(bottom, edge.bottom);
		}
		if (right - left > 1 && bottom - top > 1) boxes.push({ node, element, left, right, top, bottom });
	};
	for (const element of layer.querySelectorAll("*")) {
		if (!element.checkVisibility() || element.closest("footer, .skip")) continue;
		if (element.matches("button, input, select, .badge")) add(element, element, element.getBoundingClientRect());
		for (const text of element.childNodes) {
			if (text.nodeType !== Node.TEXT_NODE || !text.data.trim() || element.closest("button, select, .badge, option")) continue;
			const range = document.createRange();
			range.selectNodeContents(text);
			for (const rect of range.getClientRects()) add(text, element, rect);
		}
	}
	const found = [];
	boxes.sort((a, b) => a.top - b.top);
	boxes.forEach((a, i) => {
		for (const b of boxes.slice(i + 1)) {
			if (b.top >= a.bottom - 2) break;
			if (a.node !== b.node && a.left < b.right - 1 && b.left < a.right - 1) {
				found.push(a.element.outerHTML.slice(0, 150) + " and " + b.element.outerHTML.slice(0, 150));
			}
		}
	});
	if (document.scrollingElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
	// The parts of a request stand below each other, each as wide as the whole.
	const parts = [...document.querySelectorAll(".exchange > *, .exchange > div > :not(h2, button)")].filter((e) => e.checkVisibility());
	parts.forEach((part, i) => {
		const [above, here] = [parts[i - 1] ?? part.parentElement, part].map((e) => e.getBoundingClientRect());
		if (i === 0 || parts[i - 1].contains(part) || here.top >= above.bottom - 1) return;
		found.push("not in one column: " + part.outerHTML.slice(0, 150));
	});
	return found.join("\n");
})()`

// violations is what axe finds, with the best practices that it knows.
const violations = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => {
	const told = (node) => "  " + node.html.slice(0, 200) + "\n  " + node.failureSummary;
	return violations.map((v) => v.id + ": " + v.help + "\n" + v.nodes.map(told).join("\n")).join("\n");
})`

// TestStates looks at the page in each of its states: in every width of the window nothing lies over anything else,
// and axe finds nothing, light or dark.
func TestStates(t *testing.T) {
	axe := packageFile(t, "axe-core/axe.min.js")
	s := serve(t, "-rate-limit=60/1m")
	changes := `{"enabled": false, "dockerImage": "registry.northwind.example/forecasting/price:2.0.0-rc.1@sha256:` +
		strings.Repeat("0123456789abcdef", 4) + `"}`
	s.send(http.MethodPost, "/control/model-groups/"+mainGroup+"/revisions/2/republish", changes)
	someRequests(s)
	click := func(selector string) chromedp.Action { return chromedp.Click(selector, chromedp.ByQuery) }
	image := chromedp.Click("#revision-0-3 button[value$=republish]", chromedp.ByQuery)
	for name, state := range map[string]struct {
		path string
		do   []chromedp.Action
	}{
		"page":       {"/", nil},
		"lines":      {"/", []chromedp.Action{click("#client-0 summary")}},
		"found":      {"/?status=5&search=archived", nil},
		"none":       {"/?text=nowhere&search=nowhere", nil},
		"drawer":     {"/?request=3", nil},
		"no-request": {"/?request=999", nil},
		"question":   {"/", []chromedp.Action{chromedp.Click(`//header//button[.="Reset…"]`, chromedp.BySearch)}},
		"image":      {"/", []chromedp.Action{image}},
		"said":       {"/", []chromedp.Action{click(".fault button"), chromedp.WaitVisible("#said.bad", chromedp.ByQuery)}},
		"alone":      {"/page/requests/3", nil},
		"gone":       {"/", nil},
		"plain":      {"/?request=3", []chromedp.Action{emulation.SetScriptExecutionDisabled(true), chromedp.Reload()}},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := newTab(t), s
			if name == "gone" {
				s = serve(t)
			}
			b.do(chromedp.Navigate(s.URL + state.path))
			if name != "alone" {
				b.isLive()
			}
			if name == "gone" {
				s.stop()
				b.says("#live", "does not answer")
			}
			b.do(state.do...)
			for _, width := range []int64{320, 640, 1024, 1440, 1920} {
				b.do(chromedp.EmulateViewport(width, 900))
				if found := value[string](b, overlaps); found != "" {
					t.Errorf("in a window of %d:\n%s", width, found)
				}
				b.picture(fmt.Sprintf("%s-%d", name, width))
			}
			b.do(emulation.SetScriptExecutionDisabled(false))
			value[any](b, axe)
			for _, colours := range []string{"light", "dark"} {
				b.do(media("prefers-color-scheme", colours))
				if found := value[string](b, violations); found != "" {
					t.Errorf("axe finds in the %s page:\n%s", colours, found)
				}
			}
			b.picture(name + "-dark")
			b.do(media("forced-colors", "active"))
			b.picture(name + "-forced")
		})
	}
}

// picture leaves a picture of the window in the folder of -pictures.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *pictures == "" {
		return
	}
	var picture []byte
	b.do(chromedp.CaptureScreenshot(&picture))
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), picture, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func media(feature, value string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: feature, Value: value}})
}
