//go:build !windows

package acctest_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// These tests run whole commands of an engine, with the provider as a program of
// its own: processes, signals, the environment, what is printed and what is written.

const readsGroups = "data \"modelcatalogue_model_groups\" \"all\" {}\n"

// TestAccValidateLooksAtTheBlockOnly: `validate` finds what is wrong in the
// configuration. The environment's mistakes are for the commands that use it.
func TestAccValidateLooksAtTheBlockOnly(t *testing.T) {
	t.Parallel()
	w := reading(t, readsGroups)
	w.Env = append(w.Env, "MODELCATALOGUE_CLIENT_SECRET_FILE=/nonexistent/secret")
	w.expect(t, 0, "validate")
	wantText(t, w.expect(t, 1, "plan"), "MODELCATALOGUE_CLIENT_SECRET and MODELCATALOGUE_CLIENT_SECRET_FILE are both set")
	w.sent(t, sandbox.RouteAny, 0)

	w = reading(t, readsGroups+"provider \"modelcatalogue\" {\n  max_requests = 5\n}\n")
	w.without("BASE_URL", "CLIENT_ID", "CLIENT_SECRET")
	wantText(t, w.expect(t, 1, "validate"), "Error: Invalid max_requests", "max_requests = 5")
}

// everything reads by every data source, and has every object as an output.
func everything() string {
	config := `output "specification" { value = data.modelcatalogue_model.it.output_specification }` + "\n" +
		`output "rows" { value = jsondecode(data.modelcatalogue_model.it.model_metadata).trainedOn.rows }` + "\n"
	for name, arguments := range map[string]string{
		"model_groups": "", "model_group": "id = %q", "latest_model": "model_group_id = %q", "model_group_models": "model_group_id = %q",
		"model": "model_group_id = %q\nrevision = 1", "latest_models": "", "pinned_models": "revisions = { %q = 3 }",
	} {
		block := fmt.Sprintf("data %q \"it\" {\n%s\n}\noutput %[3]q { value = data.%[1]s.it }\n", "modelcatalogue_"+name, arguments, name)
		config += strings.ReplaceAll(block, "%q", `"`+mainGroup+`"`)
	}
	return config
}

var diagnosed = regexp.MustCompile(`"severity": ?"\w+",\s*"summary": ?"([^"]*)"`)

// TestAccWholeObjects: an engine accepts every object as a whole without a warning, and
// keeps every digit. Terraform warns from 1.15 on if a part of an object is deprecated.
func TestAccWholeObjects(t *testing.T) {
	t.Parallel()
	w := reading(t, everything())
	for _, arguments := range [][]string{{"validate", "-json"}, {"apply", "-json", "-auto-approve"}} {
		out := w.expect(t, 0, arguments...)
		found := diagnosed.FindAllStringSubmatch(out, -1)
		if len(found) != strings.Count(out, `"severity"`) {
			t.Errorf("%v prints in another form:\n%s", arguments, out)
		}
		for _, diagnostic := range found {
			if diagnostic[1] != "Provider development overrides are in effect" { // the tests themselves ask for them
				t.Errorf("%v: %s\n%s", arguments, diagnostic[1], out)
			}
		}
	}
	w.expect(t, 0, "plan", "-detailed-exitcode", "-out=saved")
	for _, arguments := range [][]string{{"show", "-json"}, {"show", "-json", "saved"}} {
		out := w.expect(t, 0, arguments...)
		if !json.Valid([]byte(out)) {
			t.Errorf("%v: %.200s", arguments, out)
		}
		wantText(t, out, reviewedImage, `"value":9007199254740993`, `:1234567890123456789012345678901234567890`, `"historical":true`)
	}
}

