package page

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "folder to write pictures of the page to")

func scheme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}})
}

// lowContrast lists the texts whose contrast to what is behind them is below 4.5, as WCAG 2 asks for (1.4.3).
const lowContrast = `(() => {
	const rgb = (text) => text.match(/[\d.]+/g).map(Number);
	const light = (text) => rgb(text).slice(0, 3).map((c) => c / 255)
		.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (element) => {
		for (; element; element = element.parentElement) {
			const colour = getComputedStyle(element).backgroundColor;
			if (rgb(colour)[3] !== 0) return colour;
		}
	};
	const found = new Set();
	for (const element of document.querySelectorAll("body *")) {
		const hasText = [...element.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
		if (!hasText && element.nodeName !== "INPUT" || !element.checkVisibility()) continue;
		const pseudo = element.nodeName === "INPUT" ? "::placeholder" : null;
		const [a, b] = [light(getComputedStyle(element, pseudo).color), light(behind(element))];
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) found.add(element.nodeName + "." + element.className + " " + contrast.toFixed(2));
	}
	return [...found].join("\n");
})()`

// TestContrast looks at every text, in light and dark, with everything shown that can be.
func TestContrast(t *testing.T) {
	s := serve(t, "-rate-limit=6/1h")
	token := someRequests(s)
	s.send(http.MethodGet, "/v1/model-group", "", "Authorization", "Bearer "+token)
	b := show(t, s)
	value[any](b, `document.querySelectorAll("details").forEach((d) => d.open = true)`)
	b.types(publish+" input", "no image")
	b.click(publish + " button")
	b.says(publish+" output", "white space")
	b.click("#request-3")
	b.waits(`document.getElementById("request").checkVisibility()`)
	for _, name := range []string{"light", "dark"} {
		b.do(scheme(name))
		if found := value[string](b, lowContrast); found != "" {
			t.Errorf("too little contrast if it is %s:\n%s", name, found)
		}
	}
	if count := value[int](b, `document.querySelectorAll("b.good, b.warn, b.bad, .badge").length`); count < 10 {
		t.Errorf("only %d coloured texts were looked at", count)
	}
}

// TestEveryControlHasAName, which a screen reader can say.
func TestEveryControlHasAName(t *testing.T) {
	s := serve(t)
	someRequests(s)
	b := show(t, s)
	var nodes []*accessibility.Node
	b.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		nodes, err = accessibility.GetFullAXTree().Do(ctx)
		return err
	}))
	controls := 0
	for _, node := range nodes {
		role := ""
		if node.Role != nil {
			role = strings.Trim(string(node.Role.Value), `"`)
		}
		switch role {
		case "button", "link", "textbox", "searchbox", "combobox", "spinbutton", "DisclosureTriangle", "region":
			controls++
			if node.Name == nil || strings.Trim(string(node.Name.Value), `" `) == "" {
				t.Errorf("a %s has no name: node %d", role, node.BackendDOMNodeID)
			}
		}
	}
	if controls < 60 {
		t.Errorf("only %d controls were looked at", controls)
	}
}

// TestEveryWidth: nothing is cut off, and on a narrow window requests come first.
func TestEveryWidth(t *testing.T) {
	s := serve(t)
	someRequests(s)
	b := show(t, s)
	for _, width := range []int64{320, 390, 768, 1024, 1216, 1280, 1920} {
		b.do(chromedp.EmulateViewport(width, 800))
		if wide := value[int64](b, `document.scrollingElement.scrollWidth`); wide > width {
			t.Errorf("the page is %d wide in a window of %d", wide, width)
		}
		order := value[string](b, `["#requests", "#clients", "#faults-title", "#groups"]
			.sort((a, b) => document.querySelector(a).getBoundingClientRect().top - document.querySelector(b).getBoundingClientRect().top)
			.join(" ")`)
		if width < 1216 && order != "#requests #clients #faults-title #groups" {
			t.Errorf("in a window of %d the order is %s", width, order)
		}
		cut := value[string](b, `[...document.querySelectorAll("#requests td > *, #groups button, #groups time, .fault *, .bar *")]
			.filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > e.closest(".panel").getBoundingClientRect().right)
			.map((e) => e.outerHTML).join("\n")`)
		if cut != "" {
			t.Errorf("cut off in a window of %d:\n%s", width, cut)
		}
		rows := value[float64](b, `Math.max(...[...document.querySelectorAll("#groups .row")].map((row) => row.offsetHeight))`)
		if width >= 1280 && rows > 34 {
			t.Errorf("in a window of %d a revision is %v pixels high, more than a line", width, rows)
		}
	}
}

