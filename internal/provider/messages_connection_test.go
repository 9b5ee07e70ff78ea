package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// connectionScenes use sockets, except those of networks that never connect.
func connectionScenes() []scene {
	later := time.Now().Add(time.Hour)
	return []scene{
		secured("a certificate that has expired", certified{
			host:  "127.0.0.1",
			from:  time.Date(2023, 5, 1, 0, 0, 0, 0, time.UTC),
			until: time.Date(2024, 5, 1, 12, 30, 0, 0, time.UTC),
		}, trustIt),
		secured("a certificate that is not valid yet", certified{
			host:  "127.0.0.1",
			from:  time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC),
			until: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
		}, trustIt),
		secured("a certificate for another host", certified{host: "catalogue.example", until: later}, trustIt),
		secured("a certificate without a subject alternative name", certified{until: later}, trustIt),
		secured("a certificate that is not for servers", certified{
			host:      "127.0.0.1",
			authority: "Example Inspection CA",
			until:     later,
			use:       x509.ExtKeyUsageClientAuth,
		}, trustIt),
		secured("a certificate signed by itself", valid, trustNone),
		secured("a certificate signed by itself, and another one given", valid, trustAnother),
		secured("a certificate of an unknown authority", signed, trustNone),
		secured("a certificate of an unknown authority, and another one given", signed, trustAnother),
		secured("a certificate of an unknown authority, and others given", signed, trustTwoOthers),
		secured("the root of an unknown authority, which the server sends along", signed.sentWhole(), trustNone),
		secured("a certificate that is signed with SHA-1", signed.with(x509.ECDSAWithSHA1), trustIt),
		handMade("a certificate of an authority that has expired (by hand)", &catalogue.NetworkError{
			Endpoint: getting("/v1/model-group"),
			Fault:    catalogue.InvalidCertificate,
			Problem:  "expired",
			Certificate: &catalogue.Certificate{
				Subject: "Example CA",
				Until:   time.Date(2024, 5, 1, 12, 30, 0, 0, time.UTC),
				Seen:    time.Date(2024, 6, 1, 12, 30, 0, 0, time.UTC),
			},
		}),
		serving("TLS 1.1 only", &tls.Config{
			MinVersion: tls.VersionTLS10,
			MaxVersion: tls.VersionTLS11,
		}),
		serving("a certificate of the client wanted", &tls.Config{
			ClientAuth: tls.RequireAnyClientCert,
			MinVersion: tls.VersionTLS12,
			MaxVersion: tls.VersionTLS12,
		}),
		{title: "HTTP without TLS", play: func(t *testing.T) []*tfprotov6.Diagnostic {
			served := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(served.Close)
			return readOnce(t, northwind(strings.Replace(served.URL, "http:", "https:", 1)))
		}},
		shaking("a certificate that cannot be parsed", &tls.Config{Certificates: []tls.Certificate{unparsable()}}),
		shaking("a server that fails in the handshake", &tls.Config{
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, io.EOF },
		}),
		shaking("no method of TLS in common", &tls.Config{
			Certificates: []tls.Certificate{unparsable()},
			MaxVersion:   tls.VersionTLS12,
			CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256},
		}),
		dialled("a TLS handshake that is cut off", nil, func(context.Context) (net.Conn, error) {
			client, served := net.Pipe()
			go func() {
				_, _ = served.Read(make([]byte, 4096))
				_ = served.Close()
			}()
			return client, nil
		}),
		dialled("a TLS handshake that is not answered", nil, swallowing),
		dialled("a TLS handshake that is not answered within read_timeout", arguments{argReadTimeout: "8s"}, swallowing),
		speaking("HTTP without TLS, on another machine", "HTTP/1.1 400 Bad Request\r\n\r\n"),
		speaking("no TLS", "SSH-2.0-OpenSSH_9.9\r\n"),
		{title: "nobody there", play: func(t *testing.T) []*tfprotov6.Diagnostic {
			return readOnce(t, northwind("http://127.0.0.1:1")) // a port that no other test is given
		}},
		{title: "a connection that is closed at once", play: func(t *testing.T) []*tfprotov6.Diagnostic {
			served := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
			t.Cleanup(served.Close)
			return readOnce(t, northwind(served.URL).with(argMaxRetries, 0))
		}},
		undialled("a host that is not known", nil,
			&net.DNSError{Err: "no such host", Name: "catalogue.example", IsNotFound: true}),
		undialled("a host with a letter beyond ASCII", arguments{argBaseURL: "https://katalog-münchen.example"},
			&net.DNSError{Err: "no such host", Name: "xn--katalog-mnchen-osb.example", IsNotFound: true}),
		handMade("a proxy that does not speak TLS (by hand)", &catalogue.NetworkError{
			Endpoint: getting("/v1/model-group"),
			Fault:    catalogue.ProxyNoTLS,
			Problem:  "first record does not look like a TLS handshake",
			Proxy:    &catalogue.Proxy{Address: "https://proxy.example:8080", Variable: "HTTPS_PROXY"},
		}),
		undialled("a network that is down", nil, errors.New("network is unreachable")),
		undialled("a network that drops everything", nil, nil),
		undialled("a network that drops everything, and a short read_timeout", arguments{argReadTimeout: "8s"}, nil),
		undialled("a request_timeout of nanoseconds", arguments{argRequestTimeout: "30ns", argMaxRetries: 0}, nil),
	}
}