// TestAccInterruptingAPlan sends what Ctrl-C sends, to the engine and the
// provider alike, while the service hangs. The provider would wait for a day, so
// the plan ends only if the interrupt ends it.
func TestAccInterruptingAPlan(t *testing.T) {
	needEngine(t)
	t.Parallel()
	const blocks = 3
	config := "provider \"modelcatalogue\" {\n  request_timeout = \"24h\"\n  read_timeout = \"24h\"\n}\n"
	for i := range blocks {
		config += fmt.Sprintf("data \"modelcatalogue_model_group_models\" \"b%d\" { model_group_id = \"group-%03[1]d\" }\n", i)
	}
	w := newWorkspace(t, fromEnvironment(config), sandbox.New(sandboxtest.ManyGroups(t, blocks)), owner)
	hanging, ended := make(chan struct{}, 10), make(chan struct{}, 10)
	w.service.Inject(sandbox.Fault{Route: sandbox.RouteModels, Kind: sandbox.Hang, OnRequest: func(r *http.Request) {
		hanging <- struct{}{}
		go func() {
			<-r.Context().Done()
			ended <- struct{}{}
		}()
	}})
	var out bytes.Buffer
	cmd := w.Command(t.Context(), "plan")
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	group := -cmd.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(group, syscall.SIGKILL) }) // none is left unless this failed
	for range blocks {
		select {
		case <-hanging:
		case err := <-gone:
			t.Fatalf("the plan ended by itself: %v\n%s", err, out.String())
		}
	}
	if err := syscall.Kill(group, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	// No limit but that of the whole test run: a busy machine may be slow.
	for range blocks {
		<-ended
	}
	if err := <-gone; err == nil {
		t.Error("an interrupted plan ended well")
	}
	wantText(t, out.String(), "Interrupt received.", "Error: Read interrupted")
	w.sent(t, sandbox.RouteAny, 1+blocks)
}

// Credentials that a run must not show. Tests without an engine look for other spellings of them.
const (
	oddSecret = `s3cr&t "/+?é<~> 100% zyxwvuts`
	oddToken  = `t0k/en+&=?"<>%41~abcdefghijkl`
	echoes    = oddSecret + " | " + oddToken
)

// echoing repeats the credentials in every header. It answers for the group a, with the
// credentials after the answer as well, and rejects other reads with messages that hold them.
func echoing(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{"X-Request-Id", "X-Correlation-Id", "Www-Authenticate", "Server", "Location", "Set-Cookie"} {
		w.Header().Set(name, echoes)
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodPost:
		json.NewEncoder(w).Encode(map[string]any{"access_token": oddToken, "token_type": "Bearer", "scope": echoes})
	case strings.HasSuffix(r.URL.Path, "/a"):
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		const body = `{"id":"a","name":"b"}`
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+
			"X-Request-Id: %s\r\nContent-Length: %d\r\n\r\n%s%s", echoes, len(body), body, echoes)
		_, _ = io.Copy(io.Discard, conn) // until the other side closes it
	default:
		w.WriteHeader(http.StatusForbidden)
		issue := map[string]any{"field": echoes, "messages": []string{echoes}}
		json.NewEncoder(w).Encode(map[string]any{"code": echoes, "message": echoes, "data": map[string]any{"issues": []any{issue}}})
	}
}

// TestAccNothingShowsACredential: logs at TRACE, what is printed, the plan and
// the state of a run against a service that echoes credentials.
func TestAccNothingShowsACredential(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(echoing))
	t.Cleanup(server.Close)
	w := workspaceAt(t, fromEnvironment(`
variable "group" { default = "a" }
data "modelcatalogue_model_group" "this" { id = var.group }
output "name" { value = data.modelcatalogue_model_group.this.name }
`), server.URL, credentials{"northwind", oddSecret})
	log := filepath.Join(t.TempDir(), "engine.log")
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	texts := map[string]string{
		"plan":              w.expect(t, 0, "plan", "-out=tfplan"),
		"apply":             w.expect(t, 0, "apply", "tfplan"),
		"show -json":        w.expect(t, 0, "show", "-json"),
		"a plan that fails": w.expect(t, 1, "plan", "-var=group=forbidden"),
	}
	wantText(t, texts["show -json"], `"name":"b"`) // the state has what was read
	wantText(t, texts["a plan that fails"], "Error: Access forbidden", "***")
	plan, err := zip.OpenReader(filepath.Join(w.Dir, "tfplan"))
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	collect(t, plan, "tfplan", texts)
	collect(t, os.DirFS(w.Dir), "the folder", texts)
	texts["log"] = readText(t, log)
	wantText(t, texts["log"], "[TRACE]", "GET /v1/model-group", "request_id=\"***")
	for what, text := range texts {
		for _, part := range []string{"s3cr", "zyxwvuts", "t0k", "abcdefgh"} {
			if i := strings.Index(text, part); i >= 0 {
				t.Errorf("%s shows %q: …%s…", what, part, text[max(0, i-200):min(len(text), i+100)])
				break
			}
		}
	}
}

// collect adds all files.
func collect(t *testing.T, files fs.FS, from string, texts map[string]string) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		texts[from+"/"+name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
