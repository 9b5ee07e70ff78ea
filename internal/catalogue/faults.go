package catalogue

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// Fault is a failure of the network before the end of an answer.
type Fault int

// The faults of a [NetworkError]. Each has a different remedy; Go's own words add the details. This side found those
// marked permanent, and another attempt cannot change them.
const (
	Unreachable       Fault = iota // no connection could be made
	UnknownHost                    // the name of the host does not resolve
	NobodyListens                  // this machine refuses connections at a loopback address
	Broken                         // the connection was made, and broke before the answer was complete
	StreamRefused                  // the service refused to serve the request on its connection (HTTP/2)
	NotHTTP                        // the answer is not valid HTTP
	Handshake                      // the connection was made, and its TLS handshake was cut off or not answered
	ProxyFailed                    // the proxy could not be reached, or did not connect to the service
	ProxyRefused                   // permanent: it does not let the request through
	NoTLS                          // permanent: the server does not speak TLS
	CertificateWanted              // permanent: it asked for a certificate of the client, and refused what it got
	UnknownAuthority               // permanent: no trusted authority signed its certificate
	NoAuthorities                  // permanent: this machine does not have any authority that it could trust
	Expired                        // permanent: its certificate is not valid now
	OtherHost                      // permanent: its certificate is for other hosts
	Insecure                       // permanent: its certificate or its TLS is refused for any other reason
)

// Permanent reports whether every attempt would end with the same fault. UnknownHost and NobodyListens are tried once
// more (stays), because a DNS record may be about to appear, or a program to start.
func (f Fault) Permanent() bool { return f >= ProxyRefused }

// OfProxy reports whether the proxy is at fault, or the way to it.
func (f Fault) OfProxy() bool { return f == ProxyFailed || f == ProxyRefused }

// faultOf classifies the fault of an attempt, and returns its cause: err, unless the attempt was sent too often.
// net/http backs off before it resends a refused stream, so the attempt may time out first.
func (c *connections) faultOf(err error, asked bool) (fault Fault, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.refusals > 1:
		return StreamRefused, errRefused
	case c.given > maxConnections:
		return Broken, errNotServed
	}
	return faultAt(c.stage, err, asked), err
}

// faultAt classifies an error by the stage of its attempt. asked means that the server asked for a client certificate
// and has not answered since: an alert then refuses what it got.
func faultAt(stage Fault, err error, asked bool) Fault {
	switch {
	case stage == ProxyFailed:
		return ofProxy(err)
	case asked && isAlert(err, "remote error"):
		return CertificateWanted
	case stage == Handshake:
		return ofHandshake(err)
	case stage == Broken && isOdd(err):
		return NotHTTP
	case stage == Unreachable:
		return ofDial(err)
	}
	return Broken
}

// ofDial classifies an error of an attempt without a connection.
func ofDial(err error) Fault {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isDNS && dns.IsNotFound:
		return UnknownHost
	case refusedHere(err):
		return NobodyListens
	}
	return Unreachable
}

// refusedHere reports whether nothing listens at a loopback address.
func refusedHere(err error) bool {
	const onWindows = syscall.Errno(10061) // WSAECONNREFUSED, a constant only on Windows
	dial, dialled := errors.AsType[*net.OpError](err)
	if !dialled {
		return false
	}
	at, ok := dial.Addr.(*net.TCPAddr)
	return ok && at.IP.IsLoopback() && (errors.Is(dial, syscall.ECONNREFUSED) || errors.Is(dial, onWindows))
}

// ofHandshake classifies an error of a TLS handshake.
func ofHandshake(err error) Fault {
	_, isPlain := errors.AsType[tls.RecordHeaderError](err)
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, isOther := errors.AsType[x509.HostnameError](err)
	invalid, _ := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case isPlain:
		return NoTLS
	case isUnknown && trustsNobody():
		return NoAuthorities
	case isUnknown && !strings.Contains(err.Error(), "insecure algorithm"): // the authority may be known
		return UnknownAuthority
	case isOther:
		return OtherHost
	case invalid.Reason == x509.Expired:
		return Expired
	// crypto/tls lacks types for most of its own errors, such as the one about a certificate it cannot parse.
	case isAlert(err, "local error"), !ofNetwork(err):
		return Insecure
	}
	return Handshake
}

// trustsNobody reports whether this machine has no root certificates.
func trustsNobody() bool {
	roots, err := x509.SystemCertPool()
	return err != nil || roots.Equal(x509.NewCertPool())
}

// isAlert reports whether an error is a TLS alert of one side, a "local error" or a "remote error".
func isAlert(err error, side string) bool {
	alert, ok := errors.AsType[*net.OpError](err)
	return ok && alert.Op == side
}

// ofNetwork reports whether an error comes from the network or a context, not from the content.
func ofNetwork(err error) bool {
	_, is := errors.AsType[net.Error](err)
	return is || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled)
}

// isOdd reports whether this side found an answer to be invalid HTTP. net/http lacks types for most of these errors.
func isOdd(err error) bool {
	text := err.Error()
	ofFrame := strings.HasPrefix(text, "connection error: ") || strings.HasPrefix(text, "stream error: ") ||
		strings.Contains(text, "frame too large") // HTTP/2
	ofHeader := strings.Contains(text, "malformed HTTP") || strings.Contains(text, "transport connection broken")
	return (ofFrame || ofHeader) && !ofNetwork(err) && !strings.HasSuffix(text, "received from peer")
}

// issuerOf names the authority that signed an untrusted certificate. It returns "" if the server's own is self-signed,
// and for any other error.
func issuerOf(err error) string {
	unknown, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	if !isUnknown {
		return ""
	}
	of := unknown.Cert
	refused, ok := errors.AsType[*tls.CertificateVerificationError](err)
	isOwn := !ok || of.Equal(refused.UnverifiedCertificates[0])
	if isOwn && bytes.Equal(of.RawIssuer, of.RawSubject) {
		return ""
	}
	return NameOf(of.Issuer)
}

// NameOf returns the common name of a certificate's subject or issuer, or else the whole name.
func NameOf(owner pkix.Name) string { return cmp.Or(owner.CommonName, owner.String()) }

// faultText returns the text of a fault of net/http, without the quoted part of an answer that is not HTTP: it may
// contain a part of a credential.
func faultText(err error) string {
	text := strings.TrimPrefix(err.Error(), "readLoopPeekFailLocked: ")
	if isOdd(err) {
		text = strings.TrimPrefix(text, "net/http: HTTP/1.x transport connection broken: ")
		text, _, _ = strings.Cut(text, `"`)
		text = strings.TrimSuffix(text, "; got [")
	}
	return strings.TrimRight(text, " :")
}
