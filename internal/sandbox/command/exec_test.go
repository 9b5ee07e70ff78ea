//go:build unix

package command

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// hostile is the environment of somebody who uses the real service behind a proxy.
var hostile = []string{
	"MODELCATALOGUE_BASE_URL=https://real.example", "MODELCATALOGUE_CLIENT_ID=real", "MODELCATALOGUE_CLIENT_SECRET=real-secret",
	"MODELCATALOGUE_ACCESS_TOKEN=real-token", "MODELCATALOGUE_CLIENT_SECRET_FILE=/real", "MODELCATALOGUE_BASE_URL_FILE=/real",
	"MODELCATALOGUE_CA_CERTIFICATE_PEM_FILE=/real", "MODELCATALOGUE_SANDBOX_URL=https://real.example", "MODELCATALOGUE_MAX_RETRIES=7",
	"HTTP_PROXY=http://proxy.example:1", "HTTPS_PROXY=http://proxy.example:1", "NO_PROXY=corp.example",
}

func TestExec(t *testing.T) {
	tests := map[string]struct {
		arguments string // of exec, then its command
		status    int
		stdout    string
		stderr    string
	}{
		"succeeds":           {"-- / sh / -c / echo done", 0, "done\n", "reads made-up models at http://127.0.0.1:"},
		"fails":              {"sh / -c / exit 7", 7, "", ""},
		"is not there":       {"-- / no-such-command", 127, "", "no-such-command cannot be run"},
		"ends by a signal":   {"-- / sh / -c / kill -TERM $$", 143, "", ""},
		"starts others":      {"-- / sh / -c / sh -c 'echo $MODELCATALOGUE_CLIENT_ID'; (exit 5)", 5, "northwind\n", ""},
		"reads it":           {`-- / sh / -c / $PROGRAM publish ` + group + ` | grep '"revision": 4'`, 0, `  "revision": 4`, ""},
		"reads it, over TLS": {`-tls / -- / sh / -c / $PROGRAM publish ` + group + ` | grep '"revision": 4'`, 0, `  "revision": 4`, "https://"},
		"as another":         {"-as=fabrikam / -- / sh / -c / echo $MODELCATALOGUE_CLIENT_ID", 0, "fabrikam\n", "as Fabrikam"},
		"a mistake":          {"-rate-limit=x / -- / true", 2, "", "invalid value"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := built(t, append([]string{"exec"}, strings.Split(test.arguments, " / ")...)...)
			if strings.HasPrefix(name, "reads") {
				cmd.Env = append(cmd.Env, hostile...)
			}
			var problems strings.Builder
			cmd.Stderr = &problems
			out, _ := cmd.Output()
			if got := cmd.ProcessState.ExitCode(); got != test.status || !strings.HasPrefix(string(out), strings.TrimSuffix(test.stdout, "\n")) ||
				!strings.Contains(problems.String(), test.stderr) || test.stdout == "" && len(out) > 0 {
				t.Errorf("status %d, want %d: %s\n%s", got, test.status, out, problems.String())
			}
		})
	}
}

func TestExecEnvironment(t *testing.T) {
	cmd := built(t, "exec", "--", "env")
	cmd.Env = append(cmd.Env, hostile...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(strings.ToLower(line), "=")
		if strings.HasPrefix(name, "modelcatalogue_") || strings.HasSuffix(name, "_proxy") {
			ours = append(ours, line)
		}
	}
	got := strings.Join(ours, "")
	for _, want := range []string{
		"MODELCATALOGUE_BASE_URL=http://127.0.0.1:", "MODELCATALOGUE_CLIENT_ID=northwind\n", "MODELCATALOGUE_MAX_RETRIES=7\n",
		"HTTPS_PROXY=http://proxy.example:1\n", "NO_PROXY=corp.example,localhost,127.0.0.1,::1\n", "no_proxy=localhost,127.0.0.1,::1\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it has no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "real") {
		t.Errorf("it still has\n%s", got)
	}
}

