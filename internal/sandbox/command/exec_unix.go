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

// attributes are the attributes of every command.
var attributes syscall.SysProcAttr

// job is the command with all processes it starts. At a terminal it stays in this process group: only the foreground
// group may read the terminal, and the terminal's keys signal the whole group. Without a terminal it gets its own
// group, so a signal reaches every process.
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
	// own are signals for this process alone: from its children, Go's scheduler, and failed writes.
	own   = []os.Signal{syscall.SIGCHLD, syscall.SIGURG, syscall.SIGPIPE}
	stops = []os.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}
)

// catch relays every signal that can be caught. At a terminal it never catches those that stop a job, so they stop this
// process too, and the shell notices. signal.Reset would not restore their effect.
func (j *job) catch(signals chan os.Signal) {
	left := slices.Clone(own)
	if j.terminal != nil {
		left = append(left, stops...)
	}
	if signal.Ignored(syscall.SIGHUP) { // under nohup
		left = append(left, syscall.SIGHUP)
	}
	const last = 64 // on Linux; other systems have fewer
	for number := range syscall.Signal(last) {
		if sent := number + 1; !slices.Contains(left, os.Signal(sent)) {
			signal.Notify(signals, sent)
		}
	}
}

// pass forwards a signal to the job. It continues the job, because a stopped one would not see the signal.
func (j *job) pass(sent os.Signal) {
	if (sent == syscall.SIGINT || sent == syscall.SIGQUIT) && j.isInForeground() {
		return // a key of the terminal has signalled the job, too
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

// endRest ends the remaining processes of the command's process group.
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

// statusOf returns the status as shells do: 128 plus the signal's number if a signal ended the command.
func statusOf(ended *exec.ExitError) int {
	status, ok := ended.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() { //nolint:misspell // the standard library's name
		return 128 + int(status.Signal())
	}
	return ended.ExitCode()
}
