package command

import "syscall"

// withParent ends the command when this process is killed.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
