package provider

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// errRefusedOnWindows is WSAECONNREFUSED, which package syscall names on Windows only.
const errRefusedOnWindows = syscall.Errno(10061)

// nobodyListens tells of a connection that was refused at a loopback address. It
// returns false where err is something else.
func (m *message) nobodyListens(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	if !ok || dial.Op != "dial" || !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, errRefusedOnWindows) {
		return false
	}
	at, ok := dial.Addr.(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() {
		return false
	}
	m.summary = summaryUnreachable
	m.cause = fmt.Sprintf("Nothing on this machine listens at %s.", at)
	m.next = "Start the service there, such as the sandbox, or check the port in base_url."
	return true
}
