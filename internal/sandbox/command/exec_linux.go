package command

import "syscall"

// The command ends if this process is killed.
func init() { attributes.Pdeathsig = syscall.SIGTERM }
