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
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// newTransport makes the transport of all requests. It notes in asked that the server asks for a certificate of the
// client.
func newTransport(cfg Config, asked *atomic.Bool) *http.Transport {
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	// A dead connection of HTTP/2 is found within one attempt, so that the next attempt uses another one.
	ping := min(cfg.RequestTimeout/3, 10*time.Second)
	transport := &http.Transport{
		DialContext: patiently(dial),
		TLSClientConfig: &tls.Config{
			MinVersion:           tls.VersionTLS12,
			RootCAs:              trusted(cfg.CACertificates),
			GetClientCertificate: presenting(&cfg.ClientCertificate, asked),
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
	refusals int // how often the same connection was given again, because the stream was not served
	// The server asked for a certificate of the client, and one was presented.
	asked, presented bool
	handshaking      bool              // a TLS handshake has begun, and was not completed
	reached          func(stage Fault) // reports how far the attempt has come
}

// connectionsKey is the key of an attempt's *connections in its context.
type connectionsKey struct{}

// bound returns a context for a request, which ends once it is given too many connections.
func (c *connections) bound(ctx context.Context) context.Context {
	bounded, cancel := context.WithCancel(context.WithValue(ctx, connectionsKey{}, c))
	return httptrace.WithClientTrace(bounded, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if c.give(info.Conn) > maxConnections {
				cancel()
			}
		},
		TLSHandshakeStart: func() { c.setHandshaking(true) },
		TLSHandshakeDone:  func(_ tls.ConnectionState, err error) { c.setHandshaking(err != nil) },
	})
}

// setHandshaking notes a handshake that the attempt waits for. net/http goes on with one in the background once it has
// found another connection for the attempt.
func (c *connections) setHandshaking(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handshaking = on
	if on && c.given == 0 {
		c.reached(Handshake)
	}
}

// presenting returns the function that answers a server that asks for a certificate of the client. It presents the
// given one even to a server that names other authorities, so that the server says why it refuses it.
func presenting(
	given *tls.Certificate, asked *atomic.Bool,
) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return func(request *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		asked.Store(true)
		if c, ok := request.Context().Value(connectionsKey{}).(*connections); ok {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.asked = true
			c.presented = len(given.Certificate) > 0
		}
		return given, nil
	}
}

// patient is a connection on which a server that asks for a certificate of the client can still say why it ended it. It
// does so after the handshake (TLS 1.3), when the first request may be under way: a write that fails then must not hide
// the alert, which the next read finds, or else the fault of the write.
type patient struct {
	net.Conn
	of *connections
}

func (p patient) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.of.asked && (errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)) {
		return len(b), nil
	}
	return n, err
}

// patiently returns a dialler of patient connections.
func patiently(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		connection, err := dial(ctx, network, addr)
		if of, ok := ctx.Value(connectionsKey{}).(*connections); ok && err == nil {
			connection = patient{Conn: connection, of: of}
		}
		return connection, err
	}
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// give counts a connection, and returns how many were given.
func (c *connections) give(to net.Conn) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given++
	c.reached(Broken)
	if to == c.last {
		c.refusals++
	}
	c.last = to
	return c.given
}
