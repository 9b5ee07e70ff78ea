package main

import "syscall"

// errAddressInUse is WSAEADDRINUSE: syscall.EADDRINUSE has a number of Go's own
// there.
const errAddressInUse = syscall.Errno(10048)
