//go:build unix

package command

import (
	"os"
	"os/exec"
	"syscall"
)

// attributes are those of every command.
var attributes syscall.SysProcAttr

// isolate puts the command into a process group of its own, so that a signal reaches whatever it starts. At a terminal
// it stays in this group, which gets Ctrl-C as a whole, so an interrupt is not passed on.
func isolate(cmd *exec.Cmd) (pass func(*exec.Cmd, os.Signal)) {
	own := attributes
	cmd.SysProcAttr = &own
	if isTerminal(os.Stdin) {
		return func(cmd *exec.Cmd, sent os.Signal) {
			if sent != os.Interrupt {
				_ = cmd.Process.Signal(sent)
			}
		}
	}
	own.Setpgid = true
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

// statusOf returns the status as shells do: 128 and the signal's number if a signal ended the command.
func statusOf(ended *exec.ExitError) int {
	status, ok := ended.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() { //nolint:misspell // the standard library's name
		return 128 + int(status.Signal())
	}
	return ended.ExitCode()
}
