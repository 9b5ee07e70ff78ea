package page

import (
	"flag"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "folder to write pictures of the page to")

// TestPicture takes the picture of the README: -pictures names a folder for it. Texts that differ from run to run are
// replaced first.
func TestPicture(t *testing.T) {
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
	b := show(t, s)
	b.do(chromedp.EmulateViewport(1440, 900), media("prefers-color-scheme", "light"))
	value[any](b, steady)
	b.picture("sandbox")
}

// steady stops the page and replaces times, durations and the port.
const steady = `(() => {
	window.fetch = () => new Promise(() => {});
	document.querySelectorAll("#requests td:nth-child(1)").forEach((cell, i) => {
		cell.firstChild.data = new Date(Date.UTC(2026, 5, 1, 12, 0, 9, 870) - i * 137).toISOString().slice(11, 23);
	});
	document.querySelectorAll("#requests td:nth-child(3) .second").forEach((took, i) => {
		if (/^[\d.]+ms$/.test(took.textContent)) took.textContent = (1 + i % 4) + "ms";
	});
	document.querySelectorAll("#groups time").forEach((time) => {
		if (time.title.includes(new Date().toISOString().slice(0, 10))) time.textContent = "2026-06-03 12:00";
	});
	document.querySelector(".address code").textContent = "http://127.0.0.1:8080";
})()`
