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

// transport sends the requests of a client over HTTP/2 if the service speaks it, and over HTTP/1.1 once the service has
// required that (RFC 9113 §7), as some that ask for a certificate of the client at certain paths do.
type transport struct {
	newest, http1 *http.Transport
	required      atomic.Bool
}

// newTransport makes the transport of all requests. It calls asked if the service asks for a certificate of the client.
func newTransport(cfg Config, asked func()) *transport {
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	// A dead connection of HTTP/2 is found within one attempt, so that the next attempt uses another one.
	ping := min(cfg.RequestTimeout/3, 10*time.Second)
	http1 := &http.Transport{
		DialContext: dial,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12,
			RootCAs:    trusted(cfg.CACertificates),
			// The given one goes even to a server that names other authorities, so that it reports why it refuses it.
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				asked()
				return &cfg.ClientCertificate, nil
			},
			Renegotiation: tls.RenegotiateOnceAsClient, // some servers ask once they know the path (TLS 1.2)
		},
		TLSHandshakeTimeout: 10 * time.Second,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: ping, PingTimeout: ping},
		IdleConnTimeout:     90 * time.Second,
		// An engine reads at any parallelism; with the default of 2 it would open a connection for almost every read.
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
		// net/http does not have a type for this.
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

// trusted returns a pool of the system's own certificates, if it has any, and of more. Without more it returns nil:
// crypto/tls loads the system's own then, at the first handshake.
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

// maxConnections is how many connections an attempt may be given. net/http sends a request again by itself if its
// connection is closed, or its stream refused, before an answer begins: below a gateway that drains, without end. A
// healthy service that allows one stream a connection refuses several in a row.
const maxConnections = 8

// The errors of an attempt that was sent several times.
var (
	errNotServed = fmt.Errorf("no answer began on any of %d connections", maxConnections)
	errRefused   = errors.New("the service refused the request's HTTP/2 stream again and again")
)

// connections describes the connections that net/http gives to one attempt.
type connections struct {
	mu       sync.Mutex
	given    int
	last     net.Conn
	refusals int               // how often the same connection was given again, because the stream was not served
	stage    Fault             // that of an attempt that would end now
	reached  func(stage Fault) // reports each stage
}

// bound returns a context for a request, which ends once it is given too many connections.
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

// reach notes the stage of an attempt. net/http goes on with a handshake in the background once it has found another
// connection for the attempt.
func (c *connections) reach(stage Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.given == 0 {
		c.stage = stage
		c.reached(stage)
	}
}

// give counts a connection, and returns how many were given.
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
