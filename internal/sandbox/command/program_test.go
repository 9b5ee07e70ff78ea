package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const group = sandbox.MainGroup

// TestMain runs this binary as the program if RUN_AS_PROGRAM is set. The tests set it for the programs they start.
func TestMain(m *testing.M) {
	const variable = "RUN_AS_PROGRAM"
	if os.Getenv(variable) != "" {
		os.Exit(Main("1.2.3"))
	}
	sandboxtest.Unset()
	os.Setenv(variable, "1")
	os.Exit(m.Run())
}

// built returns a command to run the program in another process.
func built(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), os.Args[0], arguments...)
}

// output is for concurrent writers: the program and its command.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string { return o.text.String() }

// commanded runs the program in this process, and returns its output and its exit status.
func commanded(t *testing.T, arguments ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, problems output
	p := &program{name: "sandbox", version: "1.2.3", stdout: &out, stderr: &problems}
	status = p.exit(p.run(t.Context(), arguments))
	return out.String(), problems.String(), status
}

// served is a program serving until its test ends.
type served struct {
	ready struct {
		URL, ClientID, CACertificate string
	}
	file, welcome string
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
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
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

// TestHelp: it names every command and control route, and each flag in the help of its command and of itself.
func TestHelp(t *testing.T) {
	all, _, _ := commanded(t, "-h")
	p := &program{}
	for name, define := range p.commands() {
		if !strings.Contains(all, "modelcatalogue-sandbox "+name) {
			t.Errorf("help lacks %s", name)
		}
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		define(flags)
		flags.VisitAll(func(f *flag.Flag) {
			for _, about := range [][]string{{"help", name}, {name, "-h"}, {"help", "-" + f.Name}} {
				if got, _, _ := commanded(t, about...); !strings.Contains(got, "\n  -"+f.Name+" ") || len(got) == len(all) {
					t.Errorf("%q does not describe -%s", about, f.Name)
				}
			}
		})
	}
	for _, c := range sandbox.Controls() {
		if !strings.Contains(all, "/control/"+c.Path) {
			t.Errorf("help lacks %s", c.Path)
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
	broken := filepath.Join(t.TempDir(), "catalogue.json")
	if err := os.WriteFile(broken, []byte("{\n  \"organisations\": []\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	const unknown = ": the sandbox serves without a command, with flags such as -catalogue=FILE; the commands are catalogue, exec, help, "
	for arguments, want := range map[string]string{
		"start":                                 `unknown command "start"` + unknown,
		"":                                      `unknown command ""` + unknown,
		"help|nope":                             `unknown command "nope"` + unknown,
		"-port=8080":                            "not defined: -port (flags of the sandbox: -catalogue, -host, -listen, -rate-limit,",
		"-tls=yes":                              `invalid boolean value "yes" for -tls: must be true or false`,
		"record|-listen=1":                      "flag provided but not defined: -listen (flags of record: -strict)\n",
		"version|-x":                            "flag provided but not defined: -x (flags of version: none)\n",
		"ready|-listen=:0":                      "-listen: port 0 is any free one: give the one that the sandbox has\n",
		"ready|-listen=x":                       "-listen: address x: missing port in address",
		"-listen=28751":                         "address 28751: missing port in address. Give another address by -listen or MODEL",
		"-listen=" + running:                    "listen tcp " + running + ": bind: address already in use. Give another",
		"-host=https://x":                       `"https://x" is not a name such as sandbox, without scheme, port and path`,
		"-host=a,*":                             `"*" is not a name`,
		"-rate-limit=0/1m":                      `"0" is not a number of requests: write one of 1 or more`,
		"-token-life=-1s":                       `"-1s" is not a time`,
		"-catalogue=nope.json":                  `-catalogue: open nope.json: no such file or directory`,
		"-catalogue=" + broken:                  broken + ": line 2, column 3: organisations: must not be empty",
		"-ready-file=.|-listen=127.0.0.1:0":     "-ready-file: . exists and is not a regular file",
		"-ready-file=/no/x|-listen=127.0.0.1:0": "-ready-file: open /no/x.",
		"-rate-limit=60/1m|exec|--|true":        `unexpected argument "exec": a command comes first and its flags behind it`,
		"exec":                                  "which command? Write `exec -- COMMAND`",
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
	t.Setenv("MODELCATALOGUE_SANDBOX_STRICT", "true") // of record
	t.Setenv("MODELCATALOG_SANDBOX_TLS", "true")
	_, said, status := commanded(t)
	const want = "sandbox: MODELCATALOGUE_SANDBOX_PORT is set, but no flag reads it: the variables are " +
		"MODELCATALOGUE_SANDBOX_CATALOGUE, _HOST, _LISTEN, _ORGANISATION, "
	const end = "sandbox: MODELCATALOGUE_SANDBOX_TOKEN_LIFE is \"90\": \"90\" is not a time such as 60s or 1h\n"
	if !strings.HasPrefix(said, want) || !strings.HasSuffix(said, end) || strings.Count(said, "\n") != 3 || status != 2 {
		t.Errorf("%d, it says %s", status, said)
	}
	t.Setenv("MODELCATALOGUE_SANDBOX_CATALOGUE", "nope.json")
	const unread = `MODELCATALOGUE_SANDBOX_CATALOGUE: open nope.json: `
	if _, said, status = commanded(t, "-token-life=1s"); status != 1 || !strings.Contains(said, unread) {
		t.Errorf("%d, it says %s", status, said)
	}
}

// TestReady: an image without a shell checks by `ready` whether its sandbox serves, whatever its flags.
func TestReady(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for address, want := range map[string]string{
		startServing(t).ready.URL:                            "",
		startServing(t, "-tls", "-host=a.example").ready.URL: "",
		startServing(t, "-listen=0.0.0.0:0").ready.URL:       "",
		server.URL:           ": another server has that address\n",
		"http://127.0.0.1:1": "no sandbox answers at 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused\n",
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

// TestReadyAsksWhereTheSandboxListens, by whatever address serving takes.
func TestReadyAsksWhereTheSandboxListens(t *testing.T) {
	for listen, want := range map[string]string{
		"0.0.0.0:http": "127.0.0.1:80", ":8080": "127.0.0.1:8080", "[::]:8080": "127.0.0.1:8080", "[::1]:https": "[::1]:443",
		"127.0.0.2:1": "127.0.0.2:1",
	} {
		if got, err := addressOf(listen); got != want {
			t.Errorf("%s: %s, %v, want %s", listen, got, err, want)
		}
	}
}

// TestReadyFileFollowsNoLink planted by somebody under a predictable name.
func TestReadyFileFollowsNoLink(t *testing.T) {
	folder := t.TempDir()
	planted, victim := filepath.Join(folder, "ready.json"), filepath.Join(folder, "victim")
	err := errors.Join(
		os.WriteFile(victim, []byte("mine"), 0o600),
		os.Symlink(victim, fmt.Sprint(planted, ".", os.Getpid())),
		os.Symlink(victim, planted),
	)
	if err != nil {
		t.Skip(err)
	}
	err = (&readyLine{PID: os.Getpid()}).write(planted)
	if text, _ := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("%v, and the file is %q", err, text)
	}
}

// TestReadyGivesUp after some five seconds, even if a server takes connections and sends nothing.
func TestReadyGivesUp(t *testing.T) {
	asking.DialContext = func(context.Context, string, string) (net.Conn, error) {
		silent, _ := net.Pipe()
		return silent, nil
	}
	defer func() { asking.DialContext = nil }()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, said, status := commanded(t, "ready")
		if waited := time.Since(start); status != 1 || waited < 4*time.Second || waited > 6*time.Second {
			t.Errorf("after %s: %d, %s", waited, status, said)
		}
	})
}

// TestRecordings: a user who serves a recording learns how old it may be, and what it contradicts.
func TestRecordings(t *testing.T) {
	text := strings.Replace(string(sandbox.DefaultFile()), "{", `{"recorded": "x",`, 1)
	newest := time.Now().AddDate(0, 0, -12).Format(`"updatedAt": "` + time.RFC3339 + `"`)
	text = regexp.MustCompile(`"updatedAt": "[^"]*"`).ReplaceAllString(text, newest)
	for stated, want := range map[string]string{
		``:                     " is a recording, up to 12 days old: it lacks what the service has published since\n$",
		`"latestRevision": 7,`: `: 8 mistakes:\nline 28, column 17: modelGroups\[0].group.latestRevision: is 7, but its revisions imply 3`,
	} {
		file := filepath.Join(t.TempDir(), "catalogue.json")
		text := strings.ReplaceAll(text, `"group": {`, `"group": {`+stated)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := &program{stderr: &output{}}
		_, err := p.loadCatalogue(file)
		if said := fmt.Sprint(p.stderr); err != nil || !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("%v, it says %s", err, said)
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
	if found, err := os.Stat(s.file); err != nil || runtime.GOOS != "windows" && found.Mode() != 0o644 {
		t.Errorf("another user may not read the ready file: %v, %v", found.Mode(), err)
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
}