// TestExecPassesSignalsOn to the command and whatever it starts, once. At the end of the output, nothing is left to write to it.
func TestExecPassesSignalsOn(t *testing.T) {
	// The job itself says that it is ready. Before that it may still have the shell's trap, which loses the signal.
	const job = `sh -c "echo ready; exec sleep 1000" & wait`
	trap := func(name string) string { return `trap "echo interrupted; exit 3" ` + name + `; ` + job }
	tests := map[string]struct {
		script string
		signal syscall.Signal
		says   string
		status int
	}{
		"Ctrl-C of a job":          {trap("INT"), syscall.SIGINT, "interrupted\n", 3},
		"the end of a job":         {trap("TERM"), syscall.SIGTERM, "interrupted\n", 3},
		"a command without a trap": {job, syscall.SIGTERM, "", 128 + 15},
		"it is killed itself":      {"echo ready; exec sleep 1000", syscall.SIGKILL, "", -1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.signal == syscall.SIGKILL && runtime.GOOS != "linux" {
				t.Skip("only Linux ends a command with whoever started it")
			}
			file := filepath.Join(t.TempDir(), "ready.json")
			cmd := built(t, "exec", "-ready-file="+file, "--", "sh", "-c", test.script)
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
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(out)
			var ended *exec.ExitError
			if err := cmd.Wait(); string(rest) != test.says || !errors.As(err, &ended) || ended.ExitCode() != test.status {
				t.Errorf("it says %q and ends with %v", rest, err)
			}
			if _, err := os.Stat(file); !os.IsNotExist(err) && test.signal != syscall.SIGKILL {
				t.Errorf("its ready file is left: %v", err)
			}
		})
	}
}

// TestRunsInAnEmptyRoot, as in a container that has only the program.
func TestRunsInAnEmptyRoot(t *testing.T) {
	if os.Getuid() != 0 || testing.Short() {
		t.Skip("only root can change the root folder")
	}
	root := t.TempDir()
	const program = "modelcatalogue-sandbox"
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(root, program), "../../../cmd/"+program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	serve := exec.CommandContext(t.Context(), "/"+program)
	serve.Dir, serve.SysProcAttr = "/", &syscall.SysProcAttr{Chroot: root}
	serve.Env = []string{
		"MODELCATALOGUE_SANDBOX_LISTEN=0.0.0.0:0", "MODELCATALOGUE_SANDBOX_HOST=localhost", "MODELCATALOGUE_SANDBOX_TLS=true",
		"MODELCATALOGUE_SANDBOX_READY_FILE=/ready.json",
	}
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Process.Signal(syscall.SIGTERM); _ = serve.Wait() })
	said := make([]byte, 1000)
	n, _ := out.Read(said)
	ready, err := os.ReadFile(filepath.Join(root, "ready.json"))
	if err != nil || !strings.Contains(string(ready), `"url":"https://localhost:`) {
		t.Errorf("%s%s %v", said[:n], ready, err)
	}
}

// TestOtherLanguages runs the guide's tests in each language that this machine has.
func TestOtherLanguages(t *testing.T) {
	const examples = "../../../examples/guides/test-your-module/"
	for file, command := range map[string][]string{
		"test_catalogue.py":     {"python3", "-m", "unittest", "discover", "-s", examples},
		"catalogue.test.mjs":    {"node", "--test", examples + "catalogue.test.mjs"},
		"_go/catalogue_test.go": {"go", "test", examples + "_go/catalogue_test.go"},
	} {
		t.Run(file, func(t *testing.T) {
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skip(err)
			}
			bin := t.TempDir()
			if err := os.Symlink(os.Args[0], filepath.Join(bin, "modelcatalogue-sandbox")); err != nil {
				t.Fatal(err)
			}
			cmd := built(t, append([]string{"exec", "--"}, command...)...)
			cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1")
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "Ran 0") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
