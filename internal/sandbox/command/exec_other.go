//go:build unix && !linux

package command

import "syscall"

func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
