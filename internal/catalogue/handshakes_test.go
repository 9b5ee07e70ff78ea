package catalogue

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// distant is a connection with slow answers.
type distant struct {
	net.Conn
	away time.Duration
}

func (c distant) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	time.Sleep(c.away)
	return n, err
}

// ofService returns a self-signed certificate for example.com.
func ofService() (own tls.Certificate, signer *x509.Certificate) {
	return sandboxtest.Certify(&x509.Certificate{
		DNSNames:    []string{"example.com"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter:    time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
	}, "")
}

// readOverHTTP2 asks for 100 groups, as many at once as there are readers, and returns the errors. Every second connection
// is slow, so that reads find another one first, and its handshake goes on in the background.
func readOverHTTP2(t *testing.T, streams, readers, retries int, handler http.HandlerFunc) (failed chan error) {
	t.Helper()
	own, signer := ofService()
	dial, closeAll := sandboxtest.PipeTo(&http.Server{
		Handler:   handler,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12},
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: streams},
		ErrorLog:  log.New(io.Discard, "", 0), // of connections that the client gives up
	})
	defer time.Sleep(time.Hour) // for connections that are still dialled or read
	defer closeAll()
	var dialled atomic.Int32
	c := clientTo(t, "https://example.com", Config{
		CACertificates: []*x509.Certificate{signer},
		AccessToken:    "t",
		MaxRetries:     retries,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			away := 5 * time.Millisecond
			if dialled.Add(1)%2 == 0 {
				away = 300 * time.Millisecond
				time.Sleep(50 * time.Millisecond)
			}
			connection, err := dial(ctx, network, address)
			return distant{connection, away}, err
		},
	})
	failed = make(chan error, 100)
	defer close(failed)
	var all sync.WaitGroup
	for reader := range readers {
		all.Go(func() {
			for id := reader; id < 100; id += readers {
				if _, err := c.ModelGroup(t.Context(), fmt.Sprint(id)); err != nil {
					failed <- err
				}
			}
		})
	}
	all.Wait()
	return failed
}

// answerSlowly answers a read over HTTP/2 after a while.
func answerSlowly(w http.ResponseWriter, r *http.Request) {
	time.Sleep(100 * time.Millisecond)
	if r.ProtoMajor == 2 {
		answerTokens(w, r, `{"id":"`+path.Base(r.URL.Path)+`"}`)
	}
}

// A service may allow few streams a connection, and refuse further ones. No read fails because of that, and a handshake
// that net/http continues beside a read does not count as the read's.
func TestFewStreamsOverHTTP2(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ streams, readers, retries int }{
		{1, 16, 4},
		{1, 50, 4},
		{3, 50, 4},
		{10, 16, 0},
		{10, 100, 0},
	} {
		t.Run(fmt.Sprintf("%d streams, %d readers", test.streams, test.readers), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for err := range readOverHTTP2(t, test.streams, test.readers, test.retries, answerSlowly) {
					t.Error(err)
				}
			})
		})
	}
}

// A reset of a stream is retried, whatever handshakes are under way.
func TestAResetBesideHandshakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked sync.Map
		for err := range readOverHTTP2(t, 100, 48, 1, func(w http.ResponseWriter, r *http.Request) {
			answerSlowly(w, r)
			if _, again := asked.LoadOrStore(r.URL.Path, true); !again {
				panic(http.ErrAbortHandler)
			}
		}) {
			t.Error(err)
		}
	})
}

// A request is under way once it has a connection.
func TestASlowAnswerBesideHandshakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		for err := range readOverHTTP2(t, 100, 48, 0, never) {
			fault, _ := errors.AsType[*NetworkError](err)
			if !fault.TimedOut || fault.Fault != Broken {
				t.Errorf("%+v", fault)
			}
		}
	})
}

// spoiling is a connection of a server, with a broken record of TLS added to its next write.
type spoiling struct {
	net.Conn
	next bool
}

func (s *spoiling) Write(b []byte) (int, error) {
	if s.next {
		b = append(bytes.Clone(b), "no TLS"...)
	}
	return s.Conn.Write(b)
}

// A server asks for a certificate of the client, and sends a broken frame of HTTP/2 and a broken record of TLS in one
// segment, before the request is sent. Whoever then reads the record makes the connection write an alert.
func TestAReadThatWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own, signer := ofService()
		serve := func(pipe *spoiling) {
			secured := tls.Server(pipe, &tls.Config{
				Certificates: []tls.Certificate{own},
				MinVersion:   tls.VersionTLS12,
				ClientAuth:   tls.RequestClientCert,
				NextProtos:   []string{"h2"},
			})
			err := secured.Handshake()
			go func() { _, _ = io.Copy(io.Discard, pipe) }()
			pipe.next = err == nil
			_, _ = secured.Write(frame(frameSettings, 0, 1, "")) // of a stream, which settings do not have
		}
		c := clientTo(t, "https://example.com", Config{
			CACertificates: []*x509.Certificate{signer},
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				go serve(&spoiling{Conn: server})
				return client, nil
			},
		})
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { time.Sleep(time.Second) },
		})
		if _, err := c.send(ctx, oneRead(c)); !strings.Contains(fmt.Sprint(err), "could not be established") {
			t.Error(err)
		}
	})
}
