package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// served is a sandbox that serves until its test ends.
type served struct {
	readiness
	folder string
	printed
}

// printed is standard output, which may be read while it is written.
type printed interface{ String() string }

func startServing(t *testing.T, arguments ...string) served {
	t.Helper()
	s := served{folder: t.TempDir()}
	file := filepath.Join(s.folder, "ready.json")
	ctx, stop := context.WithCancel(t.Context())
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, append([]string{"-listen=127.0.0.1:0", "-ready-file=" + file}, arguments...), &out, io.Discard)
	}()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it does not stop")
		}
		if left, _ := os.ReadDir(s.folder); len(left) > 0 {
			t.Errorf("it left %s behind", left[0].Name())
		}
	})
	// What waits finds out whether it serves; its output is whole by then.
	waited, _, err := commanded(t, "wait", "-ready-file="+file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s.readiness); err != nil || bytes.IndexByte(text, '\n') != len(text)-1 {
		t.Fatalf("the ready file is %q: %v", text, err)
	}
	if waited != s.URL+"\n" {
		t.Errorf("wait prints %q, the sandbox is at %s", waited, s.URL)
	}
	s.printed = &out
	return s
}

// run is the program called sandbox.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	return (&program{name: "sandbox", version: "1.2.3", stdout: stdout, stderr: stderr}).run(ctx, arguments)
}

// commanded runs a command and returns what it prints.
func commanded(t *testing.T, arguments ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, problems bytes.Buffer
	err = run(t.Context(), arguments, &out, &problems)
	return out.String(), problems.String(), err
}

// token asks for one and returns the status and the body of the answer.
func (s served) token(t *testing.T) (int, string) {
	t.Helper()
	response, err := http.PostForm(s.URL+"/v1/auth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {s.ClientID}, "client_secret": {s.ClientSecret},
	})
	return answerOf(t, response, err)
}

