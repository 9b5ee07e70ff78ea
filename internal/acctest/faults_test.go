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
	"strconv"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// manyBlocks are so many data sources over so many groups, each reading the
// models of its group.
func manyBlocks(blocks, groups int, id string) string {
	var text strings.Builder
	for i := range blocks {
		fmt.Fprintf(&text, "data \"modelcatalogue_model_group_models\" \"b%d\" { model_group_id = \""+id+"\" }\n", i, i%groups)
	}
	return text.String()
}

// catalogueOf is a catalogue of the owner's, of groups with one axis and three
// revisions each.
func catalogueOf(tb testing.TB, groups int) *sandbox.Catalogue {
	tb.Helper()
	const model = `{"id": "#-@", "modelGroupId": "group-#", "revision": @, "dockerImage": "registry.example/model-#:@", "axes": [
		{"key": "quantile", "kind": "static", "label": "Quantile", "type": "number", "values": [0.1, 0.5, 0.9], "default": 0.5}]}`
	var models, entries []string
	for revision := range 3 {
		models = append(models, strings.ReplaceAll(model, "@", strconv.Itoa(revision)))
	}
	entry := `{"owner": "Owner", "group": {"id": "group-#", "name": "Group #", "public": true}, "models": [` +
		strings.Join(models, ",") + `]}`
	for i := range groups {
		entries = append(entries, strings.ReplaceAll(entry, "#", strconv.Itoa(i)))
	}
	catalogue, err := sandbox.ParseCatalogue(strings.NewReader(fmt.Sprintf(
		`{"organisations": [{"name": "Owner", "clientId": %q, "clientSecret": %q}], "modelGroups": [%s]}`,
		owner.id, owner.secret, strings.Join(entries, ","))))
	if err != nil {
		tb.Fatal(err)
	}
	return catalogue
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestAccAWrongSecretCostsOneTokenRequest(t *testing.T) {
	t.Parallel()
	const blocks = 100
	// The longest name of a data source, and ids as the service has them.
	config := manyBlocks(blocks, blocks, "%08d-4b8e-4f0e-9a43-2f6f5f1f8a01")
	wrong := credentials{owner.id, "not-the-secret"}
	w := newWorkspace(t, fromEnvironment(config), sandbox.New(sandbox.Default()), wrong)
	w.Colour = true // engines draw their frame only then
	out := colours.ReplaceAllString(w.expect(t, 1, "plan"), "")
	wantText(t, out, "The service said: The client id or the client secret is wrong.",
		"Status 401 Unauthorized, code invalid_client, for POST http://127.0.0.1:")
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
	wantNone(t, out, wrong.secret)
	w.sent(t, sandbox.RouteToken, 1)
	w.sent(t, sandbox.RouteAny, 1)
}

func TestAccBlocksShareRequests(t *testing.T) {
	t.Parallel()
	const blocks, groups = 200, 50
	const last = `output "last" { value = data.modelcatalogue_model_group_models.b199.models[0].id }`
	w := newWorkspace(t, fromEnvironment(manyBlocks(blocks, groups, "group-%d")+last), sandbox.New(catalogueOf(t, groups)), owner)
	wantText(t, w.expect(t, 0, "plan"), `+ last = "49-2"`)
	w.sent(t, sandbox.RouteToken, 1)
	w.sent(t, sandbox.RouteModels, groups)
	w.sent(t, sandbox.RouteAny, groups+1)
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
		inJSON, _ := json.Marshal(credential)
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
		json.NewEncoder(w).Encode(map[string]any{"access_token": oddToken, "token_type": "Bearer", "scope": echoes})
		return
	}
	if h.refuses {
		w.WriteHeader(http.StatusForbidden)
		issue := map[string]any{"field": echoes, "messages": []string{echoes}}
		json.NewEncoder(w).Encode(map[string]any{"code": echoes, "message": echoes, "data": map[string]any{"issues": []any{issue}}})
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

// TestAccNothingShowsACredential: logs at TRACE, what is printed, the plan and
// the state of a run against a service that echoes credentials.
func TestAccNothingShowsACredential(t *testing.T) {
	t.Parallel()
	for name, refuses := range map[string]bool{"a good answer": false, "a refusal": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(echoing{refuses})
			t.Cleanup(server.Close)
			w := workspaceAt(t, fromEnvironment(`
data "modelcatalogue_model_group" "this" { id = "a" }
output "name" { value = data.modelcatalogue_model_group.this.name }
`), server.URL, credentials{"northwind", oddSecret})
			log := filepath.Join(t.TempDir(), "engine.log")
			w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
			texts := map[string]string{}
			if refuses {
				texts["plan"] = w.expect(t, 1, "plan")
				wantText(t, texts["plan"], "Error: Access forbidden", "***")
			} else {
				texts["plan"] = w.expect(t, 0, "plan", "-out=tfplan")
				texts["apply"] = w.expect(t, 0, "apply", "-auto-approve")
				texts["show -json tfplan"] = w.expect(t, 0, "show", "-json", "tfplan")
				texts["show -json"] = w.expect(t, 0, "show", "-json")
				wantText(t, texts["show -json"], `"name":"b"`) // the state has what was read
				plan, err := zip.OpenReader(filepath.Join(w.Dir, "tfplan"))
				if err != nil {
					t.Fatal(err)
				}
				defer plan.Close()
				collect(t, plan, "tfplan", texts)
			}
			collect(t, os.DirFS(w.Dir), "the folder", texts)
			texts["log"] = readText(t, log)
			// The log is what it says it is.
			wantText(t, texts["log"], "[TRACE]", "GET /v1/model-group", "request_id=\"***")
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
