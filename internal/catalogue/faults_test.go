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
	"strings"
	"syscall"
	"testing"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	dialling := func(address net.Addr, err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: err}
	}
	loopback, elsewhere := &net.TCPAddr{IP: net.IPv6loopback, Port: 8080}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8080}
	certificate := &x509.Certificate{}
	for name, test := range map[string]struct {
		err       error
		connected bool
		want      Fault
	}{
		"refused here":                 {err: dialling(loopback, syscall.ECONNREFUSED), want: NobodyListens},
		"refused here, Windows":        {err: dialling(loopback, syscall.Errno(10061)), want: NobodyListens},
		"refused elsewhere":            {err: dialling(elsewhere, syscall.ECONNREFUSED), want: Unreachable},
		"reset here":                   {err: dialling(loopback, syscall.ECONNRESET), want: Unreachable},
		"no route":                     {err: dialling(elsewhere, syscall.EHOSTUNREACH), want: Unreachable},
		"no such host":                 {err: dialling(nil, &net.DNSError{IsNotFound: true}), want: UnknownHost},
		"a resolver that fails":        {err: dialling(nil, &net.DNSError{IsTemporary: true}), want: Unreachable},
		"EOF of a new connection":      {err: io.EOF, want: Broken},
		"reset before the TLS is made": {err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}, want: Broken},
		"anything after a connection":  {err: errors.New("malformed HTTP response"), connected: true, want: Broken},
		"cut short":                    {err: fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), connected: true, want: Broken},
		"no proxy listens":             {err: &net.OpError{Op: "proxyconnect", Err: syscall.ECONNREFUSED}, want: ProxyFailed},
		"a proxy answered":             {err: &proxyError{status: 407}, want: ProxyFailed},
		"no TLS":                       {err: tls.RecordHeaderError{Msg: "no TLS"}, want: NoTLS},
		"HTTP to an HTTPS client":      {err: http.ErrSchemeMismatch, want: NoTLS},
		"an alert of TLS":              {err: &net.OpError{Op: "remote error", Err: tls.AlertError(70)}, connected: true, want: Insecure},
		"an unknown authority":         {err: x509.UnknownAuthorityError{Cert: certificate}, want: UnknownAuthority},
		"expired":                      {err: x509.CertificateInvalidError{Cert: certificate, Reason: x509.Expired}, want: InvalidCertificate},
		"another host":                 {err: x509.HostnameError{Certificate: certificate, Host: "a"}, want: OtherHost},
		"another fault of a certificate": {
			err:  &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Cert: certificate, Reason: x509.TooManyIntermediates}},
			want: Insecure,
		},
	} {
		if got := faultOf(test.err, test.connected); got != test.want {
			t.Errorf("%s: fault %d, want %d", name, got, test.want)
		}
		if lasts := test.want >= NoTLS; test.want.permanent() != lasts {
			t.Errorf("%s: permanent is %t", name, !lasts)
		}
	}
}

// TestACertificateCannotWriteOnATerminal: whoever answers can put anything into a certificate.
func TestACertificateCannotWriteOnATerminal(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"\x1b[31mred\x07\r\n"}}, Host: "a"},
		x509.UnknownAuthorityError{Cert: &x509.Certificate{Issuer: pkix.Name{CommonName: "\x1b[31mred\x07\r\n"}}},
	} {
		var last Exchange
		c := New(configFor(t, "https://catalogue.example", Config{
			Transport: failing{err}, MaxRetries: 1, Observe: func(_ context.Context, seen Exchange) { last = seen },
		}))
		_, err = c.ModelGroups(t.Context(), "")
		if got := fmt.Sprint(err, last.Problem); strings.ContainsAny(got, "\x1b\a\r\n") || strings.Count(got, "red") != 2 || last.Attempt != 1 {
			t.Errorf("%q, attempt %d", got, last.Attempt)
		}
	}
}

// failing is a network on which every request ends with an error.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// TestWhatAProxyAnswers: most answers of a proxy are final, because they would come again.
func TestWhatAProxyAnswers(t *testing.T) {
	t.Parallel()
	through := NewProxy(&url.URL{Scheme: "http", Host: "proxy.example", User: url.User("joe")}, "HTTPS_PROXY")
	if through.Address != "http://proxy.example" || !through.Credential {
		t.Errorf("%+v", through)
	}
	for status, permanent := range map[int]bool{407: true, 403: true, 404: true, 408: false, 429: false, 500: false, 502: false, 503: false} {
		after := through.after(fmt.Errorf("connecting: %w", &proxyError{status: status}))
		if !after.Failed || after.Status != status || after.permanent() != permanent {
			t.Errorf("%d: %+v, permanent %t", status, after, after.permanent())
		}
	}
	noTLS := through.after(&net.OpError{Op: "proxyconnect", Err: tls.RecordHeaderError{}})
	if !noTLS.Failed || !noTLS.NoTLS || !noTLS.permanent() {
		t.Errorf("a proxy that speaks no TLS: %+v", noTLS)
	}
	if after := through.after(io.EOF); after.Failed || after.permanent() || through.Failed {
		t.Errorf("a fault behind the proxy: %+v", after)
	}
	if through = nil; through.after(io.EOF) != nil || through.permanent() {
		t.Error("no proxy has a fault")
	}
}
