package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const group = sandbox.MainGroup

// TestMain runs this binary as the program if RUN_AS_PROGRAM is set, as it is for the programs that the tests start.
func TestMain(m *testing.M) {
	const variable = "RUN_AS_PROGRAM"
	if os.Getenv(variable) != "" {
		os.Exit(Main("1.2.3"))
	}
	sandboxtest.Unset()
	os.Setenv(variable, "1")
	os.Exit(m.Run())
}

// built returns a command that runs the program in another process.
func built(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), os.Args[0], arguments...)
}

// commanded runs the program in this process, and returns its output and its exit status.
func commanded(t *testing.T, arguments ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, problems bytes.Buffer
	p := &program{name: "sandbox", version: "1.2.3", stdout: &out, stderr: &problems}
	status = p.exit(p.run(t.Context(), arguments))
	return out.String(), problems.String(), status
}

// served is a program that serves until its test ends.
type served struct {
	ready struct {
		URL, ClientID, CACertificate string
	}
	file, welcome string
	stop          func()
}

func startServing(t *testing.T, arguments ...string) *served {
	t.Helper()
	s := &served{file: filepath.Join(t.TempDir(), "ready.json")}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		p := &program{name: "sandbox", version: "1.2.3", stdout: in, stderr: io.Discard}
		err := p.run(ctx, append([]string{"-listen=127.0.0.1:0", "-ready-file=" + s.file}, arguments...))
		_ = in.Close()
		ended <- err
	}()
	s.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ended <- nil
	}
	t.Cleanup(s.stop)
	for lines := bufio.NewReader(out); !strings.Contains(s.welcome, "help` lists"); {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err, s.welcome)
		}
		s.welcome += line
	}
	text, err := os.ReadFile(s.file)
	if err == nil {
		err = json.Unmarshal(text, &s.ready)
	}
	if err != nil {
		t.Fatalf("the ready file is %q: %v", text, err)
	}
	return s
}

// TestHelp: it names every command, flag, control route and field of a fault.
func TestHelp(t *testing.T) {
	all, _, _ := commanded(t, "-h")
	var names []string
	for name := range commands() {
		names = append(names, "modelcatalogue-sandbox "+name)
	}
	for _, setup := range []command{(*program).serve, (*program).record} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		setup(&program{}, flags)
		flags.VisitAll(func(f *flag.Flag) { names = append(names, "\n  -"+f.Name+" ") })
	}
	for _, c := range sandbox.Controls() {
		names = append(names, "/control/"+c.Path)
	}
	for name := range strings.FieldsSeq("route path skip every times code message status retryAfter html delay drop hang cut headers") {
		names = append(names, "\n  "+name+" ")
	}
	for _, name := range names {
		if !strings.Contains(strings.ReplaceAll(all, "version | help", "version\n  modelcatalogue-sandbox help"), name) {
			t.Errorf("help lacks %s", name)
		}
	}
	for argument, want := range map[string]string{
		"help":      "Usage:",
		"help exec": "exec sets the provider's variables",
		"--version": "sandbox 1.2.3\n",
		"openapi":   `"openapi": "3.1.0"`,
		"schema":    "Catalogue of the model",
		"catalogue": `"clientId"`,
	} {
		if got, _, status := commanded(t, strings.Fields(argument)...); !strings.Contains(got, want) || status != 0 {
			t.Errorf("%s: %s", argument, got)
		}
	}
}

