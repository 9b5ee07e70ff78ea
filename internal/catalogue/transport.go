package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
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
			MinVersion: tls.VersionTLS12, RootCAs: trusted(cfg.CACertificates), GetClientCertificate: noCertificate,
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

// trusted is the system's own certificates and those given. If none are given it is nil, which net/http takes for the
// system's own.
func trusted(more []*x509.Certificate) *x509.CertPool {
	if len(more) == 0 {
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		// On a system without certificates of its own, those given are trusted.
		pool = x509.NewCertPool()
	}
	for _, certificate := range more {
		pool.AddCert(certificate)
	}
	return pool
}

// journey is what net/http reports of a request until its answer begins.
type journey struct {
	connected         atomic.Bool
	certificateWanted atomic.Bool // of the client
}

type journeyKey struct{}

// observed returns a context for one request, and its journey.
func observed(ctx context.Context) (context.Context, *journey) {
	j := &journey{}
	ctx = context.WithValue(ctx, journeyKey{}, j)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { j.connected.Store(true) },
	}), j
}

// noCertificate sends the service no certificate, and notes that it wanted one.
func noCertificate(request *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if j, ok := request.Context().Value(journeyKey{}).(*journey); ok {
		j.certificateWanted.Store(true)
	}
	return &tls.Certificate{}, nil
}

// fault classifies the error that the request ended with.
func (j *journey) fault(err error) Fault {
	if remote, ok := errors.AsType[*net.OpError](err); ok && remote.Op == opAlert && j.certificateWanted.Load() {
		return WantsCertificate
	}
	return faultOf(err, j.connected.Load())
}
