//go:build !windows

package main

import "syscall"

const errAddressInUse = syscall.EADDRINUSE
