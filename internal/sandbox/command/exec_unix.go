//go:build unix

package command

import (
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes are those of every command.
var attributes syscall.SysProcAttr

// job is the command and all processes that it starts. With a terminal it stays in this process group, because only
// the foreground group may read the terminal, and the keys of the terminal signal it as a whole. Without one it gets a
// process group of its own, so that a signal reaches all of them.
type job struct {
	cmd      *exec.Cmd
	terminal *os.File // or nil
}

func newJob(cmd *exec.Cmd) *job {
	j := &job{cmd: cmd}
	inGroup := attributes
	cmd.SysProcAttr = &inGroup
	// Standard input may be a pipe while the command reads the terminal (ssh, sudo, gpg).
	if terminal, err := os.Open("/dev/tty"); err == nil {
		j.terminal = terminal
	}
	inGroup.Setpgid = j.terminal == nil
	return j
}

var (
	// own are signals about this process: of its children, of Go's scheduler, and of a write that failed.
	own   = []os.Signal{syscall.SIGCHLD, syscall.SIGURG, syscall.SIGPIPE}
	stops = []os.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}
)

// catch sends every signal that can be caught. At a terminal those that stop a job stop this process as well, so that
// the shell sees that it has stopped. They must never be caught: signal.Reset does not give them back their effect.
func (j *job) catch(signals chan os.Signal) {
	left := slices.Clone(own)
	if j.terminal != nil {
		left = append(left, stops...)
	}
	if signal.Ignored(syscall.SIGHUP) { // by nohup
		left = append(left, syscall.SIGHUP)
	}
	const last = 64 // of Linux; other systems have fewer
	for number := range syscall.Signal(last) {
		if sent := number + 1; !slices.Contains(left, os.Signal(sent)) {
			signal.Notify(signals, sent)
		}
	}
}

// pass sends a signal to the job, and continues a job that has stopped, which would not see the signal.
func (j *job) pass(sent os.Signal) {
	if (sent == syscall.SIGINT || sent == syscall.SIGQUIT) && j.isInForeground() {
		return // it is a key of the terminal, which has signalled the job too
	}
	j.send(sent)
	if sent != syscall.SIGCONT && !slices.Contains(stops, sent) {
		j.send(syscall.SIGCONT)
	}
}

func (j *job) send(sent os.Signal) {
	if number, ok := sent.(syscall.Signal); ok && j.terminal == nil {
		_ = syscall.Kill(-j.cmd.Process.Pid, number)
		return
	}
	_ = j.cmd.Process.Signal(sent)
}

// endRest ends the processes that the command has left behind in its process group.
func (j *job) endRest() {
	if j.terminal == nil {
		j.pass(syscall.SIGTERM)
	}
}

// isInForeground reports whether the terminal's keys signal this process group.
func (j *job) isInForeground() bool {
	if j.terminal == nil {
		return false
	}
	foreground, err := unix.IoctlGetInt(int(j.terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}

// statusOf returns the status as shells do: 128 and the signal's number if a signal ended the command.
func statusOf(ended *exec.ExitError) int {
	status, ok := ended.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() { //nolint:misspell // the standard library's name
		return 128 + int(status.Signal())
	}
	return ended.ExitCode()
}
