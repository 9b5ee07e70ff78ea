//go:build !windows

package acctest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
)

// A container's name is no loopback host, so the sandbox serves https there.
func TestAccSandboxOverTLS(t *testing.T) {
	needEngine(t)
	t.Parallel()
	program, file := builtSandbox(t), filepath.Join(t.TempDir(), "ready.json")
	cmd := exec.CommandContext(t.Context(), program, "-listen=127.0.0.1:0", "-tls", "-host=localhost", "-ready-file="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	run(t, "", nil, program, "wait", "-ready-file="+file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ready struct{ URL, CACertificate string }
	if err := json.Unmarshal(text, &ready); err != nil || !strings.HasPrefix(ready.URL, "https://localhost:") {
		t.Fatalf("%v in %s", err, text)
	}
	w := newWorkspace(t, fromEnvironment(controlledModel), ready.URL, acctest.Owner)
	wantText(t, w.expect(t, 1, "plan"), "certificate")
	w.Env = append(w.Env, "MODELCATALOGUE_CA_CERTIFICATE_PEM="+ready.CACertificate)
	wantText(t, w.expect(t, 0, "plan"), "de-lu-day-ahead-price:1.0.3")
}

// Between two tests a reset brings back what the first one read.
func TestAccControlReset(t *testing.T) {
	c := newControlled(t, controlledModel)
	plan := func() string {
		_, changes, _ := strings.Cut(c.expect(t, 0, "plan"), "Changes to Outputs:") // reads end in any order
		return changes
	}
	first := plan()
	c.tell(t, "model-groups/"+acctest.MainGroup+"/revisions/1/republish", `{"dockerImage": "registry.example/moved:1"}`)
	c.tell(t, "organisations/northwind/disable", "")
	c.tell(t, "faults", `{"drop": true}`)
	c.tell(t, "reset", "")
	if again := plan(); again != first || first == "" {
		t.Errorf("the plan is another one:\n%s\nfirst\n%s", again, first)
	}
}
