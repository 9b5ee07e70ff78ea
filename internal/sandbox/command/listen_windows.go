package command

import "syscall"

// WSAEADDRINUSE and WSAEADDRNOTAVAIL: package syscall has numbers of Go's own
// there.
const (
	errAddressInUse  = syscall.Errno(10048)
	errNoSuchAddress = syscall.Errno(10049)
)