func answerOf(t *testing.T, response *http.Response, err error) (int, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestServe(t *testing.T) {
	s := startServing(t, "-token-life=90s", "-rate-limit=2/24h", "-hide-archived")
	status, body := s.token(t)
	token := regexp.MustCompile(`"access_token":"([^"]+)".*"expires_in":90`).FindStringSubmatch(body)
	if status != 200 || token == nil {
		t.Fatalf("got %d %s", status, body)
	}
	request, err := http.NewRequest(http.MethodGet, s.URL+"/v1/model-group/"+group+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token[1])
	response, err := http.DefaultClient.Do(request)
	status, body = answerOf(t, response, err)
	if status != 200 || strings.Contains(body, `"archived":true`) || !strings.Contains(body, `"archived":false`) {
		t.Errorf("the models are %d %s", status, body)
	}
	if status, body := s.token(t); status != http.StatusTooManyRequests {
		t.Errorf("over the allowance: %d %s", status, body)
	}
	welcome := s.String()
	for _, want := range []string{
		"This is a SANDBOX of the model catalogue, not the service",
		"export MODELCATALOGUE_BASE_URL=" + s.URL + "\n",
		"export MODELCATALOGUE_CLIENT_ID=northwind MODELCATALOGUE_CLIENT_SECRET=northwind-sandbox-secret\n",
	} {
		if !strings.Contains(welcome, want) {
			t.Errorf("the welcome lacks %q:\n%s", want, welcome)
		}
	}
	curl := regexp.MustCompile(`curl -X POST (\S+)`).FindStringSubmatch(welcome)
	response, err = http.Post(curl[1], "", strings.NewReader(`{"tags": []}`))
	if status, body := answerOf(t, response, err); status != http.StatusCreated || !strings.Contains(body, `"revision":4,`) {
		t.Errorf("publishing: %d %s", status, body)
	}
}

func TestServeTakesJSONOnly(t *testing.T) {
	if status, body := startServing(t, "-token-format=json").token(t); status != 415 || !strings.Contains(body, "invalid_request") {
		t.Errorf("got %d %s", status, body)
	}
}

// What scripts read is all that is printed.
func TestServeForScripts(t *testing.T) {
	s := startServing(t, "-print-env", "-as=contoso-trading")
	want := "export MODELCATALOGUE_BASE_URL=" + s.URL + "\n" +
		"export MODELCATALOGUE_CLIENT_ID=contoso-trading MODELCATALOGUE_CLIENT_SECRET=contoso-trading-sandbox-secret\n"
	if got := s.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if s.ClientID != "contoso-trading" || s.PID != os.Getpid() || s.Sandbox == "" {
		t.Errorf("the ready file says %+v", s.readiness)
	}

	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-listen=127.0.0.1:0", "-ready-file=-"}, write, io.Discard) }()
	var line readiness
	if err := json.NewDecoder(read).Decode(&line); err != nil || !strings.HasPrefix(line.URL, "http://127.0.0.1:") {
		t.Errorf("the line says %+v, %v", line, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := startServing(t)
	folder := t.TempDir()
	const organisation = `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}],` + "\n"
	for name, text := range map[string]string{
		"broken": "{\n  \"organisations\": [,]\n}",
		"misspelt": organisation +
			`"modelGroups": [{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": 1, "docker_image": "i"}]}]}`,
		"three": organisation + `"modelGroup": [],` + "\n" +
			`"modelGroups": [{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "docker_image": "x", "revision": 0},` + "\n" +
			`{"id": "n", "revision": 0}]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fill := strings.NewReplacer(
		"FOLDER", folder, "TAKEN", taken.Addr().String(), "ADDRESS", strings.TrimPrefix(s.URL, "http://"), "MAIN", group,
	).Replace
	for arguments, want := range map[string]string{
		"-port=1":                       "there is no flag -port; -listen=127.0.0.1:8080 sets the address",
		"--rate=60":                     "there is no flag -rate; did you mean -rate-limit?",
		"-verbose":                      "there is no flag -verbose; `sandbox help` lists flags and commands",
		"publsh":                        `there is no command "publsh"; did you mean publish?`,
		"file.json":                     `there is no command "file.json"`,
		"-listen=127.0.0.1:0|file.json": `unexpected argument "file.json": a command comes before all flags`,
		"help|me":                       `there is no topic "me"; there are catalogue, compare, containers, faults, limits, scripts`,
		"schema|all":                    `unexpected argument "all"`,

		"-token-life=60":           `invalid value "60" for flag -token-life: "60" is not a time such as 60s or 1h`,
		"-token-life=-1s":          "for flag -token-life: it must not be negative",
		"-rate-limit=-1":           `"-1" is not a number of requests`,
		"-rate-limit=60/1m:leaky":  `"leaky" is no kind of counting: it must be fixed, sliding or bucket`,
		"-token-format=xml":        "it must be one of [form json any]",
		"-as=me":                   `-as is "me": the catalogue has no such client id`,
		"-unchecked":               "-unchecked is for a file of -catalogue",
		"-print-env|-ready-file=-": "both write to standard output",

		"-listen=127.0.0.1:99999": `-listen is "127.0.0.1:99999": a port from 0 to 65535 is expected`,
		"-listen=192.0.2.7:0":     `-listen is "192.0.2.7:0": 192.0.2.7 is no address of this machine`,
		"-listen=here":            `-listen is "here": an address such as 127.0.0.1:8080 is expected`,
		"-listen=TAKEN":           "is in use by another program. Take a free port by -listen=127.0.0.1:0",
		"-listen=ADDRESS":         "is in use: a sandbox serves there already. Use that one, at http://ADDRESS, or take a free port by",
		"-listen=127.0.0.1:0|-ready-file=FOLDER/no/ready.json": "-ready-file: ",

		"-catalogue=nope.json":            "open nope.json: ",
		"-catalogue=FOLDER/broken.json":   "broken.json: line 2, column 22: organisations: invalid character ','",
		"-catalogue=FOLDER/misspelt.json": "misspelt.json: line 2, column 92: modelGroups[0].models[0].docker_image: there is no such field",
		"-catalogue=FOLDER/three.json": "three.json has 3 mistakes:\n" +
			"line 2, column 1: modelGroup: there is no such field; did you mean modelGroups?\n" +
			"line 3, column 77: modelGroups[0].models[0].docker_image: there is no such field; did you mean dockerImage?\n" +
			"line 4, column 13: modelGroups[0].models[1].revision: revision 0 is used before, at modelGroups[0].models[0].revision",

		`publish|-url=http://ADDRESS|MAIN|{"docker_image": 1}`: "column 2: docker_image: there is no such field; did you mean dockerImage?",

		"publish|-url=http://ADDRESS|nope": `No such model group: "nope".`,
		"publish":                          "GROUP is missing\n\nUsage: sandbox publish [-url URL] GROUP [FIELDS]",
		"archive|MAIN":                     "REVISION is missing",
		"revoke-tokens|all":                `unexpected argument "all"`,
		"republish|MAIN|latest":            `"latest" is no revision: a whole number from 0 on is expected (GROUP comes before REVISION)`,
		"load|nope.json":                   "open nope.json: ",
		"faults|-url=http://127.0.0.1:1":   "no sandbox answers at http://127.0.0.1:1 (connection refused). Start one with",
		"faults|-url=127.0.0.1:28752":      `-url is "127.0.0.1:28752": an address such as http://127.0.0.1:8080 is expected`,
		"faults|-url=:":                    `-url is ":"`,
		"faults|-all":                      "there is no flag -all",

		"wait|-url=http://127.0.0.1:1|-timeout=1ms": "no sandbox is ready after 1ms",
	} {
		t.Run(arguments, func(t *testing.T) {
			_, said, err := commanded(t, strings.Split(fill(arguments), "|")...)
			if err == nil {
				t.Fatalf("there is no error; it says %q", said)
			}
			if said += err.Error(); !strings.Contains(said, fill(want)) {
				t.Errorf("it says %q, want %q", said, fill(want))
			}
		})
	}
}

// The file of a sandbox that was killed is nobody's, the file of one that
// serves is its own.
func TestReadyFilesOfOthers(t *testing.T) {
	s := startServing(t)
	own := filepath.Join(s.folder, "ready.json")
	if _, _, err := commanded(t, "-listen="+strings.TrimPrefix(s.URL, "http://"), "-ready-file="+own); err == nil {
		t.Error("two sandboxes serve at one address")
	}
	if _, err := os.Stat(own); err != nil {
		t.Error(err)
	}
}

func TestUncheckedServesAnything(t *testing.T) {
	file := filepath.Join(t.TempDir(), "odd.json")
	const odd = `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}],
		"modelGroups": [{"owner": "O", "group": {"id": "g", "unheardOf": 1}, "models": [{}]}]}`
	if err := os.WriteFile(file, []byte(odd), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := startServing(t, "-unchecked", "-catalogue="+file); s.ClientID != "o" {
		t.Errorf("got %+v", s.readiness)
	}
}

func TestWelcome(t *testing.T) {
	catalogue, err := sandbox.ParseCatalogue(strings.NewReader(`{"organisations": [
		{"name": "Gone", "clientId": "gone", "clientSecret": "s", "disabled": "Unpaid."},
		{"name": "Not let", "clientId": "f", "clientSecret": "s", "forbidden": true},
		{"name": "Reader", "clientId": "reader", "clientSecret": "s"},
		{"name": "Owner", "clientId": "own", "clientSecret": "it's $1"}
	], "modelGroups": [{"owner": "Gone", "group": {"id": "x"}}, {"owner": "Owner", "group": {"id": "a/b"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	caller, err := chooseCaller(catalogue, "")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	a := announcement{
		base:      baseURL(&net.TCPAddr{IP: net.IPv6unspecified, Port: 80}, settings{}),
		catalogue: catalogue, caller: caller, set: settings{listen: "[::]:80", allowance: sandbox.Allowance{Requests: 60, Per: time.Second}},
	}
	if err := a.writeWelcome(&text); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(` {2,}`).ReplaceAllString(text.String(), "|")
	for _, want := range []string{
		"export MODELCATALOGUE_BASE_URL=http://127.0.0.1:80\n",
		"It listens on [::]:80: other machines can read it",
		"Each client may send 60 requests in any second.\n",
		"Gone|disabled: Unpaid.|gone|s\n",
		"Not let|forbidden|f|s\n",
		"Reader|owns none|reader|s\n",
		"Owner|owner of 1 group|own|it's $1\n",
		`MODELCATALOGUE_CLIENT_ID=own MODELCATALOGUE_CLIENT_SECRET='it'\''s $1'` + "\n",
		"`make install`",
		"/control/model-groups/a%2Fb/publish",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
