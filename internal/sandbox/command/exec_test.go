//go:build unix

package command

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostile is the environment of a user of the real service behind a proxy.
var hostile = []string{
	"MODELCATALOGUE_BASE_URL=https://real.example",
	"MODELCATALOGUE_CLIENT_ID=real",
	"MODELCATALOGUE_CLIENT_SECRET=real-secret",
	"MODELCATALOGUE_ACCESS_TOKEN=real-token",
	"MODELCATALOGUE_CLIENT_SECRET_FILE=/real",
	"MODELCATALOGUE_BASE_URL_FILE=/real",
	"MODELCATALOGUE_CA_CERTIFICATE_PEM_FILE=/real",
	"MODELCATALOGUE_HEADERS=real-key: a",
	"modelcatalogue_client_key_pem=real",
	"MODELCATALOGUE_CLIENT_CERTIFICATE_PEM_FILE=/real",
	"MODELCATALOGUE_SANDBOX_URL=https://real.example",
	"MODELCATALOGUE_MAX_RETRIES=7",
	"HTTPS_PROXY=http://proxy.example:1",
	"NO_PROXY=corp.example",
}

// waits is a shell's wait of seconds without another process: a signal to the whole job could end or stop one.
const waits = "i=0; while [ $i != 2000000 ]; do i=$((i+1)); done"

// executed returns exec of the program without a terminal, even if the tests have one.
func executed(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	cmd := built(t, append([]string{"exec"}, arguments...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func TestExec(t *testing.T) {
	script := filepath.Join(t.TempDir(), "no-interpreter")
	if err := os.WriteFile(script, []byte("#!/no/such -e\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	const announced = " reads made-up models at http://127.0.0.1:"
	const echo = "sh / -c / echo $MODELCATALOGUE_CLIENT_ID"
	for arguments, test := range map[string]struct {
		status         int
		stdout, stderr string
	}{
		"-- / sh / -c / echo done":     {0, "done\n", "sh" + announced},
		"sh / -c / exit 7":             {7, "", announced},
		"-- / sh / -c / kill -TERM $$": {143, "", announced},
		"-- / " + echo:                 {0, "northwind\n", "as Northwind"},
		"-tls / sh / -c / test \"$MODELCATALOGUE_CA_CERTIFICATE_PEM\"": {0, "", "https://127.0.0.1:"},
		"-rate-limit=x / -- / true":                                    {2, "", "invalid value"},
		"-organisation=Fabrikam Energy / " + echo:                      {0, "fabrikam\n", "as Fabrikam"},
		"-organisation=x / -- / true":                                  {1, "", `-organisation: the catalogue has no organisation "x"; it`},
		"-- / no-such-command":                                         {127, "", `exec: "no-such-command": executable file not found`},
		"-- / terraform plan":                                          {127, "", "its arguments, leave out the quotes\n"},
		"-- / ./no-such":                                               {127, "", "fork/exec ./no-such: no such file or directory\n"},
		"-- / " + script:                                               {126, "", "the interpreter that its first line names is not there"},
		"-- / " + filepath.Dir(script):                                 {126, "", "permission denied"},
	} {
		cmd := executed(t, strings.Split(arguments, " / ")...)
		var problems strings.Builder
		cmd.Stderr = &problems
		out, _ := cmd.Output()
		said := problems.String()
		status := cmd.ProcessState.ExitCode()
		if status != test.status || string(out) != test.stdout || !strings.Contains(said, test.stderr) {
			t.Errorf("%s: status %d, want %d: %s\n%s", arguments, status, test.status, out, said)
		}
		if strings.Contains(said, announced) && status >= 126 && status <= 127 {
			t.Errorf("%s: it serves a command that does not run:\n%s", arguments, said)
		}
	}
}

func TestExecEnvironment(t *testing.T) {
	cmd := executed(t, "-host=Sandbox", "--", "env")
	cmd.Env = append(os.Environ(), hostile...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"MODELCATALOGUE_BASE_URL=http://127.0.0.1:",
		"MODELCATALOGUE_CLIENT_ID=northwind\n",
		"MODELCATALOGUE_MAX_RETRIES=7\n",
		"HTTPS_PROXY=http://proxy.example:1\n",
		"NO_PROXY=sandbox,127.0.0.1,localhost,::1,corp.example\n",
		"no_proxy=sandbox,127.0.0.1,localhost,::1,corp.example\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it has no %s in\n%s", want, out)
		}
	}
	// Of these variables only: a user's name or folder can begin so.
	if regexp.MustCompile(`(?mi)^MODELCATALOGUE_.*=(https://|/)?real`).Match(out) {
		t.Errorf("it still has\n%s", out)
	}
}

// ready starts a command, and returns its output behind the line "ready".
func ready(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("it says %q: %v", line, err)
	}
	return out
}

// TestExecPassesSignalsOn: the command and its children get a signal once. At the end of the output nothing is
// left to write to it.
func TestExecPassesSignalsOn(t *testing.T) {
	// The job itself prints "ready". Before that it may still have the shell's trap, which loses the signal.
	const waiting = `sh -c "echo ready; exec sleep 1000" & wait`
	trap := func(name string) string { return `trap "echo interrupted; exit 3" ` + name + `; ` }
	const stopped = `trap "exit 4" TERM; (until ps -o state= -p $$ | grep -q T; do :; done; echo ready) & kill -STOP $$; sleep 1000`
	type test struct {
		script string
		signal syscall.Signal
		says   string
		status int
	}
	tests := map[string]test{
		"a command without a trap": {waiting, syscall.SIGTERM, "", 128 + 15},
		"a command that stopped":   {stopped, syscall.SIGTERM, "", 4},
		"it is killed itself":      {"echo ready; exec sleep 1000", syscall.SIGKILL, "", -1},
	}
	ends := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "QUIT": syscall.SIGQUIT, "HUP": syscall.SIGHUP}
	for name, number := range ends {
		tests[name] = test{trap(name) + waiting, number, "interrupted\n", 3}
	}
	for name, number := range map[string]syscall.Signal{
		"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "ALRM": syscall.SIGALRM, "WINCH": syscall.SIGWINCH, "TSTP": syscall.SIGTSTP,
		"CONT": syscall.SIGCONT,
	} {
		tests[name] = test{trap(name) + "echo ready; " + waits, number, "interrupted\n", 3}
	}
	if signal.Ignored(syscall.SIGHUP) {
		// Under nohup the children of these tests would ignore the signal. If it is caught here, they do not.
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, syscall.SIGHUP)
		defer signal.Stop(caught)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.signal == syscall.SIGKILL && runtime.GOOS != "linux" {
				t.Skip("only Linux ends a command with the process that started it")
			}
			file := filepath.Join(t.TempDir(), "ready.json")
			cmd := executed(t, "-ready-file="+file, "--", "sh", "-c", test.script)
			out := ready(t, cmd)
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(out)
			_ = cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); string(rest) != test.says || status != test.status {
				t.Errorf("it says %q and ends with %d", rest, status)
			}
			if _, err := os.Stat(file); !os.IsNotExist(err) && test.signal != syscall.SIGKILL {
				t.Errorf("its ready file is left: %v", err)
			}
		})
	}
}

