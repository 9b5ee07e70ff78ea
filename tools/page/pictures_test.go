package page

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "folder to write pictures of the page to")

func scheme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}})
}

// TestPictures takes pictures of the page, for the README and for contributors: -pictures names a folder for them. What
// differs from run to run is replaced first.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures is not set: make page sets it")
	}
	s := serve(t, "-rate-limit=12/1h")
	token := someRequests(s)
	for _, path := range []string{
		"", "?timeHorizon=week_ahead", "/nope", "/" + windGroup, "/" + windGroup + "/latest-model", "/" + mainGroup + "/latest-model", "",
	} {
		s.send(http.MethodGet, "/v1/model-group"+path, "", "Authorization", "Bearer "+token)
	}
	s.send(http.MethodPost, "/control/model-groups/"+mainGroup+"/publish",
		`{"dockerImage": "registry.northwind.example/forecasting/de-lu-day-ahead-price:2.0.0"}`)
	take := func(name string, width, height int64, colours string, actions ...chromedp.Action) {
		t.Helper()
		b := show(t, s)
		b.do(chromedp.EmulateViewport(width, height), scheme(colours))
		b.do(actions...)
		value[any](b, steady)
		var picture []byte
		b.do(chromedp.CaptureScreenshot(&picture))
		if err := os.WriteFile(filepath.Join(*pictures, name+".png"), picture, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	take("sandbox", 1440, 900, "light")
	take("dark", 1440, 900, "dark")
	take("narrow", 390, 1800, "light")
	take("request", 1440, 900, "light", chromedp.Click("#request-3", chromedp.ByQuery), chromedp.WaitVisible("#request", chromedp.ByQuery))
}

// steady stops the page and replaces times, durations and the port.
const steady = `(() => {
	window.fetch = () => new Promise(() => {});
	document.querySelectorAll("#requests td:nth-child(1)").forEach((cell, i) => {
		cell.firstChild.data = new Date(Date.UTC(2026, 5, 1, 12, 0, 9, 870) - i * 137).toISOString().slice(11, 23);
	});
	document.querySelectorAll("#requests td:nth-child(3) .second").forEach((took, i) => {
		if (/^\d+µs$|^[\d.]+ms$/.test(took.textContent)) took.textContent = (2 + i % 7) + "00µs";
	});
	document.querySelectorAll("#groups time").forEach((time) => {
		if (time.title.includes(new Date().toISOString().slice(0, 10))) time.textContent = "2026-06-03T12:00";
	});
	document.querySelector(".address code").textContent = "http://127.0.0.1:8080";
})()`