func readOnce(t *testing.T, config arguments) []*tfprotov6.Diagnostic {
	t.Helper()
	_, diagnostics := newEngine(t, config).read(t.Context(), t, oneGroup.name, oneGroup.config)
	return diagnostics
}

// undialled returns a scene of a network that never connects. Without a fault it never answers.
func undialled(title string, more arguments, fault error) scene {
	return dialled(title, more, func(context.Context) (net.Conn, error) {
		if fault == nil {
			time.Sleep(time.Minute) // longer than an attempt
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fault}
	})
}

// swallowing connects to a server that never answers.
func swallowing(context.Context) (net.Conn, error) {
	client, served := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, served) }() // until the client closes
	return client, nil
}

// dialled returns a scene of a network that connects so, on a fake clock.
func dialled(title string, more arguments, dial func(context.Context) (net.Conn, error)) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		var diagnostics []*tfprotov6.Diagnostic
		synctest.Test(t, func(t *testing.T) {
			p := &catalogueProvider{version: "test", dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dial(ctx)
			}}
			diagnostics = configure(t, p, northwind("https://catalogue.example").merge(more)).reports(t, oneGroup.name, oneGroup.config)
			time.Sleep(time.Hour) // net/http goes on with a connection that nobody waits for
		})
		return diagnostics
	}}
}

// shaking returns a scene of a server whose handshake cannot be completed, on a fake clock.
func shaking(title string, config *tls.Config) scene {
	return dialled(title, nil, func(context.Context) (net.Conn, error) {
		client, served := net.Pipe()
		go func() {
			_ = tls.Server(served, config).Handshake()
			_ = served.Close()
		}()
		return client, nil
	})
}

// unparsable returns a certificate with a serial number that is negative.
func unparsable() tls.Certificate {
	serial := []byte{2, 4, 0x11, 0x22, 0x33, 0x44}
	certificate, _ := sandboxtest.Certify(&x509.Certificate{SerialNumber: new(big.Int).SetBytes(serial[2:])}, "")
	raw := certificate.Certificate[0]
	certificate.Certificate[0] = bytes.Replace(raw, serial, []byte{2, 4, 0x91, 0x22, 0x33, 0x44}, 1)
	return certificate
}

// speaking returns a scene of a server that says something and closes the connection.
func speaking(title, text string) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		p := &catalogueProvider{version: "test", dial: func(context.Context, string, string) (net.Conn, error) {
			client, served := net.Pipe()
			go func() {
				_, _ = io.ReadFull(served, make([]byte, 5)) // the client speaks first
				go func() { _, _ = io.Copy(io.Discard, served) }()
				_, _ = io.WriteString(served, text)
				_ = served.Close()
			}()
			return client, nil
		}}
		return configure(t, p, northwind("https://catalogue.example")).reports(t, oneGroup.name, oneGroup.config)
	}}
}

// serving returns a scene of a service with TLS whose certificate is trusted.
func serving(title string, config *tls.Config) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		served, authority := overTLS(t, http.NotFoundHandler(), config)
		return readOnce(t, northwind(served.URL).merge(arguments{argCACertificate: authority, argMaxRetries: 0}))
	}}
}

// secured returns a scene of a service with a certificate that some trust.
func secured(title string, what certified, trusted func(t *testing.T, authority string) string) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		certificate, authority := what.make(t)
		served, _ := overTLS(t, http.NotFoundHandler(), &tls.Config{
			Certificates: []tls.Certificate{certificate},
			MinVersion:   tls.VersionTLS12,
		})
		return readOnce(t, northwind(served.URL).with(argCACertificate, trusted(t, authority)))
	}}
}

func trustIt(_ *testing.T, authority string) string { return authority }
func trustNone(*testing.T, string) string           { return "" }

func trustAnother(t *testing.T, _ string) string {
	t.Helper()
	_, other := certified{host: "other.example", authority: "Other", until: time.Now().Add(time.Hour)}.make(t)
	return other
}

func trustTwoOthers(t *testing.T, _ string) string {
	t.Helper()
	return trustAnother(t, "") + trustAnother(t, "")
}

// certified is the content of a certificate.
type certified struct {
	host        string // empty for none
	authority   string // who signs it; empty if it signs itself
	from, until time.Time
	use         x509.ExtKeyUsage // 0 for any
	method      x509.SignatureAlgorithm
	whole       bool // the server sends the authority's, too
}

// with returns the same, signed by a method.
func (c certified) with(method x509.SignatureAlgorithm) certified {
	c.method = method
	return c
}

// sentWhole returns the same, with the authority's.
func (c certified) sentWhole() certified {
	c.whole = true
	return c
}

var (
	valid  = certified{host: "127.0.0.1", until: time.Now().Add(time.Hour)}
	signed = certified{host: "127.0.0.1", authority: "Example Inspection CA", until: time.Now().Add(time.Hour)}
)

// make returns the certificate and that of its authority.
func (c certified) make(t *testing.T) (certificate tls.Certificate, authority string) {
	t.Helper()
	if c.from.IsZero() {
		c.from = time.Now().Add(-time.Hour)
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "127.0.0.1"},
		NotBefore: c.from,
		NotAfter:  c.until,

		SignatureAlgorithm: c.method,
	}
	if c.use != 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{c.use}
	}
	if ip := net.ParseIP(c.host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else if c.host != "" {
		template.DNSNames = []string{c.host, "*." + c.host}
	}
	certificate, signer := sandboxtest.Certify(template, c.authority)
	if c.whole {
		certificate.Certificate = append(certificate.Certificate, signer.Raw)
	}
	return certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signer.Raw}))
}
