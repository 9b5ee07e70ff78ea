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
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// faultCase is an error of net/http, and the state of its connection.
type faultCase struct {
	name  string
	err   error
	given int  // connections
	asked bool // for a certificate of the client
	gave  bool // one was presented
	shook bool // a TLS handshake had begun
	want  Fault
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range slices.Concat(networkFaults(), handshakeFaults(), secureFaults()) {
		given := &connections{given: f.given, asked: f.asked, presented: f.gave, handshaking: f.shook}
		if got, _ := given.faultOf(f.err); got != f.want {
			t.Errorf("%s: fault %d, want %d", f.name, got, f.want)
		}
	}
}

func networkFaults() []faultCase {
	dialling := func(address net.Addr, err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: err}
	}
	loopback := &net.TCPAddr{IP: net.IPv6loopback, Port: 8080}
	elsewhere := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8080}
	return []faultCase{
		{
			name: "refused here",
			err:  dialling(loopback, syscall.ECONNREFUSED),
			want: NobodyListens,
		},
		{
			name: "refused here, Windows",
			err:  dialling(loopback, syscall.Errno(10061)),
			want: NobodyListens,
		},
		{
			name: "refused elsewhere",
			err:  dialling(elsewhere, syscall.ECONNREFUSED),
			want: Unreachable,
		},
		{
			name: "reset here",
			err:  dialling(loopback, syscall.ECONNRESET),
			want: Unreachable,
		},
		{
			name: "no route",
			err:  dialling(elsewhere, syscall.EHOSTUNREACH),
			want: Unreachable,
		},
		{
			name: "no such host",
			err:  dialling(nil, &net.DNSError{IsNotFound: true}),
			want: UnknownHost,
		},
		{
			name: "a resolver that fails",
			err:  dialling(nil, &net.DNSError{IsTemporary: true}),
			want: Unreachable,
		},
		{
			name: "EOF of a new connection",
			err:  io.EOF,
			want: Broken,
		},
		{
			name: "reset by a proxy",
			err:  &net.OpError{Op: "read", Err: syscall.ECONNRESET},
			want: Broken,
		},
		{
			name:  "anything after a connection",
			err:   errors.New("malformed HTTP response"),
			given: 1,
			want:  Broken,
		},
		{
			name:  "cut short",
			err:   fmt.Errorf("reading: %w", io.ErrUnexpectedEOF),
			given: 1,
			want:  Broken,
		},
		{
			name: "no proxy listens",
			err:  &net.OpError{Op: "proxyconnect", Err: syscall.ECONNREFUSED},
			want: ProxyFailed,
		},
		{
			name: "a proxy answered",
			err:  fmt.Errorf("connecting: %w", &proxyError{status: 407}),
			want: ProxyRefused,
		},
		{
			name: "a proxy that speaks no TLS",
			err:  &net.OpError{Op: "proxyconnect", Err: tls.RecordHeaderError{}},
			want: ProxyNoTLS,
		},
		{
			name:  "a reset, asked",
			err:   &net.OpError{Op: "read", Err: syscall.ECONNRESET},
			asked: true,
			want:  Broken,
		},
	}
}

// handshakeFaults are those of a handshake that has begun. Those that this side finds are permanent.
func handshakeFaults() []faultCase {
	var cases []faultCase
	for err, want := range map[error]Fault{
		io.EOF: Handshake,
		fmt.Errorf("reading: %w", io.ErrUnexpectedEOF):            Handshake,
		&net.OpError{Op: "read", Err: syscall.ECONNRESET}:         Handshake,
		&net.OpError{Op: "remote error", Err: tls.AlertError(80)}: Handshake,
		&net.OpError{Op: "remote error", Err: tls.AlertError(40)}: NoMethod,
		&net.OpError{Op: "local error", Err: tls.AlertError(20)}:  Insecure,
		context.DeadlineExceeded:                                  Handshake,
		context.Canceled:                                          Handshake,
		errors.New("tls: invalid signature by the server"):        Insecure,
	} {
		cases = append(cases, faultCase{name: err.Error(), err: err, shook: true, want: want})
	}
	return cases
}

