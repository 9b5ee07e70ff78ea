package page

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/rogpeppe/go-internal/testscript"
)

// driven adds commands to those of testscript. A SELECTOR is CSS or XPath.
//
//	open PATH            opens a path of the sandbox
//	live                 waits until the page follows the sandbox and is painted, because Chromium drops earlier keys and clicks
//	javascript on|off    for pages opened later
//	click SELECTOR
//	focus SELECTOR
//	fill SELECTOR TEXT   types a text over the present one
//	press KEY…           presses the keys of these names, or types texts
//	says SELECTOR TEXT   waits until the element contains the text
//	is EXPRESSION        waits until an expression of JavaScript is true
//	run EXPRESSION
//	state NAME           checks the page as it is, in windows of each width, and by axe
//	clipboard FILE       writes the content of the clipboard to a file
//	steady               replaces texts that differ from run to run
//	picture NAME         saves a picture of the window in the folder of -pictures
var driven = map[string]func(b *tab, arguments []string){
	"open":       func(b *tab, a []string) { b.do(chromedp.Navigate(b.Getenv("URL") + a[0])) },
	"live":       func(b *tab, _ []string) { b.waits(isLive) },
	"javascript": func(b *tab, a []string) { b.do(emulation.SetScriptExecutionDisabled(a[0] == "off")) },
	"click":      func(b *tab, a []string) { b.do(chromedp.Click(a[0])) },
	"focus":      func(b *tab, a []string) { b.do(chromedp.Focus(a[0])) },
	"fill": func(b *tab, a []string) {
		b.do(chromedp.Focus(a[0]), chromedp.Evaluate("document.activeElement.select()", nil), chromedp.KeyEvent(kb.Delete+a[1]))
	},
	"press": (*tab).press,
	"says":  (*tab).says,
	"is":    func(b *tab, a []string) { b.waits(a[0]) },
	"run":   func(b *tab, a []string) { b.Check(b.evaluate(a[0], nil)) },
	"state": (*tab).state,
	"clipboard": func(b *tab, a []string) {
		b.Check(os.WriteFile(b.MkAbs(a[0]), []byte(b.text("navigator.clipboard.readText()")), 0o600))
	},
	"steady": func(b *tab, _ []string) {
		b.do(chromedp.EmulateViewport(1440, 900), media("prefers-color-scheme", "light"), chromedp.Evaluate(steady, nil))
	},
	"picture": func(b *tab, a []string) { b.picture(a[0]) },
}

const isLive = `document.body.className === "live" && performance.getEntriesByName("first-contentful-paint").length`

// tab is the browser tab of a script.
type tab struct {
	*testscript.TestScript

	ctx context.Context
}

// newTab opens an empty tab. The test fails if a script of the page fails, or its content security policy refuses
// something.
func newTab(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := chromedp.NewContext(chromium)
	tb.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	tb.Cleanup(cancel)
	chromedp.ListenTarget(ctx, func(event any) {
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			tb.Errorf("a script fails: %s", event.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if event.Entry.Source == log.SourceSecurity || strings.Contains(event.Entry.Text, "Content Security Policy") {
				tb.Errorf("the browser refuses: %s", event.Entry.Text)
			}
		}
	})
	actions := []chromedp.Action{log.Enable(), page.BringToFront(), chromedp.EmulateViewport(1400, 900)}
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		clipboard := &browser.PermissionDescriptor{Name: name}
		actions = append(actions, browser.SetPermission(clipboard, browser.PermissionSettingGranted))
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		tb.Fatal(err)
	}
	return ctx
}

func (b *tab) do(actions ...chromedp.Action) { b.Check(chromedp.Run(b.ctx, actions...)) }

var keys = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Down": kb.ArrowDown, "Up": kb.ArrowUp, "Home": kb.Home, "End": kb.End,
}

func (b *tab) press(names []string) {
	for _, name := range names {
		key, ok := keys[name]
		if !ok {
			key = name
		}
		b.do(chromedp.KeyEvent(key))
	}
}

func (b *tab) says(arguments []string) {
	b.waits(fmt.Sprintf(`document.querySelector(%q)?.textContent.includes(%q)`, arguments[0], arguments[1]))
}

// waits until the expression is true. While another page loads, it counts as false.
func (b *tab) waits(expression string) {
	var problem error
	for range 300 {
		var so bool
		if problem = b.evaluate("(async () => !!(await ("+expression+")))()", &so); so {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	var said string
	_ = b.evaluate("document.body.innerText", &said)
	b.Fatalf("this is not so: %s (%v)\nThe page says:\n%.3000s", expression, problem, said)
}

// evaluate stores the value of an expression of JavaScript, or of its promise, in result.
func (b *tab) evaluate(expression string, result any) error {
	return chromedp.Run(b.ctx, chromedp.Evaluate(expression, result, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
}

// text returns the string value of an expression of JavaScript.
func (b *tab) text(expression string) (text string) {
	b.Check(b.evaluate(expression, &text))
	return text
}
