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
	"slices"
	"strings"
	"syscall"
	"time"
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
	Handshake                       // the connection was made, and its TLS handshake was cut off or not answered
	ProxyFailed                     // the proxy could not be reached, or failed
	ProxyRefused                    // permanent: it does not let the request through
	ProxyNoTLS                      // permanent: its address is of scheme https, and it does not speak TLS
	NoTLS                           // permanent: the server does not speak TLS
	PlainHTTP                       // permanent: it speaks HTTP without TLS
	OldTLS                          // permanent: it does not support TLS 1.2 or later
	NoMethod                        // permanent: it does not share a method of TLS
	CertificateWanted               // permanent: it asked for a client certificate, and none is configured
	CertificateRefused              // permanent: it does not accept the client certificate
	WeakSignature                   // permanent: its certificate is signed by a method that is not secure
	UnknownAuthority                // permanent: no trusted authority signed the certificate
	InvalidCertificate              // permanent: it is not valid now
	OtherHost                       // permanent: it is for other hosts
	NoHost                          // permanent: it does not name a host
	WrongUse                        // permanent: it is not meant for servers
	Alert                           // permanent: it ended the handshake for any other reason
	Insecure                        // permanent: this side ended the handshake for any other reason
)

// Permanent reports whether every attempt would end with the same fault. UnknownHost and NobodyListens are tried once
// more, because a record or a program may be on its way (stays).
func (f Fault) Permanent() bool { return f >= ProxyRefused }

// OfProxy reports whether the proxy is at fault, or the way to it.
func (f Fault) OfProxy() bool { return f >= ProxyFailed && f <= ProxyNoTLS }

// faultOf classifies and returns the fault of an attempt that failed with err: err itself, unless the attempt was sent
// too often, or only its connection knows the reason. net/http waits longer and longer before it sends a refused
// stream again, so the time of the attempt may be over first. A server that ended its connection may have asked for a
// certificate.
func (c *connections) faultOf(err error) (fault Fault, cause error) {
	err = c.causeOf(err)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusals > 1 {
		return StreamRefused, errRefused
	}
	untrusted, _ := ofCertificate(err)
	return cmp.Or(ofProxy(err), untrusted, c.ofTLS(err), c.ofStage(err)), err
}

// ofStage classifies a fault without a sign of its own by how far the attempt had come.
func (c *connections) ofStage(err error) Fault {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case c.given > 0: // a handshake under way is that of another connection
		return Broken
	case c.handshaking && foundHere(err):
		return Insecure
	case c.handshaking:
		return Handshake
	case broke(err):
		return Broken
	case isDNS && dns.IsNotFound:
		return UnknownHost
	case refusedHere(err):
		return NobodyListens
	}
	return Unreachable
}

// causeOf returns the error that ended an attempt which failed with err.
func (c *connections) causeOf(err error) error {
	c.mu.Lock()
	given, asked, last := c.given, c.asked, c.last
	c.mu.Unlock()
	if given > maxConnections {
		return errNotServed
	}
	// If an alert has ended a connection before the first request, only the connection knows it. A read may write an
	// alert of this side, which takes the lock.
	if asked && last != nil && isClosed(err) {
		if _, said := last.Read(make([]byte, 1)); said != nil {
			return said
		}
	}
	return err
}

// isClosed reports whether a connection of HTTP/2 was closed when a request was to be sent. net/http does not have a
// type for this.
func isClosed(err error) bool {
	text := err.Error()
	return strings.Contains(text, "client conn could not be established") ||
		strings.Contains(text, "client conn is closed")
}

