//go:build unix

package command

import (
	"os"
	"os/exec"
	"syscall"
)

// isolate puts the command into a process group of its own, so that a signal reaches whatever it starts. At a
// terminal it stays in this one, which the terminal signals as a whole: passed on too, Ctrl-C would arrive twice.
func isolate(cmd *exec.Cmd) (pass func(*exec.Cmd, os.Signal)) {
	cmd.SysProcAttr = withParent()
	if isTerminal(os.Stdin) {
		return func(cmd *exec.Cmd, sent os.Signal) {
			if sent != os.Interrupt {
				_ = cmd.Process.Signal(sent)
			}
		}
	}
	cmd.SysProcAttr.Setpgid = true
	return func(cmd *exec.Cmd, sent os.Signal) {
		if number, ok := sent.(syscall.Signal); ok {
			_ = syscall.Kill(-cmd.Process.Pid, number)
		}
	}
}

func isTerminal(file *os.File) bool {
	found, err := file.Stat()
	if err != nil || found.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(found, null)
}

// statusOf is the status as shells have it: 128 and the signal for a command that a signal ended.
func statusOf(ended *exec.ExitError) int {
	if status, ok := ended.Sys().(syscall.WaitStatus); ok && status.Signaled() { //nolint:misspell // the standard library's name
		return 128 + int(status.Signal())
	}
	return ended.ExitCode()
}
