package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// connectionScenes returns scenes of connections and of TLS. Scenes on a fake clock use pipes, the others sockets.
func connectionScenes() []scene {
	const authority = "Example Inspection CA"
	return []scene{
		secured("a certificate that has expired", trustIt, certified{
			host:  "127.0.0.1",
			from:  time.Date(2023, 5, 1, 0, 0, 0, 0, time.UTC),
			until: time.Date(2024, 5, 1, 12, 30, 0, 0, time.UTC),
		}),
		secured("a certificate for another host", trustIt, certified{host: "catalogue.example"}),
		secured("a certificate without a subject alternative name", trustIt, certified{}),
		secured("a certificate that is not for servers", trustIt, certified{
			host:      "127.0.0.1",
			authority: authority,
			use:       x509.ExtKeyUsageClientAuth,
		}),
		secured("a certificate signed by itself, and another one given", trusting("Other"), certified{host: "127.0.0.1"}),
		secured("a certificate of an unknown authority", trustNone, certified{host: "127.0.0.1", authority: authority}),
		secured("a certificate of an unknown authority, and another one given", trusting("Other"), certified{
			host:      "127.0.0.1",
			authority: authority,
		}),
		secured("a certificate of an unknown authority, and one of its name given", trusting(authority), certified{
			host:      "127.0.0.1",
			authority: authority,
		}),
		secured("the root of an unknown authority, which the server sends along", trustNone, certified{
			host:      "127.0.0.1",
			authority: authority,
			whole:     true,
		}),
		secured("a certificate that is signed with SHA-1", trustIt, certified{
			host:      "127.0.0.1",
			authority: authority,
			method:    x509.ECDSAWithSHA1,
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
		dialled("no TLS", nil, replying("SSH-2.0-OpenSSH_9.9\r\n")),
		dialled("no HTTP", arguments{argBaseURL: "http://localhost:8443"}, replying("\x15\x03\x01")), // an alert of TLS
		{title: "nobody there", play: func(t *testing.T) []*tfprotov6.Diagnostic {
			return readOnce(t, northwind("http://127.0.0.1:1")) // no test listens on this port
		}},
		undialled("a host with a letter beyond ASCII", arguments{argBaseURL: "https://katalog-münchen.example"},
			&net.DNSError{Err: "no such host", Name: "xn--katalog-mnchen-osb.example", IsNotFound: true}),
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

// undialled returns a scene of a network without connections: it fails with the fault, or never answers if that is nil.
func undialled(title string, more arguments, fault error) scene {
	return dialled(title, more, func(context.Context) (net.Conn, error) {
		if fault == nil {
			time.Sleep(time.Minute) // longer than an attempt
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fault}
	})
}

// swallowing connects to a silent server.
func swallowing(context.Context) (net.Conn, error) {
	client, served := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, served) }() // until the client closes
	return client, nil
}

// replying connects to a server that sends a text after the client's request. With an earlier reply, net/http might
// report the unfinished request in its place.
func replying(text string) func(context.Context) (net.Conn, error) {
	return func(context.Context) (net.Conn, error) {
		client, served := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, served) }()
		go func() {
			time.Sleep(time.Second) // the fake clock stands still while the client writes
			_, _ = io.WriteString(served, text)
			_ = served.Close()
		}()
		return client, nil
	}
}

// dialled returns a scene with these connections, on a fake clock.
func dialled(title string, more arguments, dial func(context.Context) (net.Conn, error)) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		var diagnostics []*tfprotov6.Diagnostic
		synctest.Test(t, func(t *testing.T) {
			p := &catalogueProvider{version: "test", dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dial(ctx)
			}}
			diagnostics = configure(t, p, northwind("https://catalogue.example").merge(more)).reports(t, oneGroup.name, oneGroup.config)
			time.Sleep(time.Hour) // net/http goes on with abandoned connections
		})
		return diagnostics
	}}
}

// shaking returns a scene of a TLS handshake with a server of this configuration, on a fake clock.
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

// unparsable returns a certificate with a negative serial number.
func unparsable() tls.Certificate {
	serial := []byte{2, 4, 0x11, 0x22, 0x33, 0x44}
	certificate, _ := sandboxtest.Certify(&x509.Certificate{SerialNumber: new(big.Int).SetBytes(serial[2:])}, "")
	raw := certificate.Certificate[0]
	certificate.Certificate[0] = bytes.Replace(raw, serial, []byte{2, 4, 0x91, 0x22, 0x33, 0x44}, 1)
	return certificate
}

// serving returns a scene of a service with TLS and a trusted certificate.
func serving(title string, config *tls.Config) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		served, authority := overTLS(t, http.NotFoundHandler(), config)
		return readOnce(t, northwind(served.URL).merge(arguments{argCACertificate: authority, argMaxRetries: 0}))
	}}
}

// secured returns a scene of a service with a certificate. trusted returns ca_certificate_pem for its authority.
func secured(title string, trusted func(authority string) string, what certified) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		certificate, authority := what.make()
		served, _ := overTLS(t, http.NotFoundHandler(), &tls.Config{
			Certificates: []tls.Certificate{certificate},
			MinVersion:   tls.VersionTLS12,
		})
		return readOnce(t, northwind(served.URL).with(argCACertificate, trusted(authority)))
	}}
}

func trustIt(authority string) string { return authority }
func trustNone(string) string         { return "" }

// trusting returns a function for secured: it returns the certificate of a different authority, of that name.
func trusting(name string) func(string) string {
	_, other := certified{host: "other.example", authority: name}.make()
	return func(string) string { return other }
}

// certified is the content of a certificate.
type certified struct {
	host        string // empty for none
	authority   string // its signer; empty for a self-signed one
	from, until time.Time
	use         x509.ExtKeyUsage // 0 for any
	method      x509.SignatureAlgorithm
	whole       bool // the server also sends the authority's
}

// make returns the certificate and that of its authority. It is valid now if until is zero.
func (c certified) make() (certificate tls.Certificate, authority string) {
	if c.until.IsZero() {
		c.from, c.until = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	template := &x509.Certificate{
		Subject:            pkix.Name{CommonName: "127.0.0.1"},
		NotBefore:          c.from,
		NotAfter:           c.until,
		SignatureAlgorithm: c.method,
		ExtKeyUsage:        []x509.ExtKeyUsage{c.use},
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
	return certificate, pemOf("CERTIFICATE", signer.Raw)
}
