// Package page drives the sandbox's page in a Chromium.
package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	mainGroup = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
	windGroup = "270c0fa6-6a8c-4874-8f76-da0680bcda61"
	// The first group of the page is the main one.
	groupBox = "#group-0"
	publish  = groupBox + " .publish"
)

// The program and the browser that all tests use, and a folder that is removed at the end.
var (
	program, scratch string
	chromium         context.Context
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	path, err := findBrowser()
	if err != nil {
		fmt.Println("the page is not tested:", err)
		return 0
	}
	folder, err := os.MkdirTemp("", "page")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(folder)
	scratch = folder
	program = filepath.Join(folder, "modelcatalogue-sandbox")
	build := exec.Command("go", "build", "-o", program, "./cmd/modelcatalogue-sandbox")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Printf("%v\n%s", err, out)
		return 1
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(folder, "profile")),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		// Names that a test of foreign hosts points at this machine.
		chromedp.Flag("host-resolver-rules", "MAP *.example 127.0.0.1"),
	)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	// The library logs events that are newer than it.
	chromium, cancel = chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	defer cancel()
	if err := chromedp.Run(chromium); err != nil {
		fmt.Println(err)
		return 1
	}
	return m.Run()
}

// findBrowser returns the path of a Chromium.
func findBrowser() (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("none of %s is on the PATH", strings.Join(names, ", "))
}

// service is a sandbox that runs.
type service struct {
	t         *testing.T
	arguments []string
	cmd       *exec.Cmd

	URL, ClientID, ClientSecret string
}

// serve serves a sandbox until the test ends.
func serve(t *testing.T, arguments ...string) *service {
	t.Helper()
	s := &service{t: t, arguments: arguments}
	s.start("127.0.0.1:0")
	t.Cleanup(s.stop)
	return s
}

func (s *service) start(address string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "ready.json")
	s.cmd = exec.Command(program, append([]string{"-listen=" + address, "-ready-file=" + file}, s.arguments...)...)
	s.cmd.Stderr = os.Stderr
	said, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	// The program prints its welcome when it serves.
	if _, err := said.Read(make([]byte, 1)); err != nil {
		s.t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// stop kills the sandbox, and restart starts it again on the same port.
func (s *service) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *service) restart() {
	s.t.Helper()
	s.start(strings.TrimPrefix(s.URL, "http://"))
}

// send sends a request and returns the answer's body.
func (s *service) send(method, path, body string, header ...string) string {
	s.t.Helper()
	request, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// token returns a token of the sandbox's first client.
func (s *service) token() string {
	s.t.Helper()
	form := "grant_type=client_credentials&client_id=" + s.ClientID + "&client_secret=" + s.ClientSecret
	var token struct {
		Text string `json:"access_token"`
	}
	answer := s.send(http.MethodPost, "/v1/auth/token", form, "Content-Type", "application/x-www-form-urlencoded")
	if err := json.Unmarshal([]byte(answer), &token); err != nil || token.Text == "" {
		s.t.Fatal(err, answer)
	}
	return token.Text
}

// tab is a tab of the browser.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// newTab opens an empty tab. The test fails if a script of the page fails, or the page's policy refuses something.
func newTab(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	chromedp.ListenTarget(ctx, func(event any) {
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("a script fails: %s", event.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if event.Entry.Source == log.SourceSecurity || strings.Contains(event.Entry.Text, "Content Security Policy") {
				t.Errorf("the browser refuses: %s", event.Entry.Text)
			}
		}
	})
	b := &tab{t, ctx}
	b.do(log.Enable(), page.BringToFront(), chromedp.EmulateViewport(1400, 900))
	return b
}

// show opens the page of a sandbox, once its script runs and it is painted: Chromium drops keys and clicks before that.
func show(t *testing.T, s *service) *tab {
	t.Helper()
	b := newTab(t)
	b.do(chromedp.Navigate(s.URL))
	b.isLive()
	return b
}

// isLive waits until the page follows the sandbox, and is painted.
func (b *tab) isLive() {
	b.t.Helper()
	b.waits(`document.body.className === "live" && performance.getEntriesByName("first-contentful-paint").length`)
}

func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// leads does what leads to another page, and waits until that is loaded.
func (b *tab) leads(actions ...chromedp.Action) {
	b.t.Helper()
	if _, err := chromedp.RunResponse(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// click clicks the first element of that selector.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(selector, chromedp.ByQuery))
}

// types types at the end of the text that is there. fills replaces it.
func (b *tab) types(selector, text string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(selector, text, chromedp.ByQuery))
}

func (b *tab) fills(selector, text string) {
	b.t.Helper()
	b.do(chromedp.Focus(selector, chromedp.ByQuery))
	value[any](b, `document.activeElement.select?.()`)
	b.do(chromedp.KeyEvent(kb.Delete), chromedp.KeyEvent(text))
}

// waits until the expression is true.
func (b *tab) waits(expression string) {
	b.t.Helper()
	if !b.becomes(expression) {
		b.t.Fatalf("this is not so: %s\nThe page says:\n%.3000s", expression, value[string](b, "document.body.innerText"))
	}
}

// says waits until the element of the selector has the text.
func (b *tab) says(selector, text string) {
	b.t.Helper()
	if !b.becomes(fmt.Sprintf(`document.querySelector(%q)?.textContent.includes(%q)`, selector, text)) {
		found := value[string](b, fmt.Sprintf(`document.querySelector(%q)?.outerHTML ?? "(none)"`, selector))
		b.t.Fatalf("%s does not say %q:\n%.3000s", selector, text, found)
	}
}

func (b *tab) becomes(expression string) bool {
	b.t.Helper()
	for range 300 {
		if value[bool](b, "!!("+expression+")") {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}

// value returns what an expression of JavaScript evaluates to. A promise is awaited.
func value[T any](b *tab, expression string) (result T) {
	b.t.Helper()
	err := chromedp.Run(b.ctx, chromedp.Evaluate(expression, &result, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	if err != nil && !errors.Is(err, chromedp.ErrJSNull) {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return result
}

// catalogue writes a catalogue of n groups with two revisions each, and returns the file's name.
func catalogue(t *testing.T, n int) string {
	t.Helper()
	var groups []string
	for i := range n {
		var models []string
		for revision := range 2 {
			models = append(models, fmt.Sprintf(`{"id": "%d-%d", "revision": %[2]d, "createdAt": "2026-01-02T03:04:05Z",
				"dockerImage": "registry.example/forecasting/group-%03[1]d:%[2]d.0.0"}`, i, revision+1))
		}
		groups = append(groups, fmt.Sprintf(`{"owner": "Northwind", "group": {"id": "group-%03d", "name": "Group %[1]d",
			"timeHorizon": {"key": "hour_%[1]d"}}, "models": [%[2]s]}`, i, strings.Join(models, ",")))
	}
	name := filepath.Join(t.TempDir(), "catalogue.json")
	text := `{"organisations": [{"name": "Northwind", "clientId": "northwind", "clientSecret": "northwind-sandbox-secret"}],
		"modelGroups": [` + strings.Join(groups, ",") + `]}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
