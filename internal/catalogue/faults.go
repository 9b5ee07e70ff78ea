package catalogue

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// Fault is what kept a whole answer from coming, as the network reports it.
type Fault int

// The faults of a [NetworkError]. Those marked permanent cannot be changed by another attempt.
const (
	Unreachable        Fault = iota // no connection could be made
	UnknownHost                     // the name of the host does not resolve
	NobodyListens                   // this machine refuses connections at a loopback address
	Broken                          // the connection was made, and broke before the answer was complete
	StreamRefused                   // the service refused to serve the request on its connection (HTTP/2)
	ProxyFailed                     // the proxy did not let the request through; permanent for most of its answers
	NoTLS                           // permanent: what answers does not speak TLS
	UnknownAuthority                // permanent: no trusted authority signed the certificate
	InvalidCertificate              // permanent: it is not valid now
	OtherHost                       // permanent: the certificate is for other hosts, or for none
	Insecure                        // permanent: any other fault of a certificate, or an alert of TLS
)

// permanent reports whether every attempt would end with the same fault. UnknownHost and NobodyListens are tried once
// more, because a record or a program may be on its way (stays).
func (f Fault) permanent() bool { return f >= NoTLS }

// faultOf classifies an error of net/http. connected says that the request had got a connection.
func faultOf(err error, connected bool) Fault {
	if ofProxy(err) {
		return ProxyFailed
	}
	if fault := ofTLS(err); fault != Unreachable {
		return fault
	}
	if errors.Is(err, errRefused) {
		return StreamRefused
	}
	if connected || broke(err) {
		return Broken
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return UnknownHost
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && refusedHere(dial) {
		return NobodyListens
	}
	return Unreachable
}

// broke reports whether a connection that was made has ended.
func broke(err error) bool {
	dial, dialled := errors.AsType[*net.OpError](err)
	return dialled && dial.Op == "read" || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// ofTLS classifies a fault of TLS or of a certificate. Any other error is Unreachable.
func ofTLS(err error) Fault {
	var certificate *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	var end *net.OpError // by an alert of the other side
	switch {
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return NoTLS
	case errors.As(err, &unknown):
		return UnknownAuthority
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return InvalidCertificate
	case errors.As(err, &host):
		return OtherHost
	case errors.As(err, &certificate), errors.As(err, &end) && end.Op == "remote error":
		return Insecure
	}
	return Unreachable
}

// refusedHere reports whether nothing listens at a loopback address.
func refusedHere(dial *net.OpError) bool {
	const onWindows = syscall.Errno(10061) // WSAECONNREFUSED, which has no constant on other systems
	at, ok := dial.Addr.(*net.TCPAddr)
	return ok && at.IP.IsLoopback() && (errors.Is(dial, syscall.ECONNREFUSED) || errors.Is(dial, onWindows))
}

// faultText returns the text of a fault of net/http, without what it quotes of an answer that is no HTTP: that may be
// a part of a credential.
func faultText(err error) string {
	if errors.Is(err, io.EOF) {
		return "the connection was closed before an answer came"
	}
	text := err.Error()
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok && unknown.Cert != nil {
		text += " " + unknown.Cert.Issuer.String()
	}
	if strings.Contains(text, "transport connection broken") || strings.Contains(text, "malformed HTTP") {
		text, _, _ = strings.Cut(text, `"`)
	}
	return strings.TrimRight(text, " :")
}
