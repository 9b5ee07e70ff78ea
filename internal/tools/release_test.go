//go:build !windows

package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReleaseWantsAGoodSignature verifies a release that has a signed list of
// checksums and nothing else: only a good signature gets there.
func TestReleaseWantsAGoodSignature(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "gpg", "unzip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	const incomplete = "terraform-provider-modelcatalogue_1.2.3_SHA256SUMS should have the files on the left."
	for name, test := range map[string]struct{ made, signed, sums, fingerprint, says string }{
		"a good key":         {sums: "0  a\n", says: incomplete},
		"an expired key":     {made: "20200101T000000!", sums: "0  a\n", says: "no good signature"},
		"another key":        {sums: "0  a\n", fingerprint: strings.Repeat("0", 40), says: "no good signature"},
		"a list with a line": {sums: "0  a\n", signed: "0  b\n", says: "no good signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, err := os.MkdirTemp("", "gpg") //nolint:usetesting // a short path: gpg's agent has a socket there
			if err != nil {
				t.Fatal(err)
			}
			env := append(os.Environ(), "GNUPGHOME="+home)
			run := func(program string, arguments ...string) (string, error) {
				cmd := exec.CommandContext(t.Context(), program, arguments...)
				cmd.Env = env
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			t.Cleanup(func() {
				_ = exec.Command("gpgconf", "--homedir", home, "--kill", "all").Run() // the test's context is over
				_ = os.RemoveAll(home)
			})
			gpg := func(arguments ...string) string {
				t.Helper()
				if test.made != "" {
					arguments = append([]string{"--faked-system-time=" + test.made}, arguments...)
				}
				out, err := run("gpg", append([]string{"--batch", "--quiet", "--pinentry-mode=loopback", "--passphrase="}, arguments...)...)
				if err != nil {
					t.Fatalf("gpg %v: %v\n%s", arguments, err, out)
				}
				return out
			}
			folder := t.TempDir()
			list := filepath.Join(folder, "terraform-provider-modelcatalogue_1.2.3_SHA256SUMS")
			write := func(text string) {
				if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			gpg("--quick-generate-key", "test@example.invalid", "ed25519", "sign", "1d")
			if test.signed == "" {
				test.signed = test.sums
			}
			write(test.signed)
			gpg("--output", list+".sig", "--detach-sign", list)
			write(test.sums)
			if test.fingerprint == "" {
				for line := range strings.Lines(gpg("--with-colons", "--list-keys")) {
					if fields := strings.Split(line, ":"); fields[0] == "fpr" {
						test.fingerprint = fields[9]
					}
				}
			}
			env = append(env, "GPG_FINGERPRINT="+test.fingerprint)
			out, err := run("bash", root+"/tools/verify-release.sh", folder, "1.2.3")
			if err == nil || !strings.Contains(out, test.says) || (test.says != incomplete) != !strings.Contains(out, incomplete) {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}
