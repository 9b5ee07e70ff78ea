//go:build !windows

package acctest_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// TestAccInstallAsPrinted does what somebody does who has a clone, an empty home
// and what is printed: make install, its two lines, the sandbox and its lines,
// then the README's configuration.
func TestAccInstallAsPrinted(t *testing.T) {
	needEngine(t)
	t.Parallel()
	clone, folder := freshClone(t), t.TempDir()
	env := emptyHome(t)
	readme := readText(t, filepath.Join(clone, "README.md"))
	if !strings.Contains(readme, "\n    make install\n") {
		t.Error("the README does not say `make install`")
	}
	block := regexp.MustCompile("(?s)\n```terraform\n(terraform {.*?)\n```\n").FindStringSubmatch(readme)
	if block == nil {
		t.Fatal("the README prints no whole configuration")
	}
	if err := os.WriteFile(filepath.Join(folder, "main.tf"), []byte(block[1]), 0o600); err != nil {
		t.Fatal(err)
	}

	install := printedLines(shell(t, clone, env, "make install DIR='its own/mirror'"))
	if len(install) != 2 || !strings.HasPrefix(install[0], "export TF_CLI_CONFIG_FILE=") {
		t.Fatalf("make install prints the lines %q", install)
	}
	script := slices.Concat(install, sandboxLines(t, clone, env), []string{"terraform validate", "terraform plan"})
	out := shell(t, folder, env, strings.Join(script, "\n"))
	for _, want := range []string{"Installed modelcatalogue/modelcatalogue v0.1.0", "The configuration is valid.", "image = \"registry."} {
		wantText(t, out, want)
	}

	// Another build of the same version is not what the configuration has locked.
	if err := os.WriteFile(filepath.Join(clone, "new.go"), []byte("package main\n\nfunc init() { println() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantText(t, shell(t, clone, env, "make install DIR='its own/mirror'"), "remove its .terraform.lock.hcl first")
	shell(t, folder, env, "rm .terraform.lock.hcl\n"+strings.Join(install, "\n"))
}

// printedLines are those that a text sets apart by two spaces, to be pasted.
func printedLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if printed, ok := strings.CutPrefix(line, "  "); ok && !strings.HasPrefix(printed, " ") {
			lines = append(lines, strings.TrimSpace(printed))
		}
	}
	return lines
}

// sandboxLines starts the sandbox as make install says and returns the lines that
// it prints for the environment.
func sandboxLines(t *testing.T, clone string, env []string) []string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "sandbox")
	shell(t, clone, env, "go build -o '"+program+"' ./cmd/modelcatalogue-sandbox")
	cmd := engine.Command(t.Context(), program, "-listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the test's context ends it
	var exports []string
	for lines := bufio.NewScanner(out); len(exports) < 2 && lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, "export ") {
			exports = append(exports, line)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return exports
}

// freshClone copies what git keeps, or would.
func freshClone(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Dir = root
	listed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	for name := range strings.SplitSeq(strings.TrimRight(string(listed), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(clone, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return clone
}

// emptyHome is an environment of little more than an empty home and a PATH, on
// which the engine under test is `terraform`. Go keeps what it has downloaded.
func emptyHome(t *testing.T) []string {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	if err := os.Symlink(underTest.Path, filepath.Join(bin, "terraform")); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"}
	values, err := exec.CommandContext(t.Context(), "go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, value := range strings.Split(strings.TrimSuffix(string(values), "\n"), "\n") {
		env = append(env, names[i]+"="+value)
	}
	return env
}

// shell runs lines as they would be pasted, up to the first that fails, and
// returns all that they print.
func shell(t *testing.T, dir string, env []string, lines string) string {
	t.Helper()
	cmd := engine.Command(t.Context(), "bash", "-euc", lines)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s\n%v:\n%s", lines, err, out.String())
	}
	return out.String()
}
