//go:build !windows

package acctest_test

import (
	"archive/zip"
	"bytes"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

var updateScripts = flag.Bool("update", false, "write into scripts what they compare with cmp")

// TestAccScripts runs the scripts of testdata/scripts.
func TestAccScripts(t *testing.T) { runScripts(t, "testdata/scripts") }

// TestAccGuideApproves runs the two jobs of the guide about new revisions.
func TestAccGuideApproves(t *testing.T) { runScripts(t, "testdata/scripts/approves") }

// TestPolicy checks plans by the policy of the guide about pins.
func TestPolicy(t *testing.T) {
	needVariable(t, conftestVariable)
	runScripts(t, "testdata/scripts/policy")
}

// TestRenovate runs Renovate with the guide's configuration.
func TestRenovate(t *testing.T) {
	needVariable(t, renovateVariable)
	runScripts(t, "testdata/scripts/renovate")
}

// Variables for the path of conftest, and of a folder with Renovate and its Node.
const (
	conftestVariable = "MODELCATALOGUE_TEST_CONFTEST"
	renovateVariable = "MODELCATALOGUE_TEST_RENOVATE"
)

// needVariable skips a test unless the variable is set.
func needVariable(t *testing.T, name string) {
	t.Helper()
	if os.Getenv(name) == "" {
		t.Skip(name + " is not set: `make policy` or `make renovate` sets it")
	}
}

// runScripts runs the scripts of a folder, each with a separate sandbox. `terraform` is the engine under test. After
// `env TF_CLI_CONFIG_FILE=$MIRROR` it installs the provider from a mirror. Scripts use the commands of testscript,
// and:
//
//	example FOLDER NAME…        makes a folder of the examples and the files that complete them, and changes to it
//	control METHOD PATH [BODY]  sends a request to a control route of the sandbox
//	sent ROUTE N                checks that the route had N requests
//	[!] says TEXT…              checks that the last program printed the texts, whatever their line breaks
//	printed PAGE TEXT           runs a guide's blocks of shell that contain the text
//	block PAGE BEGINNING        checks that the last program printed the guide's block with that beginning
//	words [TEXT]                checks that the page about errors has a row for the text, by default the printed summary
//	[!] step WORKFLOW NAME      runs the step of that name, with its variables and those of earlier steps
//	archive FILE                packs a file into FILE.zip
//	site FOLDER                 serves a folder over TLS at $SITE, and writes the authority to site.pem
//
// Conditions are opentofu, and since:TERRAFORM:OPENTOFU for engines of these versions or newer.
func runScripts(t *testing.T, folder string) {
	t.Helper()
	needEngine(t)
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                folder,
		RequireUniqueNames: true,
		UpdateScripts:      *updateScripts,
		Setup:              setUp,
		Condition:          condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"example": example, "control": control, "sent": sent, "says": says, "printed": printed,
			"block": asInBlock, "words": words, "step": step, "archive": archive, "site": site,
		},
	})
}

func setUp(env *testscript.Env) error {
	t, _ := env.T().(testing.TB)
	service := sandbox.New(sandbox.Default())
	env.Values["test"], env.Values["service"] = t, service
	project, err := filepath.Abs(root)
	env.Vars = append(env.Vars, environment(t, sandboxtest.Start(t, service), owner)...)
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"} {
		env.Setenv(name, strings.TrimSpace(command(t, "", nil, "go", "env", name)))
	}
	for name, value := range map[string]string{
		"PATH":                strings.Join([]string{env.WorkDir + "/bin", plugins + "/bin", os.Getenv("PATH")}, ":"),
		"HOME":                env.WorkDir,
		"TMPDIR":              os.TempDir(), // short, because engines create sockets there
		"TF_CLI_ARGS":         "-no-color",
		"MIRROR":              plugins + "/mirror.tfrc",
		"PLUGINS":             plugins,
		"ROOT":                project,
		"CONFTEST":            os.Getenv(conftestVariable),
		"RENOVATE":            os.Getenv(renovateVariable),
		"MAIN":                mainGroup,
		"WIND":                windGroup,
		"DIGEST":              latestDigest,
		"RUNNER_TEMP":         env.WorkDir,
		"GITHUB_ENV":          env.WorkDir + "/github-env",
		"GITHUB_PATH":         env.WorkDir + "/github-path",
		"GITHUB_OUTPUT":       env.WorkDir + "/github-output",
		"GITHUB_STEP_SUMMARY": env.WorkDir + "/github-summary",
	} {
		env.Setenv(name, value)
	}
	return err
}

func condition(text string) (bool, error) {
	name, versions, _ := strings.Cut(text, ":")
	terraform, openTofu, _ := strings.Cut(versions, ":")
	switch name {
	case "opentofu":
		return underTest.OpenTofu(), nil
	case "since":
		return isSince(terraform, openTofu), nil
	}
	return false, fmt.Errorf("unknown condition %q", text)
}

func example(ts *testscript.TestScript, _ bool, arguments []string) {
	t, _ := ts.Value("test").(testing.TB)
	folder := filepath.Join(ts.Getenv("WORK"), arguments[0])
	ts.Check(os.CopyFS(folder, configuration(t, arguments[1:]...)))
	ts.Check(ts.Chdir(folder))
}

func service(ts *testscript.TestScript) *sandbox.Sandbox {
	s, _ := ts.Value("service").(*sandbox.Sandbox)
	return s
}