func TestMistakes(t *testing.T) {
	running := startServing(t).ready.URL[len("http://"):]
	folder := t.TempDir()
	broken := filepath.Join(folder, "catalogue.json")
	if err := os.WriteFile(broken, []byte("{\n  \"organisations\": []\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		"recod":                                 `unknown command "recod": did you mean record?` + "\n",
		"nothing":                               "unknown command \"nothing\": `help` lists all that there are\n",
		"":                                      "unknown command \"\": `help` lists all that there are\n",
		"start":                                 "unknown command \"start\": the sandbox serves without a command\n",
		"mine.json":                             `unknown command "mine.json": a catalogue file is given as -catalogue=mine.json` + "\n",
		"-port=8080":                            "unknown flag -port: did you mean -listen?\n",
		"-tls=yes":                              `invalid boolean value "yes" for -tls: must be true or false` + "\n",
		"-lisetn=1":                             "unknown flag -lisetn: did you mean -listen?\n",
		"-page-size=2":                          "unknown flag -page-size: `help` lists all that there are\n",
		"-token-format=json":                    "unknown flag -token-format: ",
		"record|-listen=1":                      "unknown flag -listen: ",
		"-listen=28751":                         `"28751" is only a port: write 127.0.0.1:28751`,
		"-listen=nowhere":                       `"nowhere" is not an address such as 127.0.0.1:8080`,
		"-listen=nowhere.invalid:1":             "cannot listen on nowhere.invalid:1: ",
		"-listen=" + running:                    "a sandbox serves there already. Give another address by -listen or MODELCATALOGUE_SANDBOX_",
		"-host=https://x":                       `"https://x" is not a name such as sandbox, without scheme, port and path`,
		"-host=a,b:80":                          `"b:80" is not a name`,
		"-rate-limit=0/1m":                      `"0" is not a number of requests: write one of 1 or more`,
		"-token-life=60":                        `"60" is not a time such as 60s or 1h`,
		"-token-life=-1s":                       `"-1s" is not a time`,
		"-catalogue=nope.json":                  `-catalogue: "nope.json" cannot be read: no such file or directory`,
		"-catalogue=" + broken:                  broken + ": line 2, column 3: organisations: must not be empty",
		"-ready-file=.|-listen=127.0.0.1:0":     "-ready-file: . exists and is not a regular file",
		"-ready-file=/no/x|-listen=127.0.0.1:0": "-ready-file: /no/x cannot be written: no such file or directory",
		"-rate-limit=60/1m|exec|--|true":        "write exec before its flags",
		"openapi|x":                             `unexpected argument "x": flags come first, and only exec and help take arguments`,
		"record|x|-url=https://c.example":       `unexpected argument "x"`,
		"exec":                                  "which command? Write `exec -- COMMAND`",
		"exec|--|-tls|terraform":                "-tls is where the command begins: write flags before --",
	} {
		_, said, status := commanded(t, strings.Split(arguments, "|")...)
		if status == 0 || !strings.Contains(said, want) {
			t.Errorf("%s: %d, %s; want %s", arguments, status, said, want)
		}
	}
}

func TestVariablesAreChecked(t *testing.T) {
	t.Setenv("MODELCATALOGUE_SANDBOX_TOKEN_LIFE", "90")
	t.Setenv("MODELCATALOGUE_SANDBOX_PORT", "5")
	t.Setenv("MODELCATALOGUE_SANDBOX_URL", "https://c.example") // of record
	t.Setenv("MODELCATALOGUE_SANDBOX_STRICT", "true")           // likewise
	_, said, status := commanded(t)
	const want = "sandbox: MODELCATALOGUE_SANDBOX_PORT is set, and no flag has that variable: " +
		"did you mean MODELCATALOGUE_SANDBOX_LISTEN?\n" +
		"sandbox: MODELCATALOGUE_SANDBOX_TOKEN_LIFE is \"90\": \"90\" is not a time such as 60s or 1h\n"
	if said != want || status != 2 {
		t.Errorf("%d, it says %s", status, said)
	}
	t.Setenv("MODELCATALOGUE_SANDBOX_CATALOGUE", "nope.json")
	const unread = `MODELCATALOGUE_SANDBOX_CATALOGUE: "nope.json" cannot be read`
	if _, said, status = commanded(t, "-token-life=1s"); status != 1 || !strings.Contains(said, unread) {
		t.Errorf("%d, it says %s", status, said)
	}
}

// TestReady: an image without a shell asks it whether its sandbox serves, however that is set up.
func TestReady(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for address, want := range map[string]string{
		startServing(t).ready.URL:                            "",
		startServing(t, "-tls", "-host=a.example").ready.URL: "",
		startServing(t, "-listen=0.0.0.0:0").ready.URL:       "",
		server.URL:           ": another server has that address\n",
		"http://127.0.0.1:1": "no sandbox answers at 127.0.0.1:1: connection refused\n",
	} {
		address = address[strings.Index(address, "://")+3:]
		t.Setenv("MODELCATALOGUE_SANDBOX_LISTEN", strings.Replace(address, "a.example", "127.0.0.1", 1))
		synctest.Test(t, func(t *testing.T) { // its waits are on the fake clock
			if _, said, status := commanded(t, "ready"); status != min(1, len(want)) || !strings.HasSuffix(said, want) {
				t.Errorf("%s: %d, %s", address, status, said)
			}
		})
	}
}

// TestReadyGivesUp: a server that takes connections and sends nothing is not waited for longer than others.
func TestReadyGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		err := askOften(t.Context(), func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			<-ctx.Done()
			return ctx.Err()
		})
		if waited := time.Since(start); waited != 5*time.Second || err == nil || err.Error() != "a request got no answer" {
			t.Errorf("after %s: %v", waited, err)
		}
	})
}

