//go:build !windows

package acctest_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const sandboxProgram = "modelcatalogue-sandbox"

// module returns a copy of a module of the guide about tests.
func module(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root+"/examples/guides/test-your-module/"+name)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestAccGuideJob runs the guide's CI job as it is printed, on a machine that has the engine and the sandbox's archive,
// and neither Go nor a clone. The variables of the environment name a real service, which must not be asked.
func TestAccGuideJob(t *testing.T) {
	needs(t, "the test command", "1.6.0", "1.6.0")
	t.Parallel()
	release := releasedSandbox(t)
	j := newJob(t, map[string]string{
		"go": `echo "there is no Go here" >&2; exit 127`,
		// The release is not on the network yet: this has its files.
		"curl": `for last; do :; done; case $last in
			*/releases/download/*) exec cp "` + release + `/${last##*/}" . ;;
			*) exec /usr/bin/curl "$@" ;;
		esac`,
	}, "/usr/bin:/bin")
	workflow := readText(t, filepath.Join(j.dir, "workflow.yml"))
	for _, found := range regexp.MustCompile(`(?m)^          ([A-Z]+): (.*)$`).FindAllStringSubmatch(workflow, -1) {
		j.env = append(j.env, found[1]+"="+found[2])
	}
	j.passes(t, workflowScripts(t, workflow))
}

// TestAccGuideJobFromAClone runs the job with the steps that do not need a release.
func TestAccGuideJobFromAClone(t *testing.T) {
	needs(t, "the test command", "1.6.0", "1.6.0")
	t.Parallel()
	programs(t) // the job compiles little after that
	j := newJob(t, nil, os.Getenv("PATH"))
	if err := os.Symlink(freshClone(t), filepath.Join(j.dir, "provider")); err != nil {
		t.Fatal(err)
	}
	steps := workflowScripts(t, readText(t, filepath.Join(j.dir, "workflow.yml")))
	steps[0] = workflowScripts(t, readText(t, filepath.Join(j.dir, "from-a-clone.yml")))[0]
	j.env = append(j.env, emptyHome(t)[2:]...) // the caches of Go
	j.passes(t, steps)
}

// job is a machine that runs steps of a workflow in a copy of the guide's module.
type job struct {
	dir, temp string
	path      string // the PATH of the next step
	env       []string
}

// newJob returns a machine with these scripts, and the engine as `terraform`.
func newJob(t *testing.T, scripts map[string]string, path string) *job {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the real service was asked: %s %s", r.Method, r.URL)
	}))
	t.Cleanup(other.Close)
	j := &job{dir: module(t, "module"), temp: t.TempDir()}
	// Another section's, for newer engines.
	if err := os.Remove(filepath.Join(j.dir, "tests/mocked.tftest.hcl")); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	onPath := map[string]string{"terraform": `exec "` + underTest.Path + `" "$@"`}
	maps.Copy(onPath, scripts)
	for name, script := range onPath {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	j.path = bin + ":" + path
	j.env = mirrored(t, append(engine.Service(other.URL, "real", "real-secret"), "TF_CLI_ARGS_test=-no-color",
		"HOME="+j.temp, "RUNNER_TEMP="+j.temp, "GITHUB_PATH="+j.file("path"), "GITHUB_ENV="+j.file("env"))...)
	return j
}

// file is one to which steps add lines for the steps after them.
func (j *job) file(name string) string { return filepath.Join(j.temp, name) }

// passes runs the steps, the last of which tests the module.
func (j *job) passes(t *testing.T, steps []string) {
	t.Helper()
	var out string
	for _, script := range steps {
		writeText(t, j.file("path"), "")
		writeText(t, j.file("env"), "")
		out = command(t, j.dir, append(j.env, "PATH="+j.path), plainShell(), "-ec", script)
		for line := range strings.Lines(readText(t, j.file("path"))) {
			j.path = strings.TrimSpace(line) + ":" + j.path
		}
		for line := range strings.Lines(readText(t, j.file("env"))) {
			j.env = append(j.env, strings.TrimSpace(line))
		}
	}
	wantText(t, out, "Success! 4 passed, 0 failed.",
		`run "reads_the_pinned_revision"... pass`, `run "stops_if_the_image_is_withheld"... pass`,
		`run "publish"... pass`, `run "reads_what_was_published"... pass`)
	// The warning of init about the mirror comes before that.
	_, tested, _ := strings.Cut(out, "tests/sandbox.tftest.hcl")
	wantNone(t, tested, "Warning:")
}

