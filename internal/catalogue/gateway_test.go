package catalogue

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// newAsking returns a server that asks for a client certificate signed by this authority.
func newAsking(t *testing.T, authority *x509.Certificate, version uint16, overHTTP2 bool) *httptest.Server {
	t.Helper()
	authorities := x509.NewCertPool()
	authorities.AddCert(authority)
	a := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answerTokens(w, r, fmt.Sprintf(`[{"id":"g","name":%q}]`, r.TLS.PeerCertificates[0].Subject.CommonName))
	}))
	a.EnableHTTP2 = overHTTP2
	a.Config.ErrorLog = log.New(io.Discard, "", 0)
	a.TLS = &tls.Config{
		ClientAuth: tls.RequireAndVerifyClientCert,
		ClientCAs:  authorities,
		MaxVersion: version,
	}
	a.StartTLS()
	t.Cleanup(a.Close)
	return a
}

// ofClient returns a client certificate, and the one of its authority.
func ofClient(authority string, until time.Time) (tls.Certificate, *x509.Certificate) {
	return sandboxtest.Certify(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "build"},
		NotBefore: time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:  until,
	}, authority)
}

// A server that asks for a client certificate gets it, in any version of HTTP and TLS, and through a proxy. A
// refusal is reported with the server's reason, after one attempt.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	good, authority := ofClient("Gateway CA", time.Now().Add(time.Hour))
	foreign, _ := ofClient("Other CA", time.Now().Add(time.Hour))
	expired, itsAuthority := ofClient("Gateway CA", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, overHTTP2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %t", tls.VersionName(version), overHTTP2), func(t *testing.T) {
				t.Parallel()
				server := newAsking(t, authority, version, overHTTP2)
				for _, proxy := range []*Proxy{nil, connecting(t, "http"), connecting(t, "https")} {
					groups, err := asClient(t, server, good, proxy).ModelGroups(t.Context(), "")
					if err != nil || groups[0].Name == nil || *groups[0].Name != "build" {
						t.Errorf("with a certificate, proxy %v: %v", proxy, err)
					}
				}
				wanted := map[uint16]string{tls.VersionTLS12: "handshake failure", tls.VersionTLS13: "certificate required"}
				for range 10 { // what hides the reason is a race
					expectRefused(t, server, tls.Certificate{}, wanted[version])
				}
				expectRefused(t, server, foreign, "unknown certificate authority")
				server = newAsking(t, itsAuthority, version, overHTTP2)
				expectRefused(t, server, expired, "expired certificate")
			})
		}
	}
}

func asClient(t *testing.T, server *httptest.Server, own tls.Certificate, through *Proxy) *Client {
	t.Helper()
	return clientTo(t, server.URL, Config{
		CACertificates:    []*x509.Certificate{server.Certificate()},
		ClientCertificate: own,
		Proxy:             through,
	})
}

// expectRefused reads once, and fails unless the server asked, and refused for that reason. With TLS 1.3 the reason
// follows the handshake, and net/http may find only the end of an HTTP/2 connection, and retry.
func expectRefused(t *testing.T, server *httptest.Server, own tls.Certificate, reason string) {
	t.Helper()
	_, err := asClient(t, server, own, nil).ModelGroups(t.Context(), "")
	fault, _ := errors.AsType[*NetworkError](err)
	mayBeHidden := server.EnableHTTP2 && server.TLS.MaxVersion == tls.VersionTLS13
	switch {
	case fault == nil || !fault.Asked:
		t.Error(err)
	case mayBeHidden && fault.Fault == Broken:
	case fault.Fault != CertificateWanted || !strings.HasPrefix(fault.Problem, "remote error: tls: "+reason):
		t.Errorf("%v, want %s", err, reason)
	}
}

// connecting returns a proxy that makes connections, and fails the test if a header or the certificate of the gateway
// reaches it. One of scheme https offers HTTP/2 as well, and asks for a certificate.
func connecting(t *testing.T, scheme string) *Proxy {
	t.Helper()
	proxy := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		far, err := net.Dial("tcp", r.Host)
		if err != nil || r.Header.Get("Proxy-Authorization") != "" || r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
			t.Error(err, r.Header, r.TLS)
			return
		}
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(far, near); far.Close() }()
		go func() { _, _ = io.Copy(near, far); near.Close() }()
	}))
	if scheme == "https" {
		proxy.EnableHTTP2 = true
		proxy.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
		proxy.StartTLS()
	} else {
		proxy.Start()
	}
	t.Cleanup(proxy.Close)
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	return NewProxy(at, "HTTPS_PROXY")
}

// Headers go to the service with every request, and not to a proxy on the way. A read asks for the latest revision, and
// not for the copy of a gateway.
func TestHeaders(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isFresh := r.Method == http.MethodPost || r.Header.Get("Cache-Control") == "no-cache"
		if isFresh && r.Header.Get("Proxy-Authorization") == "Bearer t" && r.Header.Get("X-Key") == "k" {
			sent.Add(1)
		}
		answerTokens(w, r, "[]")
	}))
	t.Cleanup(server.Close)
	for _, scheme := range []string{"http", "https"} {
		sent.Store(0)
		c := clientTo(t, server.URL, Config{
			CACertificates: []*x509.Certificate{server.Certificate()},
			Headers:        map[string]string{"Proxy-Authorization": "Bearer t", "x-key": "k"},
			Proxy:          connecting(t, scheme),
		})
		if _, err := c.ModelGroups(t.Context(), ""); err != nil || sent.Load() != 2 {
			t.Errorf("%v, sent with %d of 2 requests", err, sent.Load())
		}
	}
}

// A server that also accepts requests without a certificate may fail in a later handshake for a different reason.
func TestAnAlertAfterAnAnswer(t *testing.T) {
	t.Parallel()
	var handshakes atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		answerTokens(w, r, "[]")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{
		ClientAuth: tls.RequestClientCert,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			if handshakes.Add(1) == 2 {
				return nil, io.EOF // an alert of an internal error
			}
			return nil, nil
		},
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	_, err := asClient(t, server, tls.Certificate{}, nil).ModelGroups(t.Context(), "")
	if fault, _ := errors.AsType[*NetworkError](err); fault == nil || fault.Fault != Handshake {
		t.Error(err)
	}
}
