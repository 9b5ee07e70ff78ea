package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// overlaps lists the texts and controls of the page that lie over each other, or reach out of their panel. What is cut
// off by an element around it counts as far as it is seen.
const overlaps = `(() => {
	const boxes = [];
	const add = (node, element, rect) => {
		let { left, right, top, bottom } = rect;
		for (let around = element; around !== document.body; around = around.parentElement) {
			if (getComputedStyle(around).overflow === "visible") continue;
			const edge = around.getBoundingClientRect();
			left = Math.max(left, edge.left), right = Math.min(right, edge.right);
			top = Math.max(top, edge.top), bottom = Math.min(bottom, edge.bottom);
		}
		if (right - left > 1 && bottom - top > 1) boxes.push({ node, element, left, right, top, bottom });
	};
	for (const element of document.querySelectorAll("header *, main *")) {
		if (!element.checkVisibility()) continue;
		if (element.matches("button, input, select, .badge")) add(element, element, element.getBoundingClientRect());
		for (const text of element.childNodes) {
			if (text.nodeType !== Node.TEXT_NODE || !text.data.trim() || element.closest("button, select, .badge")) continue;
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
	return found.join("\n");
})()`

// TestRowsHoldStill: in no width of the window does anything lie over anything else, and a button that one presses
// stays under the pointer, with all others where they were.
func TestRowsHoldStill(t *testing.T) {
	s := serve(t)
	const image = "registry.northwind.example/forecasting/price:2.0.0-rc.1@sha256:"
	changes := `{"dockerImage": "` + image + strings.Repeat("0123456789abcdef", 4) + `"}`
	s.send(http.MethodPost, "/control/model-groups/"+mainGroup+"/publish", changes)
	s.send(http.MethodPost, "/control/model-groups/"+mainGroup+"/revisions/2/republish", changes) // archived and disabled
	someRequests(s)
	b := show(t, s)
	b.says("#revision-0-2 code", "rc.1")
	for width := int64(320); width <= 1920; width += 10 {
		b.do(chromedp.EmulateViewport(width, 900))
		if found := value[string](b, overlaps); found != "" {
			t.Errorf("in a window of %d:\n%s", width, found)
		}
	}
	const places = `(() => {
		const origin = document.querySelector("#groups").getBoundingClientRect();
		return [...document.querySelectorAll("#groups button, #groups input, #groups time, #groups summary")].map((e) => {
			const rect = e.getBoundingClientRect();
			return [rect.x - origin.x, rect.y - origin.y, rect.width].map(Math.round).join(" ");
		}).join(", ");
	})()`
	for _, width := range []int64{320, 700, 1366, 1440, 1920} {
		b.do(chromedp.EmulateViewport(width, 900))
		for i, setting := range []string{"archive", "disable", "unarchive", "enable"} {
			button := fmt.Sprintf(`document.querySelectorAll("#revision-0-4 button")[%d]`, 2+i%2)
			at := value[[]float64](b, `(() => {
				`+button+`.scrollIntoView({ block: "center" });
				const rect = `+button+`.getBoundingClientRect();
				return [rect.x + rect.width / 2, rect.y + rect.height / 2];
			})()`)
			before := value[string](b, places)
			b.do(chromedp.MouseClickXY(at[0], at[1]))
			b.waits(`!` + button + `.value.endsWith("/` + setting + `")`)
			under := fmt.Sprintf(`document.elementFromPoint(%f, %f) === %s`, at[0], at[1], button)
			if after := value[string](b, places); !value[bool](b, under) || after != before {
				t.Errorf("in a window of %d, %q has moved\n%s to\n%s", width, setting, before, after)
			}
		}
	}
}

// TestNames: a screen reader can tell the controls from each other, and all are large enough to be hit.
func TestNames(t *testing.T) {
	s := serve(t)
	someRequests(s)
	b := show(t, s)
	var nodes []*accessibility.Node
	b.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		nodes, err = accessibility.GetFullAXTree().Do(ctx)
		return err
	}))
	text := func(v *accessibility.Value) (text string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &text) // or it is not a text
		}
		return text
	}
	roles, names := map[string]int{}, map[string]int{}
	for _, node := range nodes {
		role, name := text(node.Role), text(node.Name)
		roles[role]++
		switch role {
		case "button", "textbox", "searchbox", "combobox", "spinbutton", "checkbox", "region":
			if names[name]++; name == "" || names[name] > 1 {
				t.Errorf("%d: a %s is called %q", names[name], role, name)
			}
		}
	}
	for _, name := range []string{
		"Re-publish… revision 3 of Day-ahead power price DE-LU, day_ahead",
		"Archive revision 1 of Wind generation North Sea, week_ahead",
		"Unarchive revision 2 of Day-ahead power price DE-LU, day_ahead",
	} {
		if names[name] == 0 {
			t.Errorf("no button is called %q", name)
		}
	}
	// Of nine groups, of the revisions of each, and of two faults.
	if roles["list"] != 1+9+1 || roles["listitem"] != 9+13+2 {
		t.Errorf("%d lists have %d items", roles["list"], roles["listitem"])
	}
	small := value[string](b, `[...document.querySelectorAll("button, input, select, summary, a")].filter((e) => {
		const rect = e.getBoundingClientRect();
		return e.checkVisibility() && (rect.width < 24 || rect.height < 24);
	}).map((e) => e.outerHTML).join("\n")`)
	if small != "" {
		t.Errorf("smaller than 24 pixels:\n%s", small)
	}
}
