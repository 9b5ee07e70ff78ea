package page

import (
	_ "embed" // the scripts
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// overlaps lists texts and controls that cover each other, or reach out of the window. steady stops the page.
var (
	//go:embed testdata/overlaps.js
	overlaps string
	//go:embed testdata/steady.js
	steady string
)

// violations lists the findings of axe, best practices included.
const violations = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => {
	const told = (node) => "  " + node.html.slice(0, 200) + "\n  " + node.failureSummary;
	return violations.map((v) => v.id + ": " + v.help + "\n" + v.nodes.map(told).join("\n")).join("\n");
})`

// state checks the page as it is: nothing covers anything else in a window of any width, and axe has no findings,
// light or dark.
func (b *tab) state(arguments []string) {
	name := arguments[0]
	for _, width := range []int64{320, 640, 1024, 1440, 1920} {
		b.do(chromedp.EmulateViewport(width, 900))
		if found := b.text(overlaps); found != "" {
			b.Fatalf("in a window of %d:\n%s", width, found)
		}
		b.picture(fmt.Sprintf("%s-%d", name, width))
	}
	b.do(emulation.SetScriptExecutionDisabled(false))
	b.do(chromedp.Evaluate(b.ReadFile(b.Getenv("WORK")+"/node_modules/axe-core/axe.min.js"), nil))
	for _, colours := range []string{"light", "dark"} {
		b.do(media("prefers-color-scheme", colours))
		if found := b.text(violations); found != "" {
			b.Fatalf("axe finds in the %s page:\n%s", colours, found)
		}
	}
	b.picture(name + "-dark")
	b.do(media("forced-colors", "active"))
	b.picture(name + "-forced")
	b.do(media("forced-colors", "none"), chromedp.EmulateViewport(1400, 900))
}

// picture saves a picture of the window in the folder of -pictures.
func (b *tab) picture(name string) {
	if *pictures == "" {
		return
	}
	var picture []byte
	b.do(chromedp.CaptureScreenshot(&picture))
	b.Check(os.WriteFile(filepath.Join(*pictures, name+".png"), picture, 0o600))
}

func media(feature, value string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: feature, Value: value}})
}