// TestPictures takes pictures of the page, for the README and for contributors: -pictures names a folder for them.
// What differs from run to run is replaced first.
func TestPictures(t *testing.T) {
	s := serve(t, "-rate-limit=12/1h")
	token := someRequests(s)
	for _, path := range []string{
		"", "?timeHorizon=week_ahead", "/nope", "/" + windGroup, "/" + windGroup + "/latest-model", "/" + mainGroup + "/latest-model", "",
	} {
		s.send(http.MethodGet, "/v1/model-group"+path, "", "Authorization", "Bearer "+token)
	}
	s.send(http.MethodPost, "/control/model-groups/"+mainGroup+"/publish",
		`{"dockerImage": "registry.northwind.example/forecasting/de-lu-day-ahead-price:2.0.0"}`)
	take := func(s *service, name string, width, height int64, colours string, actions ...chromedp.Action) {
		t.Helper()
		b := show(t, s)
		b.do(chromedp.EmulateViewport(width, height), scheme(colours))
		b.do(actions...)
		value[any](b, steady)
		var picture []byte
		b.do(chromedp.CaptureScreenshot(&picture))
		if *pictures == "" {
			return
		}
		if err := os.WriteFile(filepath.Join(*pictures, name+".png"), picture, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	drawer := chromedp.Tasks{
		chromedp.Click("#request-3", chromedp.ByQuery),
		chromedp.WaitVisible("#request", chromedp.ByQuery),
	}
	take(s, "sandbox", 1440, 900, "light")
	take(s, "dark", 1440, 900, "dark")
	take(s, "narrow", 390, 1800, "light")
	take(s, "narrow-dark", 390, 900, "dark")
	take(s, "request", 1440, 900, "light", drawer)
	take(serve(t), "empty", 1440, 900, "light")

	many := serve(t, "-catalogue="+catalogue(t, 300), "-rate-limit=900/1h")
	token = many.token()
	for i := range 1000 {
		many.send(http.MethodGet, fmt.Sprintf("/v1/model-group/group-%03d/latest-model", i%300), "", "Authorization", "Bearer "+token)
	}
	for _, fault := range []string{
		`{"status": 503, "times": 2}`, `{"route": "token", "hang": true}`, `{"route": "models", "cut": "json", "skip": 1}`,
	} {
		many.send(http.MethodPost, "/control/faults", fault)
	}
	take(many, "many", 1440, 900, "light", chromedp.Click("#group-1 summary", chromedp.ByQuery))
	take(many, "many-dark", 1440, 900, "dark")
}

// steady stops the page and replaces times, durations and the port.
const steady = `(() => {
	window.fetch = () => new Promise(() => {});
	document.querySelectorAll("#requests tr time").forEach((time, i) => {
		time.textContent = new Date(Date.UTC(2026, 5, 1, 12, 0, 9, 870) - i * 137).toISOString().slice(11, 23);
	});
	document.querySelectorAll("#requests td:nth-child(3) .second").forEach((took, i) => {
		if (took.textContent.endsWith(" ms")) took.textContent = (0.2 + i % 7 / 10).toFixed(2) + " ms";
	});
	document.querySelectorAll("#groups time").forEach((time) => {
		if (time.title.includes(new Date().toISOString().slice(0, 10))) time.textContent = "2026-06-03 12:00";
	});
	document.querySelector(".address code").textContent = "http://127.0.0.1:8080";
})()`
