package catalogue

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// gateway speaks just enough HTTP/2 to drain its connections, to refuse streams or to require HTTP/1.1, before it answers.
type gateway struct {
	certificates []tls.Certificate
	drains       int32 // how many requests are answered with GOAWAY and the end of their connection
	refuses      int32 // how many requests are answered with RST_STREAM of REFUSED_STREAM
	http1        bool  // requests are answered with RST_STREAM of HTTP_1_1_REQUIRED
	requests     atomic.Int32
}

// The frames of a gateway (RFC 9113 §6).
const (
	frameData     = 0
	frameHeaders  = 1
	frameReset    = 3
	frameSettings = 4
	frameGoAway   = 7

	endStream     = 1
	endHeaders    = 4
	refusedStream = "\x00\x00\x00\x07"
	http1Required = "\x00\x00\x00\x0d"
	status200     = "\x88" // in HPACK
)

func (g *gateway) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go g.serve(server)
	return client, nil
}

// serve answers the requests on a connection. It reads while it writes, because a pipe is not buffered.
func (g *gateway) serve(pipe net.Conn) {
	connection := tls.Server(pipe, &tls.Config{
		Certificates: g.certificates,
		NextProtos:   []string{"h2"},
		MinVersion:   tls.VersionTLS12,
	})
	if g.http1 && connection.Handshake() == nil && connection.ConnectionState().NegotiatedProtocol == "" {
		serveHTTP1(connection)
		return
	}
	frames := make(chan []byte, 100)
	go func() {
		defer pipe.Close()
		for next := <-frames; next != nil; next = <-frames {
			_, _ = connection.Write(next)
		}
	}()
	defer close(frames)
	preface := make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	_, err := io.ReadFull(connection, preface)
	frames <- frame(frameSettings, 0, 0, "")
	for err == nil {
		head := make([]byte, 9)
		if _, err = io.ReadFull(connection, head); err != nil {
			return
		}
		size := binary.BigEndian.Uint32(head) >> 8
		_, err = io.CopyN(io.Discard, connection, int64(size))
		if head[3] != frameHeaders {
			continue
		}
		stream := binary.BigEndian.Uint32(head[5:])
		switch n := g.requests.Add(1); {
		case n <= g.drains:
			frames <- frame(frameGoAway, 0, 0, strings.Repeat("\x00", 8))
			frames <- nil // the end of the connection
		case n <= g.drains+g.refuses:
			frames <- frame(frameReset, 0, stream, refusedStream)
		case g.http1:
			frames <- frame(frameReset, 0, stream, http1Required)
		default:
			frames <- frame(frameHeaders, endHeaders, stream, status200)
			frames <- frame(frameData, endStream, stream, "{}")
		}
	}
}

// serveHTTP1 answers a request over HTTP/1.1. One for a token must have its body.
func serveHTTP1(connection net.Conn) {
	defer connection.Close()
	answer := httptest.NewRecorder()
	request, err := http.ReadRequest(bufio.NewReader(connection))
	if err != nil || request.Method == http.MethodPost && request.FormValue("grant_type") == "" {
		return
	}
	answerTokens(answer, request, `[{"id":"g"}]`)
	_ = answer.Result().Write(connection)
}

func frame(kind, flags byte, stream uint32, payload string) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = binary.BigEndian.AppendUint32(append(head, flags), stream)
	return append(head, payload...)
}

// net/http sends a request again by itself if its connection is drained or its stream is refused. An attempt is not
// sent a ninth time.
func TestAnAttemptIsAFewRequests(t *testing.T) {
	t.Parallel()
	own, signer := ofService()
	const always = 1000
	for name, test := range map[string]struct {
		drains   int32
		refuses  int32
		requests int32
		fault    Fault // if it fails
		problem  string
	}{
		"drained once":          {drains: 1, requests: 2},
		"refused once":          {refuses: 1, requests: 2},
		"drained seven times":   {drains: 7, requests: 8},
		"drained, then refused": {drains: 1, refuses: always, requests: 4, fault: StreamRefused, problem: "refused"},
		"drained for ever":      {drains: always, requests: 8, fault: Broken, problem: "any of 8"},
		"refused for ever":      {refuses: always, requests: 4, fault: StreamRefused, problem: "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := &gateway{certificates: []tls.Certificate{own}, drains: test.drains, refuses: test.refuses}
				s := clientTo(t, "https://example.com", Config{
					CACertificates: []*x509.Certificate{signer},
					DialContext:    g.dial,
					RequestTimeout: time.Minute,
				})
				fault := sendOnce(t, s)
				synctest.Wait()
				if kept, ok := s.cfg.Transport.(*transport); ok {
					kept.CloseIdleConnections()
				}
				switch {
				case fault == nil && test.problem == "":
				case fault == nil || fault.Fault != test.fault || !strings.Contains(fault.Problem, test.problem):
					t.Errorf("%+v, want fault %d and %q", fault, test.fault, test.problem)
				}
				if got := g.requests.Load(); got < test.requests || got > maxConnections+1 {
					t.Errorf("%d requests, want %d", got, test.requests)
				}
			})
		})
	}
}

// A service may require HTTP/1.1, for example to ask for a client certificate at certain paths. The request goes once
// more, and later ones go over HTTP/1.1 at once.
func TestHTTP1IsRequired(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own, signer := ofService()
		g := &gateway{certificates: []tls.Certificate{own}, http1: true}
		c := clientTo(t, "https://example.com", Config{
			CACertificates: []*x509.Certificate{signer},
			DialContext:    g.dial,
			MaxRetries:     0,
		})
		groups, err := c.ModelGroups(t.Context(), "")
		if err != nil || len(groups) != 1 || g.requests.Load() != 1 {
			t.Errorf("%d groups, %v, after %d requests over HTTP/2", len(groups), err, g.requests.Load())
		}
		time.Sleep(time.Hour) // for connections that are kept
	})
}
