package acctest_test

import (
	"archive/zip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// fromEnvironment is a configuration whose provider takes everything from the
// environment, so that no file of a run holds the secret.
func fromEnvironment(blocks string) fs.FS {
	return fstest.MapFS{"main.tf": {Mode: 0o600, Data: []byte(`
terraform {
  required_providers {
    modelcatalogue = { source = "modelcatalogue/modelcatalogue" }
  }
}
` + blocks)}}
}

// manyBlocks are so many data sources over so many groups, each reading the
// models of its group.
func manyBlocks(blocks, groups int) string {
	var text strings.Builder
	for i := range blocks {
		fmt.Fprintf(&text, "data \"modelcatalogue_model_group_models\" \"b%d\" { model_group_id = \"group-%d\" }\n", i, i%groups)
	}
	return text.String()
}

func catalogueOf(t *testing.T, groups int) *sandbox.Catalogue {
	t.Helper()
	entries := make([]string, 0, groups)
	for i := range groups {
		entries = append(entries, fmt.Sprintf(`{"owner": "Owner", "group": {"id": "group-%d", "name": "Group %[1]d", "public": true},
			"models": [{"id": "%[1]d-1", "revision": 1}]}`, i))
	}
	text := fmt.Sprintf(`{"organisations": [{"name": "Owner", "clientId": %q, "clientSecret": %q}], "modelGroups": [%s]}`,
		acctest.Owner.ID, acctest.Owner.Secret, strings.Join(entries, ","))
	c, err := sandbox.ParseCatalogue(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestAccAWrongSecretCostsOneTokenRequest(t *testing.T) {
	needEngine(t)
	t.Parallel()
	// The longest name of a data source, and ids as the service has them.
	const blocks = 100
	var config strings.Builder
	for i := range blocks {
		fmt.Fprintf(&config, "data \"modelcatalogue_model_group_models\" \"b%d\" { model_group_id = \"%08d-4b8e-4f0e-9a43-2f6f5f1f8a01\" }\n",
			i, i)
	}
	service := sandbox.New(catalogueOf(t, 1))
	wrong := acctest.Credentials{ID: acctest.Owner.ID, Secret: "not-the-secret"}
	w := newWorkspace(t, fromEnvironment(config.String()), sandboxtest.Start(t, service), wrong)
	w.Colour = true // engines draw their frame only then
	out := colours.ReplaceAllString(w.expect(t, 1, "plan"), "")
	wantText(t, out, "The service said: The client id or the client secret is wrong.")
	wantText(t, out, "Status 401 Unauthorized, code invalid_client, for POST http://127.0.0.1:")
	failed, whole := 0, 0
	for frame := range strings.SplitAfterSeq(out, "╵\n") {
		if !strings.Contains(frame, "Error: Credentials rejected") {
			continue
		}
		failed++
		_, frame, _ = strings.Cut(frame, "╷") // what follows ends its first line
		if strings.Contains(frame, "The service said: ") {
			whole++
		} else if lines := strings.Count(frame, "\n"); lines > 10 ||
			!strings.Contains(joined(frame), "The full message is in the error of") {
			t.Errorf("%d lines, want at most 10:\n%s", lines, frame)
		}
	}
	if whole != 1 || failed != blocks {
		t.Errorf("%d errors for %d blocks, %d of them in full:\n%s", failed, blocks, whole, out)
	}
	if strings.Contains(out, "not-the-secret") {
		t.Errorf("the secret is shown:\n%s", out)
	}
	if tokens, all := service.Count(sandbox.RouteToken), service.Count(sandbox.RouteAny); tokens != 1 || all != 1 {
		t.Errorf("%d token requests of %d requests, want 1 of 1", tokens, all)
	}
}

func TestAccBlocksShareRequests(t *testing.T) {
	needEngine(t)
	t.Parallel()
	const blocks, groups = 200, 50
	service := sandbox.New(catalogueOf(t, groups))
	const last = `output "last" { value = data.modelcatalogue_model_group_models.b199.models[0].id }`
	w := newWorkspace(t, fromEnvironment(manyBlocks(blocks, groups)+last), sandboxtest.Start(t, service), acctest.Owner)
	wantText(t, w.expect(t, 0, "plan"), `+ last = "49-1"`)
	tokens, reads, all := service.Count(sandbox.RouteToken), service.Count(sandbox.RouteModels), service.Count(sandbox.RouteAny)
	if tokens != 1 || reads != groups || all != groups+1 {
		t.Errorf("%d token requests and %d reads of %d requests, want 1, %d and %d", tokens, reads, all, groups, groups+1)
	}
}

// Both are spelled in another way by each encoding.
const (
	oddSecret = `s3cr&t "/+?é<~> 100% zyxwvuts`
	oddToken  = `t0k/en+&=?"<>%41~abcdefghijkl`
)

// spellings lists how the two may be written.
func spellings() []string {
	var all []string
	for _, credential := range []string{oddSecret, oddToken} {
		inJSON, err := json.Marshal(credential)
		if err != nil {
			panic(err)
		}
		all = append(all, credential, url.QueryEscape(credential), url.PathEscape(credential), string(inJSON[1:len(inJSON)-1]),
			strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(credential))
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, encoding.EncodeToString([]byte(credential)))
		}
	}
	return all
}

// echoing answers well, with what it was sent in every header and in the bytes
// that follow an answer, or refuses with it in every message.
type echoing struct{ refuses bool }

func (h echoing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	echoes := strings.Join(spellings(), " | ")
	for _, name := range []string{"X-Request-Id", "X-Correlation-Id", "Www-Authenticate", "Server", "Location", "Set-Cookie"} {
		w.Header().Set(name, echoes)
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		write(w, map[string]any{"access_token": oddToken, "token_type": "Bearer", "scope": echoes})
		return
	}
	if h.refuses {
		w.WriteHeader(http.StatusForbidden)
		issue := map[string]any{"field": echoes, "messages": []string{echoes}}
		write(w, map[string]any{"code": echoes, "message": echoes, "data": map[string]any{"issues": []any{issue}}})
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	const body = `{"id":"a","name":"b"}`
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+
		"X-Request-Id: %s\r\nContent-Length: %d\r\n\r\n%s%s", echoes, len(body), body, echoes)
	_, _ = io.Copy(io.Discard, conn) // until the other side closes it
}

func write(w io.Writer, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// TestAccNothingShowsACredential: logs at TRACE, what is printed, the plan and
// the state of a run against a service that echoes credentials.
func TestAccNothingShowsACredential(t *testing.T) {
	needEngine(t)
	for name, refuses := range map[string]bool{"a good answer": false, "a refusal": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(echoing{refuses})
			t.Cleanup(server.Close)
			w := newWorkspace(t, fromEnvironment(`
data "modelcatalogue_model_group" "this" { id = "a" }
output "name" { value = data.modelcatalogue_model_group.this.name }
`), server.URL, acctest.Credentials{ID: "northwind", Secret: oddSecret})
			log := filepath.Join(t.TempDir(), "engine.log")
			w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
			texts := map[string]string{}
			if refuses {
				texts["plan"] = w.expect(t, 1, "plan")
				wantText(t, texts["plan"], "Error: Access forbidden")
				wantText(t, texts["plan"], "***")
			} else {
				texts["plan"] = w.expect(t, 0, "plan", "-out=tfplan")
				texts["apply"] = w.expect(t, 0, "apply", "-auto-approve")
				texts["show -json tfplan"] = w.show(t, "-json", "tfplan")
				texts["show -json"] = w.show(t, "-json")
				unzip(t, filepath.Join(w.Dir, "tfplan"), texts)
				if !strings.Contains(texts["show -json"], `"name":"b"`) {
					t.Errorf("the state lacks what was read: %s", texts["show -json"])
				}
			}
			texts["log"] = readText(t, log)
			// The log is what it says it is.
			for _, want := range []string{"[TRACE]", "GET /v1/model-group", "request_id=\"***"} {
				if !strings.Contains(texts["log"], want) {
					t.Errorf("the log lacks %s", want)
				}
			}
			if err := filepath.WalkDir(w.Dir, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					texts[path] = readText(t, path)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			for what, text := range texts {
				for _, spelling := range append(spellings(), "s3cr", "zyxwvuts", "t0k", "abcdefgh") {
					if i := strings.Index(text, spelling); i >= 0 {
						t.Errorf("%s shows %q: …%s…", what, spelling, text[max(0, i-200):min(len(text), i+len(spelling)+100)])
						break
					}
				}
			}
		})
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// show runs the engine's show and returns what it wrote to standard output.
func (w *workspace) show(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := w.Run(t.Context(), append([]string{"show"}, arguments...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// unzip adds the files of a saved plan.
func unzip(t *testing.T, path string, texts map[string]string) {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, file := range archive.File {
		opened, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		texts["tfplan/"+file.Name] = string(text)
	}
}