// secureFaults are those that no scene of the provider's messages leads to by a real handshake.
func secureFaults() []faultCase {
	numbered := &x509.Certificate{IPAddresses: []net.IP{net.IPv6loopback}}
	alert := func(number uint8) error {
		return &net.OpError{Op: "remote error", Err: tls.AlertError(number)}
	}
	refused := func(err error) error {
		return &tls.CertificateVerificationError{Err: err}
	}
	return []faultCase{
		{
			name: "an old version",
			err:  errors.New("tls: server selected unsupported protocol version 302"),
			want: OldTLS,
		},
		{
			name:  "an alert: old TLS, asked",
			err:   alert(70),
			asked: true,
			want:  OldTLS,
		},
		{
			name: "an alert: a certificate",
			err:  alert(116),
			want: CertificateWanted,
		},
		{
			name:  "an alert: an old version, to a certificate",
			err:   alert(70),
			asked: true,
			gave:  true,
			want:  OldTLS,
		},
		{
			name:  "an alert: an unknown authority",
			err:   alert(48),
			asked: true,
			gave:  true,
			want:  CertificateRefused,
		},
		{
			name: "another alert",
			err:  alert(112),
			want: Alert,
		},
		{
			name: "another address",
			err:  refused(x509.HostnameError{Certificate: numbered, Host: "a"}),
			want: OtherHost,
		},
		{
			name: "another fault of a certificate",
			err:  refused(x509.CertificateInvalidError{Reason: x509.TooManyIntermediates}),
			want: Insecure,
		},
		{
			name: "a certificate, and no more",
			err:  refused(errors.New("odd")),
			want: Insecure,
		},
	}
}

// A server can put anything into its certificate.
func TestACertificateCannotWriteOnATerminal(t *testing.T) {
	t.Parallel()
	const odd = "\x1b[31mred\x07\r\n"
	named := &x509.Certificate{DNSNames: []string{odd}}
	issued := &x509.Certificate{Issuer: pkix.Name{CommonName: odd}}
	expired := &x509.Certificate{}
	for _, err := range []error{
		x509.HostnameError{Certificate: named, Host: "a"},
		x509.UnknownAuthorityError{Cert: issued},
		x509.CertificateInvalidError{Cert: expired, Reason: x509.Expired, Detail: odd},
	} {
		var last Exchange
		c := New(configFor(t, "https://catalogue.example", Config{
			Transport:  failing{err},
			MaxRetries: 1,
			Observe: func(_ context.Context, seen Exchange) {
				last = seen
			},
		}))
		_, err = c.ModelGroups(t.Context(), "")
		fault, _ := errors.AsType[*NetworkError](err)
		shown := fmt.Sprintf("%s %s %+v", err, last.Problem, *fault.Certificate)
		if strings.ContainsAny(shown, "\x1b\a\r\n") || !strings.Contains(shown, "red") || last.Attempt != 1 {
			t.Errorf("%q, attempt %d", shown, last.Attempt)
		}
	}
}

// failing is a network on which every request ends with an error.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// Most answers of a proxy are final, because they would come again.
func TestWhatAProxyAnswers(t *testing.T) {
	t.Parallel()
	at := &url.URL{
		Scheme: "http",
		Host:   "proxy.example",
		User:   url.User("joe"),
	}
	through := NewProxy(at, "HTTPS_PROXY")
	if through.Address != "http://proxy.example" || !through.Credential {
		t.Errorf("%+v", through)
	}
	for status, permanent := range map[int]bool{
		403: true,
		404: true,
		407: true,
		408: false,
		429: false,
		500: false,
		502: false,
		503: false,
	} {
		c := New(configFor(t, "https://catalogue.example", Config{Proxy: through, Transport: failing{&proxyError{status: status}}}))
		_, err := c.ModelGroups(t.Context(), "")
		fault, _ := errors.AsType[*NetworkError](err)
		if !fault.Fault.OfProxy() || fault.Fault.Permanent() != permanent || fault.Proxy != through || fault.ProxyStatus != status {
			t.Errorf("%d: %+v, permanent %t", status, fault, !permanent)
		}
	}
}
