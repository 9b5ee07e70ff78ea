package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// The faults of an attempt, by how far it had come. Those that a handshake finds are shown by scenes of the provider's
// messages as well, by real handshakes.
var (
	here       = &net.TCPAddr{IP: net.IPv6loopback, Port: 8080}
	elsewhere  = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8080}
	faultTable = map[*connections]map[error]Fault{
		{}: {
			dialling(here, syscall.ECONNREFUSED):            NobodyListens,
			dialling(here, syscall.Errno(10061)):            NobodyListens, // on Windows
			dialling(here, syscall.ECONNRESET):              Unreachable,
			dialling(elsewhere, syscall.ECONNREFUSED):       Unreachable,
			dialling(elsewhere, syscall.EHOSTUNREACH):       Unreachable,
			dialling(nil, &net.DNSError{IsNotFound: true}):  UnknownHost,
			dialling(nil, &net.DNSError{IsTemporary: true}): Unreachable,
			io.EOF:                             Broken,
			failed("read", syscall.ECONNRESET): Broken,
			failed("proxyconnect", syscall.ECONNREFUSED):                                                            ProxyFailed,
			failed("proxyconnect", tls.RecordHeaderError{}):                                                         ProxyNoTLS,
			fmt.Errorf("connecting: %w", &proxyError{status: 407}):                                                  ProxyRefused,
			failed("remote error", tls.AlertError(116)):                                                             CertificateWanted,
			failed("remote error", tls.AlertError(112)):                                                             Alert,
			errors.New("tls: server selected unsupported protocol version 302"):                                     OldTLS,
			unverified(x509.HostnameError{Certificate: &x509.Certificate{IPAddresses: []net.IP{net.IPv6loopback}}}): OtherHost,
			unverified(x509.CertificateInvalidError{Reason: x509.TooManyIntermediates}):                             Insecure,
			unverified(errors.New("odd")):                                                                           Insecure,
		},
		{given: 1}: {
			errors.New("malformed HTTP response"):          Broken,
			fmt.Errorf("reading: %w", io.ErrUnexpectedEOF): Broken,
		},
		{handshaking: true}: {
			io.EOF: Handshake,
			fmt.Errorf("reading: %w", io.ErrUnexpectedEOF):     Handshake,
			failed("read", syscall.ECONNRESET):                 Handshake,
			failed("remote error", tls.AlertError(80)):         Handshake,
			failed("remote error", tls.AlertError(40)):         NoMethod,
			failed("local error", tls.AlertError(20)):          Insecure,
			context.DeadlineExceeded:                           Handshake,
			context.Canceled:                                   Handshake,
			errors.New("tls: invalid signature by the server"): Insecure,
		},
		{asked: true}: {
			failed("read", syscall.ECONNRESET):         Broken,
			failed("remote error", tls.AlertError(70)): OldTLS,
		},
		{asked: true, presented: true}: {
			failed("remote error", tls.AlertError(70)): OldTLS,
			failed("remote error", tls.AlertError(48)): CertificateRefused,
		},
	}
)

func failed(op string, err error) error { return &net.OpError{Op: op, Err: err} }

func dialling(at net.Addr, err error) error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: err}
}

func unverified(err error) error { return &tls.CertificateVerificationError{Err: err} }

func TestFaults(t *testing.T) {
	t.Parallel()
	for attempt, faults := range faultTable {
		for err, want := range faults {
			if got, _ := attempt.faultOf(err); got != want {
				t.Errorf("%v: fault %d, want %d", err, got, want)
			}
		}
	}
}

// A server can put anything into its certificate.
func TestACertificateCannotWriteOnATerminal(t *testing.T) {
	t.Parallel()
	const odd = "\x1b[31mred\x07\r\n"
	named := &x509.Certificate{DNSNames: []string{odd}, Issuer: pkix.Name{CommonName: odd}}
	c := New(configFor(t, "https://catalogue.example", Config{
		Transport: failing{x509.HostnameError{Certificate: named, Host: "a"}},
	}))
	_, err := c.ModelGroups(t.Context(), "")
	fault, _ := errors.AsType[*NetworkError](err)
	shown := fmt.Sprintf("%s %+v", err, *fault.Certificate)
	if strings.ContainsAny(shown, "\x1b\a\r\n") || strings.Count(shown, "red") != 3 {
		t.Errorf("%q", shown)
	}
}

// failing is a network on which every request ends with an error.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// Most answers of a proxy are final, because they would come again.
func TestWhatAProxyAnswers(t *testing.T) {
	t.Parallel()
	through := &Proxy{}
	for status, permanent := range map[int]bool{403: true, 404: true, 407: true, 408: false, 429: false, 502: false} {
		c := New(configFor(t, "https://catalogue.example", Config{Proxy: through, Transport: failing{&proxyError{status: status}}}))
		_, err := c.ModelGroups(t.Context(), "")
		fault, _ := errors.AsType[*NetworkError](err)
		if !fault.Fault.OfProxy() || fault.Fault.Permanent() != permanent || fault.Proxy != through || fault.ProxyStatus != status {
			t.Errorf("%d: %+v, permanent %t", status, fault, !permanent)
		}
	}
}
