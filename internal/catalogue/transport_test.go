package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// sendOnce sends a GET, or a POST where there is a body, reads the answer, and returns the fault where none came.
func sendOnce(t *testing.T, s *sender, body string) *NetworkError {
	t.Helper()
	to, out := s.to(http.MethodGet, ModelGroupsPath), outgoing{}
	if body != "" {
		to.Method, out.body = http.MethodPost, []byte(body)
	}
	attempt, cancel := context.WithTimeout(t.Context(), s.requestTimeout)
	defer cancel()
	response, err := s.send(attempt, to, out)
	if err != nil {
		fault, ok := errors.AsType[*NetworkError](err)
		if !ok {
			t.Fatalf("%T: %v", err, err)
		}
		return fault
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return nil
}

// senderTo is a sender to that address. What more does not say is as it is for most tests.
func senderTo(t *testing.T, address string, more Config) *sender {
	t.Helper()
	s := newSender(configFor(t, address, more))
	return &s
}

func configFor(t *testing.T, address string, more Config) Config {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	more.BaseURL, more.ReadTimeout = base, 10*time.Second
	if more.RequestTimeout == 0 {
		more.RequestTimeout = 10 * time.Second
	}
	return more
}

// fickle is a service that answers the first request on each connection, and closes
// the connection without an answer at the second.
type fickle struct {
	connections sync.Map // by the address of their other end
	arrived     atomic.Int64
	first       func() // is called before each first answer
}

func (f *fickle) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	f.arrived.Add(1)
	_, _ = io.Copy(io.Discard, r.Body)
	if _, kept := f.connections.LoadOrStore(r.RemoteAddr, true); kept {
		panic(http.ErrAbortHandler)
	}
	if f.first != nil {
		f.first()
	}
}

// keep makes a sender keep so many connections.
func (f *fickle) keep(t *testing.T, s *sender, connections int) {
	t.Helper()
	var all, senders sync.WaitGroup
	all.Add(connections)
	f.first = func() { all.Done(); all.Wait() } // so that each request needs a connection of its own
	for range connections {
		senders.Go(func() { sendOnce(t, s, "") })
	}
	senders.Wait()
	f.first = nil
}

// TestARequestOnAKeptConnectionIsSentOnce: by itself net/http sends a GET again on
// every connection that it keeps, 33 times here.
func TestARequestOnAKeptConnectionIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"GET": "", "POST": "grant_type=client_credentials"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &fickle{}
			s := senderTo(t, sandboxtest.Start(t, service), Config{})
			service.keep(t, s, 32)
			before := service.arrived.Load()
			fault := sendOnce(t, s, body)
			if arrived := service.arrived.Load() - before; arrived != 1 {
				t.Errorf("one request arrived %d times", arrived)
			}
			if fault == nil || !fault.ConnectionClosed || fault.Permanent || fault.Fault != Broken ||
				fault.Problem != "the connection was closed before an answer came" {
				t.Fatalf("%+v", fault)
			}
			// The other connections that were kept are not tried.
			if fault := sendOnce(t, s, body); fault != nil {
				t.Errorf("the next attempt: %+v", fault)
			}
		})
	}
}

// TestANewConnectionThatIsClosedIsNoKeptOne: only a kept one may be closed for a
// reason that has nothing to do with the request.
func TestANewConnectionThatIsClosedIsNoKeptOne(t *testing.T) {
	t.Parallel()
	closes := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	fault := sendOnce(t, senderTo(t, sandboxtest.Start(t, closes), Config{}), "")
	if fault == nil || fault.ConnectionClosed || fault.Fault != Broken {
		t.Errorf("%+v", fault)
	}
}

// TestARequestOfHTTP2IsSentOnce: by itself net/http sends a request up to eight times
// where its stream is refused, and again on a new connection after GOAWAY.
func TestARequestOfHTTP2IsSentOnce(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(frames *http2.Framer, id uint32) error{
		"REFUSED_STREAM": func(frames *http2.Framer, id uint32) error {
			return frames.WriteRSTStream(id, http2.ErrCodeRefusedStream)
		},
		"GOAWAY": func(frames *http2.Framer, id uint32) error { return frames.WriteGoAway(id-2, http2.ErrCodeNo, nil) },
	} {
		for method, body := range map[string]string{"GET": "", "POST": "grant_type=client_credentials"} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				service := &http2Service{refuse: refuse}
				server := service.start(t)
				s := senderTo(t, server.URL, Config{CACertificates: []*x509.Certificate{server.Certificate()}, RequestTimeout: 3 * time.Second})
				if fault := sendOnce(t, s, ""); fault != nil {
					t.Fatalf("the first request: %+v", fault)
				}
				fault := sendOnce(t, s, body)
				if arrived := service.arrived.Load(); arrived != 2 {
					t.Errorf("two requests arrived %d times", arrived)
				}
				if fault == nil || fault.TimedOut || fault.Permanent || fault.ConnectionClosed != (name == "GOAWAY") {
					t.Errorf("%+v", fault)
				}
				if open := service.open.Load(); method == "GET" && open != 0 {
					t.Errorf("%d requests were announced to have a body", open)
				}
			})
		}
	}
}

