// Package page tests the sandbox's page in a Chromium.
package page

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/testscript"
)

// pictures is the folder for pictures of the page.
var pictures = flag.String("pictures", "", "folder to write pictures of the page to")

// The browser of all tests, and a temporary folder with the sandbox's program.
var (
	chromium context.Context
	scratch  string
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	flag.Parse()
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
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "modelcatalogue-sandbox"), "./cmd/modelcatalogue-sandbox")
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
	)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	// The library would log every event that is newer than itself.
	chromium, cancel = chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	defer cancel()
	if err := errors.Join(chromedp.Run(chromium), flag.Set("test.parallel", "1")); err != nil { // only one tab at a time has the focus
		fmt.Println(err)
		return 1
	}
	return m.Run()
}

// findBrowser returns the path of a Chromium.
func findBrowser() (path string, err error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// TestPage runs the scripts of testdata.
func TestPage(t *testing.T) { runScripts(t, "testdata") }

// TestPicture takes the picture for the README.
func TestPicture(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures is not set: make page sets it")
	}
	runScripts(t, "testdata/picture")
}

func runScripts(t *testing.T, folder string) {
	t.Helper()
	commands := map[string]func(*testscript.TestScript, bool, []string){}
	for name, command := range driven {
		commands[name] = func(ts *testscript.TestScript, _ bool, arguments []string) {
			ctx, _ := ts.Value("tab").(context.Context)
			command(&tab{ts, ctx}, arguments)
		}
	}
	testscript.Run(t, testscript.Params{Dir: folder, Setup: setUp, Cmds: commands})
}

// setUp reserves an address for the sandbox, and opens an empty tab.
func setUp(env *testscript.Env) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := listener.Addr().String()
	tests, err := filepath.Abs("testdata")
	for name, value := range map[string]string{
		"MODELCATALOGUE_SANDBOX_LISTEN": address,
		"URL":                           "http://" + address,
		"PATH":                          strings.Join([]string{tests + "/bin", scratch, os.Getenv("PATH")}, ":"),
		"TESTS":                         tests,
		"MAIN":                          "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01",
		"WIND":                          "270c0fa6-6a8c-4874-8f76-da0680bcda61",
	} {
		env.Setenv(name, value)
	}
	tb, _ := env.T().(testing.TB)
	env.Values["tab"] = newTab(tb)
	return errors.Join(err, listener.Close())
}
