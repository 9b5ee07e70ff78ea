package catalogue

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
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
	ProxyFailed                     // the proxy did not let the request through; permanent for most of its answers
	NoTLS                           // permanent: what answers does not speak TLS
	OldTLS                          // permanent: what answers supports no version of TLS from 1.2 on
	WantsCertificate                // permanent: what answers wants a certificate of the client
	UnknownAuthority                // permanent: no trusted authority signed the certificate
	InvalidCertificate              // permanent: it is not valid now
	OtherHost                       // permanent: the certificate is for other hosts, or for none
	Insecure                        // permanent: any other fault of a certificate or of TLS
)

// permanent reports whether every attempt would end with the same fault. A name that does not resolve is not such a
// fault: a resolver says the same while a network or a record is on its way, so the name is asked for again.
func (f Fault) permanent() bool { return f >= NoTLS }

// faultOf classifies an error of net/http. connected says that the request had got a connection.
func faultOf(err error, connected bool) Fault {
	if ofProxy(err) {
		return ProxyFailed
	}
	if fault := ofTLS(err); fault != Unreachable {
		return fault
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
	return dialled && (dial.Op == "read" || dial.Op == opAlert) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// ofTLS classifies a fault of TLS or of a certificate. Any other error is Unreachable.
func ofTLS(err error) Fault {
	var certificate *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return NoTLS
	case alerted(err, alertProtocolVersion), strings.Contains(err.Error(), choseOldTLS):
		return OldTLS
	case errors.As(err, &unknown):
		return UnknownAuthority
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return InvalidCertificate
	case errors.As(err, &host):
		return OtherHost
	case errors.As(err, &certificate):
		return Insecure
	}
	return Unreachable
}

// opAlert is what crypto/tls calls the end of a connection by an alert of the other side.
const opAlert = "remote error"

// alertProtocolVersion is an alert of RFC 8446 §6.2.
const alertProtocolVersion = 70

// choseOldTLS is what crypto/tls says, without a type, of a service that goes on with an old version in place of an
// alert.
const choseOldTLS = "tls: server selected unsupported protocol version"

// alerted reports whether the other side ended TLS with an alert. crypto/tls keeps the type of such an error to
// itself, but not its words.
func alerted(err error, alert uint8) bool {
	remote, ok := errors.AsType[*net.OpError](err)
	return ok && remote.Op == opAlert && remote.Err.Error() == tls.AlertError(alert).Error()
}

// refusedHere reports whether nobody listens at a loopback address.
func refusedHere(dial *net.OpError) bool {
	const onWindows = syscall.Errno(10061) // WSAECONNREFUSED, which has no constant on other systems
	at, ok := dial.Addr.(*net.TCPAddr)
	return ok && at.IP.IsLoopback() && (errors.Is(dial, syscall.ECONNREFUSED) || errors.Is(dial, onWindows))
}

// CertificateFault is what the certificate of whoever answers says for itself. Its texts are cleaned like those of
// the service.
type CertificateFault struct {
	NotBefore, NotAfter time.Time
	Now                 time.Time // of this machine
	Names               []string  // hosts that the certificate is for
	Host                string    // the host that was asked for, "" if that is not the fault
	Issuer              string    // who signed it, "" if that is not the fault
	SelfSigned          bool      // nobody else did
	Given               int       // how many certificates of authorities the configuration adds
}

// certificateFault describes the certificate at fault in an error of net/http. It is nil where err has none.
func (s *sender) certificateFault(err error) *CertificateFault {
	fault := &CertificateFault{Now: time.Now(), Given: s.authorities}
	var certificate *x509.Certificate
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		certificate = invalid.Cert
	} else if host, ok := errors.AsType[x509.HostnameError](err); ok {
		certificate, fault.Host = host.Certificate, s.tidy(host.Host, maxExcerpt)
	} else if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok && unknown.Cert != nil {
		certificate = unknown.Cert
		fault.Issuer = s.tidy(nameOf(certificate), maxExcerpt)
		fault.SelfSigned = bytes.Equal(certificate.RawIssuer, certificate.RawSubject)
	}
	if certificate == nil {
		return nil
	}
	fault.NotBefore, fault.NotAfter = certificate.NotBefore, certificate.NotAfter
	fault.Names = s.namesOf(certificate)
	return fault
}

// nameOf is the name of a certificate's issuer: the common name, or all there is.
func nameOf(certificate *x509.Certificate) string {
	if name := certificate.Issuer.CommonName; name != "" {
		return name
	}
	return certificate.Issuer.String()
}

// namesOf are the hosts that a certificate is for.
func (s *sender) namesOf(certificate *x509.Certificate) []string {
	names := slices.Clone(certificate.DNSNames)
	for _, ip := range certificate.IPAddresses {
		names = append(names, ip.String())
	}
	return s.named(names)
}

// faultText is what net/http says of a fault, without what it quotes of an answer that is no HTTP: the quoted part
// may be a part of a credential.
func faultText(err error) string {
	if errors.Is(err, io.EOF) {
		return "the connection was closed before an answer came"
	}
	text := err.Error()
	if strings.Contains(text, "transport connection broken") || strings.Contains(text, "malformed HTTP") {
		text, _, _ = strings.Cut(text, `"`)
	}
	return strings.TrimRight(text, " :")
}
