package catalogue

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// newTransport makes the transport of all requests.
func newTransport(cfg Config) *http.Transport {
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	// A dead connection of HTTP/2 is found within one attempt, so that the next attempt uses another one.
	ping := min(cfg.RequestTimeout/3, 10*time.Second)
	transport := &http.Transport{
		DialContext: dial,
		TLSClientConfig: &tls.Config{
			MinVersion:           tls.VersionTLS12,
			RootCAs:              trusted(cfg.CACertificates),
			GetClientCertificate: noCertificate,
		},
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: ping, PingTimeout: ping},
		IdleConnTimeout:     90 * time.Second,
		// An engine reads at any parallelism; with the default of 2 it would open a connection for almost every read.
		MaxIdleConnsPerHost: 256,
		// Answers of many megabytes are common; the default is 4 KiB.
		ReadBufferSize: 64 << 10,

		OnProxyConnectResponse: keepProxyStatus,
	}
	if cfg.Proxy != nil {
		transport.Proxy = http.ProxyURL(cfg.Proxy.url)
	}
	return transport
}

// trusted returns a pool of the system's own certificates, if it has any, and of more.
func trusted(more []*x509.Certificate) *x509.CertPool {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, certificate := range more {
		pool.AddCert(certificate)
	}
	return pool
}
