//go:build !windows

package acctest_test

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const testGuide = "docs/guides/test-your-module.md"

// saved writes what a section of the guide about tests says to save.
func saved(t *testing.T, dir string, anchors ...string) {
	t.Helper()
	for _, b := range pages(t) {
		if name := savedName(b); b.page == testGuide && name != "" && slices.Contains(anchors, b.section) {
			writeText(t, filepath.Join(dir, name), b.text)
		}
	}
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mirrored is an environment in which init takes this provider from a folder,
// as it takes a released one from a registry.
func mirrored(t *testing.T, more ...string) []string {
	t.Helper()
	folder := t.TempDir()
	platform := run(t, "", nil, "go", "env", "GOOS") + "_" + run(t, "", nil, "go", "env", "GOARCH")
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		install := filepath.Join(folder, "mirror", host, "modelcatalogue/modelcatalogue/0.1.0", platform)
		if err := os.MkdirAll(install, 0o750); err != nil {
			t.Fatal(err)
		}
		const program = "terraform-provider-modelcatalogue"
		if err := os.Link(filepath.Join(providers(t), program), filepath.Join(install, program+"_v0.1.0")); err != nil {
			t.Fatal(err)
		}
	}
	settings, err := engine.Mirror(filepath.Join(folder, "engine.tfrc"), filepath.Join(folder, "mirror"))
	if err != nil {
		t.Fatal(err)
	}
	return engine.Environment(append(more, settings)...)
}

