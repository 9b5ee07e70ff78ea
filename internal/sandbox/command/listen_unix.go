//go:build !windows

package command

import "syscall"

const (
	errAddressInUse  = syscall.EADDRINUSE
	errNoSuchAddress = syscall.EADDRNOTAVAIL
)
