//go:build !windows

package tools_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReleaseRequiresAGoodSignature verifies a release that has a signed list of checksums and nothing else: only a good
// signature gets there.
func TestReleaseRequiresAGoodSignature(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "gpg", "unzip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	const (
		incomplete = "terraform-provider-modelcatalogue_1.2.3_SHA256SUMS should have the files on the left."
		refused    = "terraform-provider-modelcatalogue_1.2.3_SHA256SUMS lacks a good signature by"
		// With the case's own lines: before the key is made, and after the list is signed.
		script = `
			trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
			sign() { gpg --batch --quiet --pinentry-mode=loopback --passphrase= ${made:+"--faked-system-time=$made"} "$@"; }
			list=$folder/terraform-provider-modelcatalogue_1.2.3_SHA256SUMS
			eval "$before"
			sign --quick-generate-key test@example.invalid ed25519 sign 1d
			export GPG_FINGERPRINT=$(sign --with-colons --list-keys | awk -F: '$1 == "fpr" { print $10; exit }')
			echo "0  a" >"$list"
			sign --output "$list.sig" --detach-sign "$list"
			eval "$after"
			"$verify" "$folder" 1.2.3`
	)
	for name, test := range map[string]struct{ before, after, says string }{
		"a good key":         {"", "", incomplete},
		"an expired key":     {"made='20200101T000000!'", "", refused},
		"another key":        {"", "GPG_FINGERPRINT=another", refused},
		"a list with a line": {"", `echo "0  b" >"$list"`, refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, err := os.MkdirTemp("", "gpg") //nolint:usetesting // a short path: gpg's agent has a socket there
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-c", script)
			cmd.Env = append(os.Environ(), "GNUPGHOME="+home, "verify="+root+"/tools/verify-release.sh", "folder="+t.TempDir(),
				"before="+test.before, "after="+test.after, "made=")
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), test.says) {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}