func run(t *testing.T, dir string, env []string, program string, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", program, arguments, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestAccGuideMocksLists runs the recipe for lists as the guide prints it.
func TestAccGuideMocksLists(t *testing.T) {
	needEngine(t)
	t.Parallel()
	underTest.needs(t, "override_module", "1.7.0", "1.8.0")
	w := engine.Workspace{Engine: underTest.Engine, Dir: t.TempDir(), Env: mirrored(t)}
	saved(t, w.Dir, "lists-and-maps")
	for _, step := range []string{"init", "test"} {
		out, err := w.Run(t.Context(), step)
		if err != nil {
			t.Fatal(err)
		}
		if step == "test" {
			wantText(t, out, "Success! 1 passed, 0 failed.")
			if strings.Contains(out, "Warning:") {
				t.Errorf("it warns:\n%s", out)
			}
		}
	}
}

// TestAccGuideJob runs the guide's CI job as it is printed, on a machine that
// has the engine and the sandbox's archive, and neither Go nor a clone. The
// variables of the environment name a real service, which must not be asked.
func TestAccGuideJob(t *testing.T) {
	needEngine(t)
	t.Parallel()
	underTest.needs(t, "the test command", "1.6.0", "1.6.0")
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the real service was asked: %s %s", r.Method, r.URL)
	}))
	t.Cleanup(other.Close)
	work, temp, bin := t.TempDir(), t.TempDir(), t.TempDir()
	saved(t, work, "in-ci")
	for _, b := range pages(t) {
		if b.page == testGuide && b.section == "test-your-module" && b.label == configuration {
			writeText(t, filepath.Join(work, "main.tf"), b.text)
		}
	}

	release := releasedSandbox(t)
	scripts := map[string]string{
		"terraform": `exec "` + underTest.Path + `" "$@"`,
		"go":        `echo "there is no Go here" >&2; exit 127`,
		// The release is not on the network yet: this has its files.
		"curl": `for last; do :; done; exec cp "` + release + `/${last##*/}" .`,
	}
	for name, script := range scripts {
		writeText(t, filepath.Join(bin, name), "#!/bin/sh\n"+script+"\n")
		if err := os.Chmod(filepath.Join(bin, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	paths := filepath.Join(temp, "paths")
	env := mirrored(t, append(engine.Service(other.URL, "real", "real-secret"),
		"TF_CLI_ARGS_test=-no-color", "RUNNER_TEMP="+temp, "GITHUB_PATH="+paths, "PATH="+bin+":/usr/bin:/bin", "HOME="+temp)...)

	workflow := readText(t, filepath.Join(work, ".github/workflows/test.yml"))
	for name, value := range workflowVariables(workflow) {
		env = append(env, name+"="+value)
	}
	var out string
	for _, script := range workflowScripts(workflow) {
		if more, err := os.ReadFile(paths); err == nil {
			env = append(env, "PATH="+strings.TrimSpace(string(more))+":"+bin+":/usr/bin:/bin")
		}
		out = run(t, work, env, "bash", "-e", "-c", script)
	}
	wantText(t, out, "Success! 4 passed, 0 failed.")
	for _, name := range []string{
		"reads_the_pinned_revision", "stops_where_the_image_is_withheld", "publish", "reads_what_was_published",
	} {
		wantText(t, out, `run "`+name+`"... pass`)
	}
	// What init says of the mirror is before that.
	if _, tested, _ := strings.Cut(out, "tests/sandbox.tftest.hcl"); strings.Contains(tested, "Warning:") {
		t.Errorf("the tests warn:\n%s", tested)
	}
	if _, err := os.Stat(filepath.Join(work, "sandbox.json")); !os.IsNotExist(err) {
		t.Errorf("the sandbox was not stopped: %v", err)
	}
}

// workflowScripts are what a workflow's steps run, in their order.
func workflowScripts(workflow string) []string {
	var scripts []string
	for _, found := range regexp.MustCompile(`(?m)^        run: \|\n((?:          .*\n)+)`).FindAllStringSubmatch(workflow, -1) {
		scripts = append(scripts, strings.ReplaceAll(found[1], "          ", ""))
	}
	return scripts
}

// workflowVariables are the variables of its steps.
func workflowVariables(workflow string) map[string]string {
	variables := map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)^          ([A-Z]+): (.*)$`).FindAllStringSubmatch(workflow, -1) {
		variables[found[1]] = found[2]
	}
	return variables
}

// releasedSandbox is a folder with the sandbox's archive for this machine, under
// the names that the job asks for, and its checksums.
func releasedSandbox(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	program := builtSandbox(t)
	name := "modelcatalogue-sandbox_0.1.0_linux_amd64.zip"
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	header := &zip.FileHeader{Name: "modelcatalogue-sandbox", Method: zip.Deflate}
	header.SetMode(0o755)
	entry, err := archive.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		t.Fatal(err)
	}
	// The list has the other platforms too.
	writeText(t, filepath.Join(folder, "modelcatalogue-sandbox_0.1.0_SHA256SUMS"),
		fmt.Sprintf("%x  modelcatalogue-sandbox_0.1.0_darwin_arm64.zip\n%x  %s\n", sha256.Sum256(nil), sum.Sum(nil), name))
	return folder
}

// builtSandbox is the sandbox's program.
func builtSandbox(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "modelcatalogue-sandbox")
	run(t, root, nil, "go", "build", "-o", program, "./cmd/modelcatalogue-sandbox")
	return program
}

// TestAccGuideCommands runs the guide's commands for a sandbox as they are
// printed.
func TestAccGuideCommands(t *testing.T) {
	needEngine(t)
	t.Parallel()
	program := builtSandbox(t)
	commands := 0
	for _, b := range pages(t) {
		if b.page != testGuide || b.label != "shell" || b.section != "publish-a-revision" && b.section != "make-it-fail" {
			continue
		}
		commands += strings.Count(b.text, "\nmodelcatalogue-sandbox ")
		service := sandbox.New(sandbox.Default())
		env := append(os.Environ(), "MODELCATALOGUE_BASE_URL="+sandboxtest.Start(t, service), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
		out := run(t, t.TempDir(), env, "bash", "-euc", b.text)
		if b.section == "publish-a-revision" {
			wantText(t, out, `registry.example/model:2.0.0`)
		}
	}
	if commands < 15 {
		t.Errorf("only %d commands were run", commands)
	}
}

// TestAccGuideSandboxCatalogue: the catalogue that the guide prints is one that
// the sandbox takes, line by line.
func TestAccGuideSandboxCatalogue(t *testing.T) {
	t.Parallel()
	for _, b := range pages(t) {
		if b.page == testGuide && b.label == "json" {
			if _, err := sandbox.ReadCatalogue(strings.NewReader(b.text)); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("the guide prints no catalogue")
}