// TestAge: a user who serves a recording is told between which days it was made.
func TestAge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalogue.json")
	now := time.Now()
	days := func(n int) time.Time { return now.AddDate(0, 0, -n).Add(-time.Minute) }
	for _, test := range []struct {
		written      int // days ago
		newest, want string
	}{
		{0, days(12).Format(time.RFC3339), ", 0 to 12 days old: "},
		{-2, days(12).Format(time.RFC3339), ", 0 to 12 days old: "},
		{3, days(12).Format(time.RFC3339), ", 3 to 12 days old: "},
		{3, days(3).Format(time.RFC3339), ", 3 days old: "},
		{3, days(-5).Format(time.RFC3339), ", at least 3 days old: "},
		{3, "then", ", at least 3 days old: "},
	} {
		text := fmt.Sprintf(`{"recorded": "x", "organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}], "modelGroups": [
			{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": 1, "updatedAt": %q}]}]}`, test.newest)
		err := os.WriteFile(file, []byte(text), 0o600)
		if err == nil {
			err = os.Chtimes(file, days(test.written), days(test.written))
		}
		var said bytes.Buffer
		if err == nil {
			_, err = (&program{stderr: &said}).loadCatalogue(file)
		}
		if err != nil || !strings.Contains(said.String(), " is a recording"+test.want) {
			t.Errorf("%+v: %s, %v", test, &said, err)
		}
	}
}

// TestServesWithVariables has the settings of a container. The lines of the welcome can be pasted, because they are
// not indented.
func TestServesWithVariables(t *testing.T) {
	for name, value := range map[string]string{
		"HOST":       " LocalHost,sandbox",
		"TLS":        "true",
		"RATE_LIMIT": "60/1m:bucket",
	} {
		t.Setenv("MODELCATALOGUE_SANDBOX_"+name, value)
	}
	s := startServing(t, "-listen=0.0.0.0:0")
	if s.ready.ClientID != "northwind" || !strings.HasPrefix(s.ready.URL, "https://localhost:") {
		t.Errorf("%s serves %s", s.ready.URL, s.ready.ClientID)
	}
	if !strings.Contains(s.welcome, "-listen is 0.0.0.0:0: everyone who can reach that address can read and change these models.\n") ||
		!strings.Contains(s.welcome, "60 requests in 1m (bucket)") {
		t.Errorf("it does not say so: %s", s.welcome)
	}
	paste := strings.Join(regexp.MustCompile(`(?m)^export (?:[^'\n]|'[^']*')+$`).FindAllString(s.welcome, -1), "\n")
	const printing = `printf "$NO_PROXY $no_proxy %s" "$MODELCATALOGUE_CA_CERTIFICATE_PEM"`
	shell := exec.CommandContext(t.Context(), "sh", "-uc", paste+"\n"+printing)
	shell.Env = append(os.Environ(), "NO_PROXY=", "no_proxy=corp.example")
	const direct = "localhost,sandbox,127.0.0.1,::1,corp.example "
	out, err := shell.Output()
	if err != nil || string(out) != direct+direct+s.ready.CACertificate {
		t.Errorf("pasted is %q (%v), in\n%s", out, err, s.welcome)
	}
	t.Setenv("MODELCATALOGUE_ACCESS_TOKEN", "expired")
	t.Setenv("MODELCATALOGUE_CA_CERTIFICATE_PEM", s.ready.CACertificate)
	const rejected = "access_token (from MODELCATALOGUE_ACCESS_TOKEN)"
	if _, said, _ := commanded(t, "record", "-url="+s.ready.URL); !strings.Contains(said, rejected) {
		t.Errorf("over TLS: %s", said)
	}
}

// TestReadyFiles: a sandbox does not remove the ready file of another. TestExecPassesSignalsOn shows that it removes its own.
func TestReadyFiles(t *testing.T) {
	s := startServing(t)
	if strings.Contains(s.welcome, "everyone who") {
		t.Errorf("it warns of a loopback address: %s", s.welcome)
	}
	if found, err := os.Stat(s.file); err != nil || runtime.GOOS != "windows" && found.Mode() != 0o644 {
		t.Errorf("another user may not read it: %v, %v", found.Mode(), err)
	}
	if err := os.WriteFile(s.file, []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if text, err := os.ReadFile(s.file); string(text) != "another's" {
		t.Errorf("another's file is %q: %v", text, err)
	}
}
