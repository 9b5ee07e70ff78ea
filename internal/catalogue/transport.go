package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"
)

// newTransport makes the transport of all requests. They go through a proxy
// where through is not nil.
func newTransport(cfg Config, through *Proxy) *http.Transport {
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	// A dead connection of HTTP/2 is found within one attempt, so that the next
	// attempt uses another one.
	ping := min(cfg.RequestTimeout/3, 10*time.Second)
	return &http.Transport{
		Proxy:       onlyOnce(through),
		DialContext: dial,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: trusted(cfg.CACertificates), GetClientCertificate: noCertificate,
		},
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: ping, PingTimeout: ping},
		IdleConnTimeout:     90 * time.Second,
		// An engine reads at any parallelism; with the default of 2 it would
		// open a connection for almost every read.
		MaxIdleConnsPerHost: 256,
		// Answers of many megabytes are common; the default is 4 KiB.
		ReadBufferSize: 64 << 10,

		OnProxyConnectResponse: keepProxyStatus,
	}
}

// trusted is the system's own certificates and those given. Where none are given
// it is nil, which net/http takes for the system's own.
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

// net/http sends a request again by itself where a kept connection is closed before
// an answer came. On HTTP/1.1 it does so once for each connection that it keeps, and
// on HTTP/2 after GOAWAY and REFUSED_STREAM. Those requests would arrive inside a
// pause and past the ceiling, because nothing admitted them.
//
// A body without GetBody would prevent it too. But on HTTP/2 a GET would then have a
// body on the wire, which gateways refuse.

// errSentBefore ends a request that net/http is about to send for the second time.
var errSentBefore = errors.New("the connection was closed before an answer came")

// journey is what becomes of one request until its answer begins. net/http tells it
// through hooks, from any goroutine.
type journey struct {
	cancel context.CancelCauseFunc

	mu         sync.Mutex
	connection net.Conn // that it was sent on, nil before that
	reused     bool     // another request was sent on it before
	answered   bool     // the first byte of an answer came
	refused    bool     // HTTP/2: the service refused it and kept the connection
	wanted     bool     // the service wanted a certificate of the client
}

type journeyKey struct{}

// observed returns a context for one request, and its journey.
func observed(ctx context.Context) (context.Context, *journey) {
	j := &journey{}
	ctx, j.cancel = context.WithCancelCause(ctx)
	ctx = context.WithValue(ctx, journeyKey{}, j)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: j.gotConnection,
		GotFirstResponseByte: func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.answered = true
		},
	}), j
}

// gotConnection is called before the request is written to a connection, on HTTP/2
// before each time: it writes nothing once the context is cancelled.
func (j *journey) gotConnection(got httptrace.GotConnInfo) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.connection != nil {
		j.refused = got.Conn == j.connection
		j.cancel(errSentBefore)
		return
	}
	j.connection, j.reused = got.Conn, got.Reused
}

// onlyOnce returns what http.Transport asks for a proxy. On HTTP/1.1 it asks before
// each time that it sends a request, so the second time is the place to stop it.
func onlyOnce(through *Proxy) func(*http.Request) (*url.URL, error) {
	return func(request *http.Request) (*url.URL, error) {
		if j, ok := request.Context().Value(journeyKey{}).(*journey); ok && j.began() {
			return nil, errSentBefore
		}
		return through.address()
	}
}

// noCertificate sends the service no certificate, and notes that it wanted one.
func noCertificate(request *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if j, ok := request.Context().Value(journeyKey{}).(*journey); ok {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.wanted = true
	}
	return &tls.Certificate{}, nil
}

// began tells whether the request has got a connection.
func (j *journey) began() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.connection != nil
}

// fault classifies the error that the request ended with.
func (j *journey) fault(err error) Fault {
	connected := j.began()
	j.mu.Lock()
	defer j.mu.Unlock()
	if remote, ok := errors.AsType[*net.OpError](err); ok && remote.Op == opAlert && j.wanted {
		return WantsCertificate
	}
	return faultOf(err, connected)
}

// closed tells whether the request ended because a kept connection was closed before
// an answer came. Only the caller knows whether its time was over instead.
func (j *journey) closed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.reused && !j.answered && !j.refused
}
