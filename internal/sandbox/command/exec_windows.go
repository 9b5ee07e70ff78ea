package command

import (
	"os"
	"os/exec"
	"os/signal"
)

// job is the command. A console signals each of its processes, so nothing is forwarded.
type job struct{}

func newJob(*exec.Cmd) *job { return &job{} }

func (*job) catch(signals chan os.Signal) { signal.Notify(signals, os.Interrupt) }

func (*job) pass(os.Signal) {}

func (*job) endRest() {}

func statusOf(ended *exec.ExitError) int { return ended.ExitCode() }
