// Package page drives the sandbox's page in a Chromium.
package page

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const group = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

// TestPage publishes by the button, sees a request appear, and cannot reset from a foreign page. If PICTURES is a folder,
// it writes pictures of the page there.
func TestPage(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip(err)
	}
	service := serve(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	defer cancel()

	const publish = `form[action="/control/model-groups/` + group + `/publish"]`
	run := func(actions ...chromedp.Action) {
		t.Helper()
		if err := chromedp.Run(ctx, actions...); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(text string) chromedp.Action {
		return chromedp.WaitVisible(`//main//*[contains(text(), "`+text+`")]`, chromedp.BySearch)
	}
	run(chromedp.Navigate(service.URL),
		chromedp.SendKeys(publish+" input", "registry.example/by-button:2", chromedp.ByQuery),
		chromedp.Click(publish+" button", chromedp.ByQuery),
		shows("registry.example/by-button:2"))
	if got := latest(t, service); !strings.Contains(got, `"revision":4,`) {
		t.Errorf("the button publishes %s", got)
	}
	run(shows("/latest-model"), shows("northwind"))

	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<form method="post" action="`+service.URL+`/control/reset"><button>x</button></form>`)
	}))
	defer foreign.Close()
	var said string
	run(chromedp.Navigate(foreign.URL), chromedp.Click("button", chromedp.ByQuery),
		chromedp.WaitNotPresent("form", chromedp.ByQuery), chromedp.Text("body", &said, chromedp.ByQuery))
	if !strings.Contains(said, "not for the web pages of "+foreign.URL) || !strings.Contains(latest(t, service), `"revision":4,`) {
		t.Errorf("a foreign page is told %s", said)
	}

	folder := os.Getenv("PICTURES")
	if folder == "" {
		return
	}
	for name, size := range map[string][2]int64{"wide": {1400, 900}, "narrow": {390, 900}} {
		var picture []byte
		run(chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(service.URL), chromedp.CaptureScreenshot(&picture))
		if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

type readiness struct{ URL, ClientID, ClientSecret string }

// serve serves a sandbox until the test ends.
func serve(t *testing.T) (ready readiness) {
	t.Helper()
	folder := t.TempDir()
	program, file := filepath.Join(folder, "modelcatalogue-sandbox"), filepath.Join(folder, "ready.json")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/modelcatalogue-sandbox")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, "-listen=127.0.0.1:0", "-ready-file="+file)
	said, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	// The program prints its welcome when it serves.
	if _, err := said.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &ready)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ready
}

// latest reads the newest revision, as a plan does.
func latest(t *testing.T, service readiness) string {
	t.Helper()
	answer, err := http.PostForm(service.URL+"/v1/auth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {service.ClientID}, "client_secret": {service.ClientSecret},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var token struct {
		Text string `json:"access_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&token); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, service.URL+"/v1/model-group/"+group+"/latest-model", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token.Text)
	read, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Body.Close()
	text, err := io.ReadAll(read.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