// broke reports whether a connection that was made has ended.
func broke(err error) bool {
	dial, dialled := errors.AsType[*net.OpError](err)
	return dialled && dial.Op == "read" || isEOF(err)
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// foundHere reports whether it was this side that ended a handshake. crypto/tls does not have a type for most of its
// own errors, such as a certificate that it cannot parse, so every error that is not of the network counts.
func foundHere(err error) bool {
	alert, isAlert := errors.AsType[*net.OpError](err)
	_, ofNetwork := errors.AsType[net.Error](err)
	return isAlert && alert.Op == "local error" || !ofNetwork && !isEOF(err) && !errors.Is(err, context.Canceled)
}

// The alerts of RFC 8446 §6.2 that are not merely another reason.
const (
	alertHandshakeFailure     = 40
	alertProtocolVersion      = 70
	alertInsufficientSecurity = 71
	alertInternalError        = 80
	alertCertificateRequired  = 116
)

// ofTLS classifies a fault of TLS that has a sign of its own, or an alert of the other side. Any other error is
// Unreachable.
func (c *connections) ofTLS(err error) Fault {
	odd, isOdd := errors.AsType[tls.RecordHeaderError](err)
	alert, isAlert := errors.AsType[*net.OpError](err)
	switch {
	case isOdd && string(odd.RecordHeader[:]) == "HTTP/":
		return PlainHTTP
	case isOdd:
		return NoTLS
	// The server goes on with an old version instead of sending an alert. crypto/tls does not have a type for this.
	case strings.Contains(err.Error(), "tls: server selected unsupported protocol version"):
		return OldTLS
	case !isAlert || alert.Op != "remote error":
		return Unreachable
	}
	return c.ofAlert(alert.Err.Error())
}

// ofAlert classifies an alert of the other side. crypto/tls does not export its type, so the text decides. If a
// certificate of the client is missing, servers give different reasons.
func (c *connections) ofAlert(words string) Fault {
	is := func(number uint8) bool { return words == tls.AlertError(number).Error() }
	switch {
	case is(alertProtocolVersion):
		return OldTLS
	case c.presented:
		return CertificateRefused
	case c.asked, is(alertCertificateRequired):
		return CertificateWanted
	case is(alertHandshakeFailure), is(alertInsufficientSecurity):
		return NoMethod
	case is(alertInternalError):
		return Handshake
	}
	return Alert
}

// ofCertificate classifies a fault of a certificate, and returns the certificate, or nil. Any other error is
// Unreachable.
func ofCertificate(err error) (Fault, *x509.Certificate) {
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return ofSignature(unknown.Cert), unknown.Cert
	}
	if host, ok := errors.AsType[x509.HostnameError](err); ok {
		if len(namesOf(host.Certificate)) == 0 {
			return NoHost, host.Certificate
		}
		return OtherHost, host.Certificate
	}
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	_, refused := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case isInvalid && invalid.Reason == x509.Expired:
		return InvalidCertificate, invalid.Cert
	case isInvalid && invalid.Reason == x509.IncompatibleUsage:
		return WrongUse, invalid.Cert
	case isInvalid, refused:
		return Insecure, invalid.Cert
	}
	return Unreachable, nil
}

// ofSignature classifies a certificate that no trusted authority signed. crypto/x509 also reports a certificate signed
// with MD5 or SHA-1 in this way.
func ofSignature(certificate *x509.Certificate) Fault {
	switch certificate.SignatureAlgorithm {
	case x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.DSAWithSHA1, x509.ECDSAWithSHA1:
		if !isItsOwnIssuer(certificate) {
			return WeakSignature
		}
	}
	return UnknownAuthority
}

func isItsOwnIssuer(certificate *x509.Certificate) bool {
	return bytes.Equal(certificate.RawIssuer, certificate.RawSubject)
}

// Certificate describes a certificate that was not accepted. Its texts are cleaned like those of the service.
type Certificate struct {
	Names       []string // the hosts that it is for
	Subject     string   // whose it is, if it is not the server's own but an authority's; else ""
	Issuer      string   // the authority that signed it
	Method      string   // by which it is signed, such as SHA1-RSA
	SelfSigned  bool     // it is the server's own, and no authority signed it
	Alone       bool     // the server sent no certificate of an authority with it
	From, Until time.Time
	Seen        time.Time // when that was, by the clock of this machine
}

// certificateOf describes the certificate that an error is about. It returns nil for any other error.
func (c *Client) certificateOf(err error) *Certificate {
	_, at := ofCertificate(err)
	if at == nil {
		return nil
	}
	found := &Certificate{
		Issuer: c.mask.Tidy(NameOf(at.Issuer), maxWord),
		Method: at.SignatureAlgorithm.String(),
		From:   at.NotBefore,
		Until:  at.NotAfter,
		Seen:   time.Now(),
	}
	for _, name := range namesOf(at) {
		found.Names = append(found.Names, c.mask.Tidy(name, maxWord))
	}
	sent := []*x509.Certificate{at}
	refused, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if ok && len(refused.UnverifiedCertificates) > 0 {
		sent = refused.UnverifiedCertificates
	}
	isOwn := at.Equal(sent[0])
	if !isOwn {
		found.Subject = c.mask.Tidy(NameOf(at.Subject), maxWord)
	}
	found.SelfSigned = isOwn && isItsOwnIssuer(at)
	found.Alone = len(sent) == 1 && !found.SelfSigned
	return found
}

// namesOf returns the hosts that a certificate is for.
func namesOf(certificate *x509.Certificate) []string {
	names := slices.Clone(certificate.DNSNames)
	for _, ip := range certificate.IPAddresses {
		names = append(names, ip.String())
	}
	return names
}

// NameOf returns what people call the subject or the issuer of a certificate.
func NameOf(owner pkix.Name) string { return cmp.Or(owner.CommonName, owner.String()) }

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

// faultText returns the text of a fault of net/http, without what it quotes of an answer that is not HTTP: that may be
// a part of a credential.
func faultText(err error) string {
	text := err.Error()
	if strings.Contains(text, "transport connection broken") || strings.Contains(text, "malformed HTTP") {
		text, _, _ = strings.Cut(text, `"`)
	}
	return strings.TrimRight(strings.TrimPrefix(text, "readLoopPeekFailLocked: "), " :")
}
