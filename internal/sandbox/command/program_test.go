package command

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const group = sandbox.MainGroup

// TestMain runs this binary as the program if RUN_AS_PROGRAM is set.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_AS_PROGRAM") != "" {
		os.Exit(Main("1.2.3"))
	}
	for _, entry := range os.Environ() {
		if strings.HasPrefix(entry, "MODELCATALOGUE_") {
			name, _, _ := strings.Cut(entry, "=")
			_ = os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// built returns a command that runs the program in another process.
func built(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	cmd.Env = append(os.Environ(), "RUN_AS_PROGRAM=1", "PROGRAM="+os.Args[0])
	return cmd
}

// commanded runs the program in this process, and returns what it prints and its exit status.
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

// printed sends each text that is written.
type printed chan string

func (p printed) Write(text []byte) (int, error) {
	p <- string(text)
	return len(text), nil
}

func startServing(t *testing.T, arguments ...string) served {
	t.Helper()
	s := served{file: filepath.Join(t.TempDir(), "ready.json")}
	ctx, cancel := context.WithCancel(t.Context())
	out, ended := make(printed), make(chan error, 1)
	go func() {
		p := &program{name: "sandbox", version: "1.2.3", stdout: out, stderr: io.Discard}
		ended <- p.run(ctx, append([]string{"-listen=127.0.0.1:0", "-ready-file=" + s.file}, arguments...))
	}()
	hasEnded := false
	s.stop = func() {
		if cancel(); !hasEnded {
			hasEnded = true
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(s.stop)
	select {
	case s.welcome = <-out:
	case err := <-ended:
		t.Fatal(err)
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

// TestControlCommands: each requests its control route. The sandbox's package tests the routes.
func TestControlCommands(t *testing.T) {
	s := startServing(t)
	for command, want := range map[string]string{
		`publish|MAIN|{"dockerImage": "registry.example/model:2"}`: `"dockerImage": "registry.example/model:2"`,
		`publish|emea/power?v=1#β %41`:                             `"modelGroupId": "emea/power?v=1#β %41"`,
		`archive|MAIN|1`:                                           `"archived": true`,
		`fault|{"route": "token", "drop": true}`:                   `"id": 1`,
		`requests`:                                                 "[]\n",
		`revoke-tokens`:                                            "",
	} {
		arguments := strings.Split(strings.ReplaceAll(command, "MAIN", group), "|")
		stdout, stderr, status := commanded(t, append([]string{arguments[0], "-url=" + s.ready.URL + "/"}, arguments[1:]...)...)
		if status != 0 || stderr != "" || !strings.Contains(stdout, want) || want == "" && stdout != "" {
			t.Errorf("%s: %d, %q, %q; want %q", command, status, stdout, stderr, want)
		}
	}
}

// TestControlCommandsSpareOthers: they change nothing at the address of a real service.
func TestControlCommandsSpareOthers(t *testing.T) {
	var asked []string
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
	}))
	defer service.Close()
	t.Setenv("MODELCATALOGUE_BASE_URL", service.URL)
	_, said, _ := commanded(t, "publish", group)
	if !strings.Contains(said, service.URL+" is no sandbox") || strings.Join(asked, ",") != "GET /control/ready" {
		t.Errorf("it says %s, and asked %q", said, asked)
	}
}

func TestHelp(t *testing.T) {
	all, _, _ := commanded(t, "-h")
	new(settings).flags(flag.NewFlagSet("", flag.ContinueOnError)).VisitAll(func(f *flag.Flag) {
		if !strings.Contains(all, "\n  -"+f.Name) {
			t.Errorf("help lacks -%s", f.Name)
		}
	})
	for _, c := range commands() {
		if own, _, status := commanded(t, c.name, "-h"); !strings.Contains(all, "\n  "+c.name) || !strings.Contains(own, c.does) || status != 0 {
			t.Errorf("help lacks %s: %s", c.name, own)
		}
	}
	for topic := range strings.SplitSeq(topicNames, ", ") {
		if text, _, status := commanded(t, "help", topic); status != 0 || strings.Contains(text, "PROGRAM") || len(text) < 100 {
			t.Errorf("help %s: %s", topic, text)
		}
	}
	for argument, want := range map[string]string{
		"--version": "sandbox 1.2.3\n", "openapi": `"openapi": "3.1.0"`, "schema": "Catalogue of the model", "catalogue": `"clientId"`,
	} {
		if got, _, _ := commanded(t, argument); !strings.Contains(got, want) {
			t.Errorf("%s: %s", argument, got)
		}
	}
}

func TestMistakes(t *testing.T) {
	running := startServing(t).ready.URL
	for arguments, want := range map[string]string{
		"publich":                               "there is no command \"publich\"; `sandbox help` lists them",
		"-prot=1":                               "flag provided but not defined: -prot; `sandbox help` lists the flags",
		"-listen=nowhere":                       `-listen is "nowhere": it cannot listen there`,
		"-listen=" + running[len("http://"):]:   "address already in use). Give another address; 127.0.0.1:0 takes a free port",
		"fault|-url=" + running + "|status=500": `a JSON object is expected, such as {"route": "models", "status": 503}`,
		"-rate-limit=0/1m":                      `"0" is no number of requests: write one of 1 or more`,
		"-token-life=90":                        `invalid value "90" for flag -token-life`,
		"-as=nobody":                            "the catalogue has no such client id",
		"-catalogue=nope.json":                  "open nope.json",
		"-ready-file=.|-listen=127.0.0.1:0":     "is there already, and is no file",
		"-ready-file=/no/x|-listen=[::1]:0":     `-ready-file is "/no/x": no file can be written there (no such file or directory)`,
		"publish":                               "GROUP is missing: write `sandbox publish GROUP [FIELDS]`",
		"revoke-tokens|all":                     `unexpected argument "all"`,
		"openapi|x":                             `unexpected argument "x"`,
		"exec":                                  "COMMAND is missing",
		"help|me":                               `there is no topic "me"; there are catalogue, containers`,
		"faults|-url=http://127.0.0.1:1":        "no sandbox answers at http://127.0.0.1:1 (connection refused). Start one with",
		"faults|-url=127.0.0.1:1":               `-url is "127.0.0.1:1": an address such as`,
	} {
		_, said, status := commanded(t, strings.Split(arguments, "|")...)
		if status == 0 || !strings.Contains(said, want) {
			t.Errorf("%s: %d, %s; want %s", arguments, status, said, want)
		}
	}
	t.Setenv("MODELCATALOGUE_SANDBOX_TOKEN_LIFE", "90")
	if _, said, _ := commanded(t); !strings.Contains(said, `MODELCATALOGUE_SANDBOX_TOKEN_LIFE is "90": parse error`) {
		t.Errorf("it says %s", said)
	}
}

// TestServesWithVariables as in a container. Pasting what the welcome prints works, because it is not indented.
func TestServesWithVariables(t *testing.T) {
	for name, value := range map[string]string{"HOST": " LocalHost,sandbox", "TLS": "true", "AS": "fabrikam", "RATE_LIMIT": "60/1m:bucket"} {
		t.Setenv("MODELCATALOGUE_SANDBOX_"+name, value)
	}
	s := startServing(t, "-listen=0.0.0.0:0")
	t.Setenv("MODELCATALOGUE_CA_CERTIFICATE_PEM", s.ready.CACertificate)
	got, said, _ := commanded(t, "faults", "-url="+s.ready.URL)
	if got != "[]\n" || s.ready.ClientID != "fabrikam" || !strings.HasPrefix(s.ready.URL, "https://localhost:") {
		t.Errorf("%s serves %s: %s%s", s.ready.URL, s.ready.ClientID, got, said)
	}
	if !strings.Contains(s.welcome, "-listen is 0.0.0.0:0: whoever can reach that address can read and change these models.\n") {
		t.Errorf("it warns nobody: %s", s.welcome)
	}
	paste := strings.Join(regexp.MustCompile(`(?m)^export (?:[^'\n]|'[^']*')+$`).FindAllString(s.welcome, -1), "\n")
	out, err := exec.CommandContext(t.Context(), "sh", "-c", paste+"\n"+`printf %s "$MODELCATALOGUE_CA_CERTIFICATE_PEM"`).Output()
	if err != nil || string(out) != s.ready.CACertificate || !strings.Contains(s.welcome, "60 requests in 1m0s (bucket)") {
		t.Errorf("pasted is %q (%v), in\n%s", out, err, s.welcome)
	}
}

// TestReadyFiles: a sandbox does not remove the ready file of another. TestExecPassesSignalsOn shows that it removes its own.
func TestReadyFiles(t *testing.T) {
	s := startServing(t)
	if strings.Contains(s.welcome, "whoever") {
		t.Errorf("it warns of a loopback address: %s", s.welcome)
	}
	if err := os.WriteFile(s.file, []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if text, err := os.ReadFile(s.file); string(text) != "another's" {
		t.Errorf("another's file is %q: %v", text, err)
	}
}