func control(ts *testscript.TestScript, _ bool, arguments []string) {
	body := strings.NewReader(strings.Join(arguments[2:], " "))
	answer := httptest.NewRecorder()
	service(ts).ServeHTTP(answer, httptest.NewRequest(arguments[0], "http://127.0.0.1/control/"+arguments[1], body))
	if answer.Code >= http.StatusBadRequest {
		ts.Fatalf("%s", answer.Body)
	}
}

func sent(ts *testscript.TestScript, _ bool, arguments []string) {
	want, err := strconv.Atoi(arguments[1])
	if n := service(ts).Count(sandbox.Route(arguments[0])); err != nil || n != want {
		ts.Fatalf("%d requests were sent: %v", n, err)
	}
}

func says(ts *testscript.TestScript, unwanted bool, texts []string) {
	out := joined(ts.ReadFile("stdout") + ts.ReadFile("stderr"))
	for _, text := range texts {
		if strings.Contains(out, joined(text)) == unwanted {
			ts.Fatalf("it says %q: %t", text, unwanted)
		}
	}
}

func printed(ts *testscript.TestScript, _ bool, arguments []string) {
	found := slices.DeleteFunc(blocks(readPage(ts, arguments[0])), func(b block) bool {
		return b.label != "shell" || !strings.Contains(b.text, arguments[1])
	})
	if len(found) == 0 {
		ts.Fatalf("no such block on the page")
	}
	for _, b := range found {
		ts.Check(ts.Exec(plainShell(), "-euc", b.text))
	}
}

func step(ts *testscript.TestScript, fails bool, arguments []string) {
	tb, _ := ts.Value("test").(testing.TB)
	known := strings.NewReplacer("https://catalogue.example", ts.Getenv("MODELCATALOGUE_BASE_URL"),
		"${{ secrets.MODELCATALOGUE_CLIENT_ID }}", ts.Getenv("MODELCATALOGUE_CLIENT_ID"),
		"${{ secrets.MODELCATALOGUE_CLIENT_SECRET }}", ts.Getenv("MODELCATALOGUE_CLIENT_SECRET"))
	for _, step := range workflowSteps(tb, ts.ReadFile(arguments[0])) {
		if step["name"] != arguments[1] {
			continue
		}
		given, _ := step["env"].(map[string]any)
		for name, value := range given {
			ts.Setenv(name, known.Replace(fmt.Sprint(value)))
		}
		for _, name := range []string{"GITHUB_ENV", "GITHUB_PATH"} {
			ts.Check(os.WriteFile(ts.Getenv(name), nil, 0o600))
		}
		if err := ts.Exec(plainShell(), "-ec", fmt.Sprint(step["run"])); (err != nil) != fails {
			ts.Fatalf("the step ends with %v", err)
		}
		for line := range strings.Lines(ts.ReadFile(ts.Getenv("GITHUB_ENV"))) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			ts.Setenv(name, value)
		}
		for line := range strings.Lines(ts.ReadFile(ts.Getenv("GITHUB_PATH"))) {
			ts.Setenv("PATH", strings.TrimSpace(line)+":"+ts.Getenv("PATH"))
		}
		return
	}
	ts.Fatalf("no such step in the workflow")
}

func archive(ts *testscript.TestScript, _ bool, arguments []string) {
	var packed bytes.Buffer
	writer := zip.NewWriter(&packed)
	name := ts.MkAbs(arguments[0])
	content := fstest.MapFS{filepath.Base(name): {Mode: 0o755, Data: []byte(ts.ReadFile(name))}}
	ts.Check(errors.Join(writer.AddFS(content), writer.Close(), os.WriteFile(name+".zip", packed.Bytes(), 0o600)))
}

func site(ts *testscript.TestScript, _ bool, arguments []string) {
	server := httptest.NewTLSServer(http.FileServer(http.Dir(ts.MkAbs(arguments[0]))))
	ts.Defer(server.Close)
	ts.Setenv("SITE", server.URL)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	ts.Check(os.WriteFile(ts.MkAbs("site.pem"), authority, 0o600))
}

func readPage(ts *testscript.TestScript, name string) string {
	return ts.ReadFile(ts.Getenv("ROOT") + "/docs/guides/" + name + ".md")
}

// asInBlock compares an error with a block of a page, except for the location, which an engine prints after the
// summary.
func asInBlock(ts *testscript.TestScript, _ bool, arguments []string) {
	for _, b := range blocks(readPage(ts, arguments[0])) {
		if strings.HasPrefix(b.text, arguments[1]) {
			says(ts, false, strings.SplitN(b.text, "\n\n", 2))
			return
		}
	}
	ts.Fatalf("no such block on the page")
}

func words(ts *testscript.TestScript, _ bool, texts []string) {
	says(ts, false, texts)
	if len(texts) == 0 {
		texts = regexp.MustCompile(`(?m)^(?:│ )?Error: (.+)$`).FindStringSubmatch(ts.ReadFile("stderr"))
	}
	_, table, _ := strings.Cut(readPage(ts, "errors-and-limits"), "\n## Words of the engine\n")
	if len(texts) == 0 || !strings.Contains(table, "`"+texts[len(texts)-1]+"`") {
		ts.Fatalf("no row for %q on the page", texts)
	}
}