// TestTwoAtOnceAreOne: timeout(1) signals its child, and then the child's whole group.
func TestTwoAtOnceAreOne(t *testing.T) {
	var passed latest
	now := time.Now()
	var got []bool
	for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM, syscall.SIGCONT, syscall.SIGTERM} {
		got = append(got, passed.take(sent, now))
	}
	got = append(got, passed.take(syscall.SIGTERM, now.Add(time.Second)))
	if !slices.Equal(got, []bool{true, false, true, true, true}) {
		t.Errorf("they are passed on: %t", got)
	}
}

// TestGuideInPython runs the guide's test, if this machine has Python.
func TestGuideInPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	cmd := executed(t, "--", "python3", "-m", "unittest", "discover", "-s", "../../../examples/guides/test-your-module")
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Ran 2 tests") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestGuideInContainers serves with the variables of the guide's Dockerfile and compose file, asks it by the health
// check, and runs the other container's lines that read the ready file.
func TestGuideInContainers(t *testing.T) {
	text, err := os.ReadFile("../../../docs/guides/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	for _, found := range regexp.MustCompile(`(MODELCATALOGUE_SANDBOX_\w+)(?:=|: )"?([^"\s]+)`).FindAllStringSubmatch(guide, -1) {
		t.Setenv(found[1], found[2])
	}
	s := startServing(t)
	_, port, _ := strings.Cut(s.ready.URL, "https://sandbox:")
	t.Setenv("MODELCATALOGUE_SANDBOX_LISTEN", "127.0.0.1:"+port)
	_, check, _ := strings.Cut(guide, `CMD ["/modelcatalogue-sandbox", "`)
	check, _, _ = strings.Cut(check, `"]`)
	if _, said, status := commanded(t, check); status != 0 {
		t.Errorf("it is not healthy: %s", said)
	}
	_, reader, _ := strings.Cut(guide, "      - |\n")
	reader, _, _ = strings.Cut(reader, "volumes:")
	reader = strings.NewReplacer(
		"$$", "$", "/shared/sandbox.json", "'"+s.file+"'", "terraform init", "env", "terraform test", "",
	).Replace(reader)
	out, err := exec.CommandContext(t.Context(), "sh", "-euc", reader).CombinedOutput()
	for _, want := range []string{
		"MODELCATALOGUE_BASE_URL=" + s.ready.URL + "\n",
		"MODELCATALOGUE_CLIENT_SECRET=" + secret + "\n",
		"MODELCATALOGUE_CA_CERTIFICATE_PEM=-----BEGIN CERTIFICATE-----\n",
	} {
		if err != nil || port == "" || !strings.Contains(string(out), want) {
			t.Errorf("%v: it has no %s in\n%s", err, want, out)
		}
	}
}

// TestItsOwnRecordingIsStrict: the sandbox follows the document.
func TestItsOwnRecordingIsStrict(t *testing.T) {
	out, err := executed(t, "--", os.Args[0], "record", "-strict").Output()
	if err != nil || !strings.Contains(string(out), `"recorded"`) {
		t.Errorf("it ends with %v and %d bytes", err, len(out))
	}
}