// releasedSandbox returns a folder with the sandbox's archive for this machine, under the names that the job asks for,
// and its checksums.
func releasedSandbox(t *testing.T) string {
	t.Helper()
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	alone := fstest.MapFS{sandboxProgram: {Mode: 0o755, Data: []byte(readText(t, filepath.Join(programs(t), sandboxProgram)))}}
	if err := errors.Join(writer.AddFS(alone), writer.Close()); err != nil {
		t.Fatal(err)
	}
	const name = "modelcatalogue-sandbox_0.1.0_linux_amd64.zip"
	folder := t.TempDir()
	writeText(t, filepath.Join(folder, name), archive.String())
	// The list has the other platforms too.
	writeText(t, filepath.Join(folder, "modelcatalogue-sandbox_0.1.0_SHA256SUMS"),
		fmt.Sprintf("%x  modelcatalogue-sandbox_0.1.0_darwin_arm64.zip\n", sha256.Sum256(nil))+
			fmt.Sprintf("%x  %s\n", sha256.Sum256(archive.Bytes()), name))
	return folder
}

// startedSandbox runs the sandbox's program until the test ends. It returns what the program prints for people, and
// what its ready file says.
func startedSandbox(t *testing.T, arguments ...string) (welcome string, ready struct{ URL, CACertificate string }) {
	t.Helper()
	program, dir := filepath.Join(programs(t), sandboxProgram), t.TempDir()
	file := filepath.Join(dir, "ready.json")
	out, err := os.Create(filepath.Join(dir, "welcome"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := engine.Command(t.Context(), program, append(arguments, "-listen=127.0.0.1:0", "-ready-file="+file)...)
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Wait(), out.Close() }) // the test's context ends it
	command(t, "", nil, "timeout", "60", "bash", "-c", `until [ -s "$0" ]; do sleep 0.1; done`, file)
	if err := json.Unmarshal([]byte(readText(t, file)), &ready); err != nil {
		t.Fatal(err)
	}
	return readText(t, out.Name()), ready
}

// shellRunsBeside has the files that blocks of shell need, by page. Others run beside the module of the guide about tests.
var shellRunsBeside = map[string]map[string]string{
	"large-catalogues.md": {"main.tf": "large-catalogues/fleet/main.tf"},
	"pin-docker-image.md": {"main.tf": "pin-docker-image/pins/main.tf", "first.tf": "pin-docker-image/pins/first.tf"},
}

// TestAccShellOfThePages runs every block of shell that the pages print. A sandbox stands in for the service, and
// programs that succeed for other test runners. Commands that need a release are left out.
func TestAccShellOfThePages(t *testing.T) {
	needEngine(t)
	t.Parallel()
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	tls.Close()
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tls.Certificate().Raw}))
	pages, err := filepath.Glob(root + "/docs/guides/*.md")
	if err != nil || len(pages) < 7 {
		t.Fatalf("%d guides: %v", len(pages), err)
	}
	for _, name := range append(pages, root+"/docs/index.md") {
		for i, b := range blocks(readText(t, name)) {
			if b.label != "shell" || strings.HasPrefix(b.text, "go install ") {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(name), i), func(t *testing.T) {
				t.Parallel()
				if strings.Contains(b.text, "terraform test") {
					needs(t, "the test command", "1.6.0", "1.6.0")
				}
				dir, url := module(t, "module"), sandboxtest.Start(t, sandbox.New(sandbox.Default()))
				for file, example := range shellRunsBeside[filepath.Base(name)] {
					writeText(t, filepath.Join(dir, file), readText(t, root+"/examples/guides/"+example))
				}
				for file, text := range map[string]string{
					"bin/terraform": "#!/bin/sh\nexec '" + underTest.Path + `' "$@"`,
					"bin/npm":       "#!/bin/true", "bin/pytest": "#!/bin/true", "bin/conftest": "#!/bin/true",
					"bin/aws": "#!/bin/true", "bin/gcloud": "#!/bin/true", "bin/rsync": "#!/bin/true",
					"ca.pem": certificate, "client-secret": owner.secret + "\n", "tests/mocked.tftest.hcl": "",
				} {
					program := filepath.Join(dir, file)
					err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700)
					if err := errors.Join(err, os.WriteFile(program, []byte(text), 0o700)); err != nil {
						t.Fatal(err)
					}
				}
				script := strings.NewReplacer("https://catalogue.example.com", url,
					"my-client-id", owner.id, "my-client-secret", owner.secret,
					"/run/secrets", dir, "60/1m", "60/1s", "=next.tfplan", "=next.tfplan || test $? = 2").Replace(b.text)
				if strings.Contains(script, "export ") {
					script += "\nterraform plan"
				}
				env := mirrored(t, append(engine.Service(url, owner.id, owner.secret), "ID="+owner.id, "SECRET="+owner.secret, "TF_VAR_pins={}",
					"PATH="+filepath.Join(dir, "bin")+":"+programs(t)+":"+os.Getenv("PATH"))...)
				if strings.Contains(script, "client-secret\"") {
					env = append(env, "MODELCATALOGUE_CLIENT_SECRET=")
				}
				command(t, dir, env, plainShell(), "-euc", "terraform init\n"+script)
			})
		}
	}
}