// http2Service answers the first request of each connection with 200, and refuses those after it.
type http2Service struct {
	refuse  func(frames *http2.Framer, id uint32) error
	arrived atomic.Int64
	open    atomic.Int64 // how many requests did not end with their headers
}

func (s *http2Service) start(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.TLS = &tls.Config{NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12}
	server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, connection *tls.Conn, _ http.Handler) { s.serve(connection) },
	}
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func (s *http2Service) serve(connection net.Conn) {
	if _, err := io.ReadFull(connection, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	frames := http2.NewFramer(connection, connection)
	_ = frames.WriteSettings()
	for requests := 0; ; {
		received, err := frames.ReadFrame()
		if err != nil {
			return
		}
		switch received := received.(type) {
		case *http2.SettingsFrame:
			if !received.IsAck() {
				_ = frames.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			s.arrived.Add(1)
			if !received.StreamEnded() {
				s.open.Add(1)
			}
			if requests++; requests > 1 {
				_ = s.refuse(frames, received.StreamID)
				continue
			}
			const status200 = 0x88 // RFC 7541 Appendix A
			answer := http2.HeadersFrameParam{StreamID: received.StreamID, BlockFragment: []byte{status200}, EndStream: true, EndHeaders: true}
			_ = frames.WriteHeaders(answer)
		}
	}
}

// mortal is a connection that can go dead without a sign: what is written to it is lost, and nothing comes back.
type mortal struct {
	net.Conn
	dead *atomic.Bool
}

func (c mortal) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// TestDeadConnectionsAreNotTriedOneAfterAnother: a service that went away without a
// word leaves every kept connection dead.
func TestDeadConnectionsAreNotTriedOneAfterAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, dead := &fickle{}, new(atomic.Bool)
		dial, closeAll := sandboxtest.Pipe(service)
		t.Cleanup(closeAll)
		s := senderTo(t, "http://localhost", Config{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connection, err := dial(ctx, network, address)
			return mortal{Conn: connection, dead: dead}, err
		}})
		service.keep(t, s, 12)
		dead.Store(true)
		dead = new(atomic.Bool) // of the connections to come
		if fault := sendOnce(t, s, ""); fault == nil || !fault.TimedOut || fault.ConnectionClosed {
			t.Errorf("the first attempt: %+v", fault)
		}
		if fault := sendOnce(t, s, ""); fault != nil {
			t.Errorf("the second attempt, which needs a new connection: %+v", fault)
		}
	})
}

func TestTheUserAgentIsOneLine(t *testing.T) {
	t.Parallel()
	var got atomic.Value
	service := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got.Store(r.UserAgent()) })
	s := senderTo(t, sandboxtest.Start(t, service), Config{UserAgent: "terraform-provider/1 pipeline\r\nX-Injected: 1\x00 é"})
	if fault := sendOnce(t, s, ""); fault != nil {
		t.Fatalf("%+v", fault)
	}
	const want = "terraform-provider/1 pipeline X-Injected: 1 "
	if agent, _ := got.Load().(string); strings.ContainsAny(agent, "\r\n\x00") || !strings.HasPrefix(agent, want) {
		t.Errorf("%q", agent)
	}
}

// TestALargeAnswerIsRefusedWithoutBeingKept serves a list without end, so that only the limit can end the read.
func TestALargeAnswerIsRefusedWithoutBeingKept(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	for name, announced := range map[string]int64{"announced": limit + 1, "not announced": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reads atomic.Int32
			service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					_, _ = io.WriteString(w, `{"access_token":"t","token_type":"bearer"}`)
					return
				}
				reads.Add(1)
				if announced > 0 {
					w.Header().Set("Content-Length", fmt.Sprint(announced))
				}
				const record = `{"id":"a","revision":1`
				_, err := io.WriteString(w, "["+record+"}")
				for element := "," + record + strings.Repeat(" ", 1000) + "}"; err == nil; {
					_, err = io.WriteString(w, element)
				}
			})
			c := New(configFor(t, sandboxtest.Start(t, service), Config{MaxRetries: 4}))
			c.maxBody = limit
			_, err := c.Models(t.Context(), "g")
			tooLarge, ok := errors.AsType[*TooLargeError](err)
			if !ok {
				t.Fatal(err)
			}
			if tooLarge.Limit != limit || tooLarge.Size != announced || tooLarge.Path != "/v1/model-group/g/models" {
				t.Errorf("%+v", tooLarge)
			}
			if reads.Load() != 1 {
				t.Errorf("%d reads: a retry cannot help", reads.Load())
			}
		})
	}
}
