package catalogue

import (
	"bufio"
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
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// The faults of an attempt by its stage. Scenes of the provider's messages show those of a handshake as well.
var (
	untrusted = map[bool]Fault{false: UnknownAuthority, true: NoAuthorities}[trustsNobody()]
	here      = &net.TCPAddr{IP: net.IPv6loopback, Port: 8080}
	elsewhere = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8080}

	faultTable = map[Fault]map[error]Fault{
		Unreachable: {
			dialling(here, syscall.ECONNREFUSED):            NobodyListens,
			dialling(here, syscall.Errno(10061)):            NobodyListens, // on Windows
			dialling(here, syscall.ECONNRESET):              Unreachable,
			dialling(elsewhere, syscall.ECONNREFUSED):       Unreachable,
			dialling(nil, &net.DNSError{IsTemporary: true}): Unreachable,
		},
		ProxyFailed: {
			failed("proxyconnect", tls.RecordHeaderError{}):       ProxyRefused,
			failed("proxyconnect", unverified(errors.New("odd"))): ProxyRefused,
			failed("socks connect", errors.New("odd")):            ProxyFailed,
			io.EOF:                   ProxyFailed,
			&proxyError{status: 404}: ProxyRefused, // most answers would come again
			&proxyError{status: 407}: ProxyRefused,
			&proxyError{status: 408}: ProxyFailed,
			&proxyError{status: 429}: ProxyFailed,
			&proxyError{status: 502}: ProxyFailed,
		},
		Handshake: {
			failed("read", syscall.ECONNRESET):                                          Handshake,
			context.Canceled:                                                            Handshake,
			failed("local error", tls.AlertError(20)):                                   Insecure,
			errors.New("tls: server selected unsupported protocol version 302"):         Insecure,
			unverified(x509.UnknownAuthorityError{}):                                    untrusted,
			unverified(x509.CertificateInvalidError{Reason: x509.TooManyIntermediates}): Insecure,
		},
		Broken: {
			failed("remote error", tls.AlertError(80)):                                            Broken,
			fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", io.ErrUnexpectedEOF): Broken,
			tls.RecordHeaderError{}:                                                       Broken,
			errors.New("connection error: PROTOCOL_ERROR"):                                NotHTTP,
			errors.New("stream error: stream ID 1; PROTOCOL_ERROR; invalid header"):       NotHTTP,
			errors.New("stream error: stream ID 1; PROTOCOL_ERROR; received from peer"):   Broken,
			errors.New("http2: failed reading the frame payload: http2: frame too large"): NotHTTP,
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
	for stage, faults := range faultTable {
		for err, want := range faults {
			if got := faultAt(stage, err, false); got != want {
				t.Errorf("%v: fault %d, want %d", err, got, want)
			}
		}
	}
}

// A server can put anything into its certificate, and a proxy may repeat the password.
func TestTextsInAFault(t *testing.T) {
	t.Parallel()
	odd := &x509.Certificate{Issuer: pkix.Name{CommonName: "\x1b[31mred\x07\r\n"}, RawIssuer: []byte("a")}
	proxy := NewProxy(&url.URL{User: url.UserPassword("me", "hunter2hunter2")}, "HTTPS_PROXY")
	for cause, want := range map[error]string{
		x509.UnknownAuthorityError{Cert: odd}:                  "[31mred",
		&proxyError{schemes: []string{"Basic hunter2hunter2"}}: "Basic ***",
	} {
		c := New(configFor(t, "https://catalogue.example", Config{Proxy: proxy, Transport: failing{cause}}))
		_, err := c.ModelGroups(t.Context(), "")
		fault, _ := errors.AsType[*NetworkError](err)
		if got := fault.Issuer + fault.ProxyAsks; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// net/http finds what is not HTTP in many ways, and has no type for them.
func TestAnswersThatAreNotHTTP(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"SSH-2.0-OpenSSH_9.9\r\n",
		"\x15\x03\x01\x00\x02\x02\x46", // an alert of TLS
		"HTTP/1.1 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\n: a\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n",
	} {
		c := clientTo(t, "http://localhost", Config{DialContext: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				_, _ = http.ReadRequest(bufio.NewReader(server))
				_, _ = io.WriteString(server, text)
				_ = server.Close()
			}()
			return client, nil
		}})
		fault := sendOnce(t, c)
		if fault == nil || fault.Fault != NotHTTP || fault.Fault.Permanent() {
			t.Errorf("%q: %+v", text, fault)
		}
	}
}

// failing is a network whose every request ends with an error.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// The roots of a process are loaded once, so the test runs itself again without any.
func TestAMachineWithoutRoots(t *testing.T) {
	t.Parallel()
	const nowhere = "/nonexistent"
	switch {
	case os.Getenv("SSL_CERT_FILE") == nowhere:
		if untrusted != NoAuthorities {
			t.Errorf("fault %d", untrusted)
		}
		return
	case runtime.GOOS != "linux":
		t.Skip("other systems have roots that no variable takes away")
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^(TestAMachineWithoutRoots|TestFaults)$")
	again.Env = append(os.Environ(), "SSL_CERT_FILE="+nowhere, "SSL_CERT_DIR="+nowhere)
	if said, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
