package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// transport sends the requests of a client over HTTP/2 if the service speaks it, and over HTTP/1.1 once the service
// requires it (RFC 9113 §7). Some services do, to ask for a client certificate at certain paths.
type transport struct {
	newest, http1 *http.Transport
	required      atomic.Bool
}

// newTransport makes the transport of all requests. It calls asked if the service asks for a client certificate.
func newTransport(cfg Config, asked func()) *transport {
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	// Pings find a dead HTTP/2 connection within one attempt, so that the next attempt uses another.
	ping := min(cfg.RequestTimeout/3, 10*time.Second)
	http1 := &http.Transport{
		DialContext: dial,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12,
			RootCAs:    trusted(cfg.CACertificates),
			// A server that names other authorities gets the certificate, too, and reports why it refuses it.
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				asked()
				return &cfg.ClientCertificate, nil
			},
			Renegotiation: tls.RenegotiateOnceAsClient, // some servers ask after they know the path (TLS 1.2)
		},
		TLSHandshakeTimeout: 10 * time.Second,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: ping, PingTimeout: ping},
		IdleConnTimeout:     90 * time.Second,
		// With the default of 2, a parallel engine would open a connection for almost every read.
		MaxIdleConnsPerHost: 256,
		// Answers of many megabytes are common; the default is 4 KiB.
		ReadBufferSize: 64 << 10,

		OnProxyConnectResponse: keepProxyStatus,
	}
	if cfg.Proxy != nil {
		http1.Proxy = http.ProxyURL(cfg.Proxy.url)
		http1.DialTLSContext = cfg.Proxy.dialTLS(dial, http1.TLSClientConfig.RootCAs)
	}
	newest := http1.Clone()
	newest.ForceAttemptHTTP2 = true
	return &transport{newest: newest, http1: http1}
}

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if !t.required.Load() {
		response, err := t.newest.RoundTrip(request)
		// net/http lacks a type for this error.
		if err == nil || !strings.Contains(err.Error(), "HTTP_1_1_REQUIRED") {
			return response, err
		}
		t.required.Store(true)
		request = request.Clone(request.Context())
		request.Body, _ = request.GetBody() // never an error: it is in memory
	}
	return t.http1.RoundTrip(request)
}

// CloseIdleConnections closes those of both versions.
func (t *transport) CloseIdleConnections() {
	t.newest.CloseIdleConnections()
	t.http1.CloseIdleConnections()
}

// trusted returns a pool of the system's certificates, if any, and more. Without more it returns nil: crypto/tls then
// loads the system's at the first handshake.
func trusted(more []*x509.Certificate) *x509.CertPool {
	if len(more) == 0 {
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, certificate := range more {
		pool.AddCert(certificate)
	}
	return pool
}

// maxConnections limits the connections of an attempt. If a connection closes, or a stream is refused, before an answer
// begins, net/http resends the request by itself: behind a draining gateway, without end. A healthy service with one
// stream a connection refuses several in a row.
const maxConnections = 8

// The errors of an attempt sent too often.
var (
	errNotServed = fmt.Errorf("no answer began on any of %d connections", maxConnections)
	errRefused   = errors.New("the service refused the request's HTTP/2 stream again and again")
)

// connections tracks the connections of one attempt.
type connections struct {
	mu       sync.Mutex
	given    int
	last     net.Conn
	refusals int               // how often the same connection was given again, after a refused stream
	stage    Fault             // of an attempt ending now
	reached  func(stage Fault) // reports each stage
}

// bound returns the context of a request, which ends after too many connections.
func (c *connections) bound(ctx context.Context) context.Context {
	bounded, cancel := context.WithCancel(ctx)
	return httptrace.WithClientTrace(bounded, &httptrace.ClientTrace{
		TLSHandshakeStart: func() { c.reach(Handshake) },
		GotConn: func(info httptrace.GotConnInfo) {
			if c.give(info.Conn) > maxConnections {
				cancel()
			}
		},
	})
}

// reach records the stage of an attempt without a connection. Once an attempt has one, net/http may continue a
// handshake in the background.
func (c *connections) reach(stage Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.given == 0 {
		c.stage = stage
		c.reached(stage)
	}
}

// give records a connection, and returns their number.
func (c *connections) give(to net.Conn) int {
	c.reach(Broken)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given++
	if to == c.last {
		c.refusals++
	}
	c.last = to
	return c.given
}
