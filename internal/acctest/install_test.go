//go:build !windows

package acctest_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestAccInstallAsPrinted follows the printed steps, from a clone and an empty home: make install and its two lines,
// the sandbox and its lines, then the README's configuration, which leaves nothing to do.
func TestAccInstallAsPrinted(t *testing.T) {
	needEngine(t)
	t.Parallel()
	clone, folder := freshClone(t), t.TempDir()
	env := emptyHome(t)
	shell := func(dir string, lines ...string) string {
		t.Helper()
		return command(t, dir, env, plainShell(), "-euc", strings.Join(lines, "\n"))
	}
	readme := readText(t, filepath.Join(clone, "README.md"))
	if !strings.Contains(readme, "\n    make install\n") {
		t.Error("the README does not say `make install`")
	}
	for _, b := range blocks(readme) {
		if b.label == "terraform" {
			writeText(t, filepath.Join(folder, "main.tf"), b.text)
		}
	}

	const makeInstall = "make install DIR='its own/mirror'"
	install := printedLines(shell(clone, makeInstall))
	if len(install) != 2 || !strings.HasPrefix(install[0], "export TF_CLI_CONFIG_FILE=") {
		t.Fatalf("make install prints the lines %q", install)
	}
	wantText(t, shell(clone, "'its own/mirror/modelcatalogue-sandbox' version"), "0.1.0")
	// make does not compile again what these tests have compiled.
	ours, theirs := filepath.Join(programs(t), sandboxProgram), filepath.Join(clone, "its own/mirror", sandboxProgram)
	if ours, theirs := flagsOf(t, ours), flagsOf(t, theirs); ours != theirs {
		t.Errorf("make install compiles with the flags\n%s\nthese tests with\n%s", theirs, ours)
	}
	wantText(t, shell(clone, "make sandbox ARGS=-help"), "-rate-limit")
	shell(clone, `eval "$(make build)"`, `test -f "$TF_CLI_CONFIG_FILE"`)
	welcome, _ := startedSandbox(t)
	exports := slices.DeleteFunc(strings.Split(welcome, "\n"), func(line string) bool { return !strings.HasPrefix(line, "export ") })
	out := shell(folder, slices.Concat(install, exports, []string{
		"terraform validate", "terraform plan", "terraform apply -auto-approve", "terraform plan -detailed-exitcode",
	})...)
	wantText(t, out, "Installed modelcatalogue/modelcatalogue v0.1.0", "The configuration is valid.", "image = \"registry.")

	wantText(t, shell(clone, "! make install PLATFORMS=linux/amd64"), "Go cannot build for linux/amd64.")
	mirror := filepath.Join(clone, "its own/mirror")
	several := regexp.MustCompile(`(?m)^ +make install (PLATFORMS=.*)\n +(terraform providers lock .*)$`).FindStringSubmatch(readme)
	shell(clone, "PATH='"+oneCompiler(t)+"':\"$PATH\" "+makeInstall+" "+several[1])
	shell(folder, strings.Replace(several[2], "MIRROR", "'"+mirror+"'", 1))
	installFromNetwork(t, mirror, env)

	// The configuration has locked another build of the same version.
	writeText(t, filepath.Join(clone, "new.go"), "package main\n\nfunc init() { println() }\n")
	wantText(t, shell(clone, makeInstall), "remove its .terraform.lock.hcl and .terraform/providers")
	shell(folder, slices.Concat([]string{"rm -r .terraform.lock.hcl .terraform/providers"}, install)...)
}

// oneCompiler returns a folder with a `go` that compiles for this platform whatever the target, which is quick.
func oneCompiler(t *testing.T) string {
	t.Helper()
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := "#!/bin/sh\ncase $1 in build | list) unset GOOS GOARCH ;; esac\nexec '" + compiler + `' "$@"`
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return bin
}

// installFromNetwork serves a mirror as a static site, and installs from it with the settings that the page prints.
func installFromNetwork(t *testing.T, mirror string, env []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return // engines elsewhere ignore SSL_CERT_FILE
	}
	site := httptest.NewTLSServer(http.FileServer(http.Dir(mirror)))
	t.Cleanup(site.Close)
	folder := t.TempDir()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: site.Certificate().Raw})
	writeText(t, filepath.Join(folder, "site.pem"), string(authority))
	for _, b := range blocks(readText(t, root+"/docs/index.md")) {
		if strings.Contains(b.text, "network_mirror") {
			settings := regexp.MustCompile(`https://.*/`).ReplaceAllString(b.text, site.URL+"/")
			writeText(t, filepath.Join(folder, "site.tfrc"), settings)
		}
	}
	writeText(t, filepath.Join(folder, "main.tf"), readText(t, root+"/examples/guides/test-your-module/first/main.tf"))
	env = append(
		slices.Clone(env),
		"SSL_CERT_FILE="+filepath.Join(folder, "site.pem"),
		"TF_CLI_CONFIG_FILE="+filepath.Join(folder, "site.tfrc"),
	)
	out := command(t, folder, env, underTest.Path, "init", "-no-color")
	wantText(t, out, "Installed modelcatalogue/modelcatalogue v0.1.0 (verified checksum)")
	lock := "terraform providers lock -net-mirror=" + site.URL + "/ -platform=darwin_arm64 modelcatalogue/modelcatalogue"
	command(t, folder, env, plainShell(), "-euc", lock)
}

// flagsOf returns the flags with which the packages of a program were compiled.
func flagsOf(t *testing.T, program string) string {
	t.Helper()
	settings := regexp.MustCompile(`(?m)^\tbuild\t.*\n`).FindAllString(command(t, "", nil, "go", "version", "-m", program), -1)
	return strings.Join(slices.DeleteFunc(settings, func(setting string) bool {
		return strings.Contains(setting, "-ldflags") || strings.Contains(setting, "vcs") // they concern linking
	}), "")
}

// printedLines returns the lines to paste: a text indents them by two spaces.
func printedLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if printed, ok := strings.CutPrefix(line, "  "); ok && !strings.HasPrefix(printed, " ") {
			lines = append(lines, strings.TrimSpace(printed))
		}
	}
	return lines
}

// freshClone copies what a clone has, but for git's own folder, which a tarball lacks: nothing that make has built.
func freshClone(t *testing.T) string {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "a clone")
	command(t, root, nil, "bash", "-euc", `mkdir "$0"; tar -cf - --exclude='./.*' --exclude=./dist . | tar -xf - -C "$0"`, clone)
	return clone
}

// emptyHome returns an environment of little more than an empty home and a PATH, on which the engine under test is
// `terraform`. Go keeps its downloads.
func emptyHome(t *testing.T) []string {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	if err := os.Symlink(underTest.Path, filepath.Join(bin, "terraform")); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"} {
		env = append(env, name+"="+strings.TrimSpace(command(t, "", nil, "go", "env", name)))
	}
	return env
}
