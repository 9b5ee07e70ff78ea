//go:build !windows

package tools_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// Ctrl-C ends every process of a target of make, and the temporary folder goes with the last one.
func TestAnInterruptLeavesNoTemporaryFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const follow = `file=$(mktemp) && echo "$file" >"$file" && exec tail -f "$file"`
	cmd := exec.CommandContext(t.Context(), "bash", root+"/tools/tidily.sh", "bash", "-c", follow)
	cmd.Env = append(os.Environ(), "TMPDIR="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	name, _, err := bufio.NewReader(out).ReadLine()
	if err != nil || !bytes.HasPrefix(name, []byte(folder)) {
		t.Fatalf("the command made %q: %v", name, err)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the command went on after the interrupt")
	}
	// The folder goes a moment later. No limit but that of the whole test run.
	for left := []os.DirEntry{nil}; len(left) > 0; time.Sleep(time.Millisecond) {
		if left, err = os.ReadDir(folder); err != nil {
			t.Fatal(err)
		}
	}
}
