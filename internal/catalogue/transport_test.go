package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
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

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// sendOnce sends a GET, or a POST where there is a body, reads the answer, and returns
// the fault where none came.
func sendOnce(t *testing.T, s *sender, body string) *NetworkError {
	t.Helper()
	out := outgoing{method: http.MethodGet, target: ModelGroupsPath}
	if body != "" {
		out.method, out.body = http.MethodPost, []byte(body)
	}
	attempt, cancel := context.WithTimeout(t.Context(), s.requestTimeout)
	defer cancel()
	response, err := s.send(attempt, Endpoint{Method: out.method}, out)
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

func senderFor(t *testing.T, address string, more Config) *sender {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	more.BaseURL = base
	if more.RequestTimeout == 0 {
		more.RequestTimeout = 10 * time.Second
	}
	s := newSender(more)
	return &s
}

// fickle is a service that answers the first request on each connection, and closes
// the connection without an answer at the second.
type fickle struct {
	*httptest.Server
	arrived atomic.Int64
	first   func() // is called before each first answer
}

type requestsOnConnection struct{}

func startFickle(t *testing.T) *fickle {
	t.Helper()
	f := &fickle{first: func() {}}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, requestsOnConnection{}, new(atomic.Int64))
	}
	f.Start()
	t.Cleanup(f.Close)
	return f
}

func (f *fickle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.arrived.Add(1)
	_, _ = io.Copy(io.Discard, r.Body)
	seen, _ := r.Context().Value(requestsOnConnection{}).(*atomic.Int64)
	if seen.Add(1) == 1 {
		f.first()
		_, _ = io.WriteString(w, `{"access_token":"a-token-of-its-own","token_type":"Bearer"}`)
		return
	}
	if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = connection.Close()
	}
}

// TestARequestOnAKeptConnectionIsSentOnce: by itself net/http sends a GET again on
// every connection that it keeps, 33 times here.
func TestARequestOnAKeptConnectionIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"GET": "", "POST": "grant_type=client_credentials"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const kept = 32
			service := startFickle(t)
			var all sync.WaitGroup
			all.Add(kept)
			service.first = func() { all.Done(); all.Wait() } // so that each needs a connection of its own
			s := senderFor(t, service.URL, Config{})
			var senders sync.WaitGroup
			for range kept {
				senders.Go(func() { sendOnce(t, s, "") })
			}
			senders.Wait()
			service.first = func() {}

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
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(service.Close)
	fault := sendOnce(t, senderFor(t, service.URL, Config{}), "")
	if fault == nil || fault.ConnectionClosed || fault.Fault != Broken {
		t.Errorf("%+v", fault)
	}
}

// TestTheCeilingHoldsWhereConnectionsAreClosed: by itself net/http sends two GETs
// within a millisecond. What arrives is counted, and not timed, because a network may
// bunch it: each request that arrives is one that the schedule let go.
func TestTheCeilingHoldsWhereConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	var arrived, letGo atomic.Int32
	service := startFickle(t)
	handler := service.Config.Handler
	service.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		handler.ServeHTTP(w, r)
	})
	base, err := url.Parse(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Config{
		BaseURL: base, ClientID: "id", ClientSecret: "secret",
		RequestTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, MaxRetries: 1,
		Ceiling: pace.Limit{Requests: 1, Per: 200 * time.Millisecond},
		Observe: func(context.Context, Exchange) { letGo.Add(1) },
	})
	for range 3 {
		_, _ = c.ModelGroups(t.Context(), "") // whatever becomes of it
	}
	if arrived.Load() < 3 || arrived.Load() > letGo.Load() {
		t.Errorf("%d requests arrived, and %d were let go", arrived.Load(), letGo.Load())
	}
}

// TestARequestOfHTTP2IsSentOnce: by itself net/http sends a request up to eight times
// where its stream is refused, and again on a new connection after GOAWAY.
func TestARequestOfHTTP2IsSentOnce(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(id uint32) []byte{
		"REFUSED_STREAM": func(id uint32) []byte { return frame(frameReset, 0, id, binary.BigEndian.AppendUint32(nil, 7)) },
		"GOAWAY": func(id uint32) []byte {
			return frame(frameGoAway, 0, 0, append(binary.BigEndian.AppendUint32(nil, id-2), 0, 0, 0, 0))
		},
	} {
		for method, body := range map[string]string{"GET": "", "POST": "grant_type=client_credentials"} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				service := startHTTP2(t, refuse)
				s := senderFor(t, service.address, Config{
					CACertificates: []*x509.Certificate{service.certificate}, RequestTimeout: 3 * time.Second,
				})
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

// Frames of RFC 9113 §6, as far as http2Service needs them.
const (
	frameHeaders, frameReset, frameSettings, frameGoAway = 1, 3, 4, 7
	flagEndStream, flagAck, flagEndHeaders               = 1, 1, 4
)

func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	header := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	return append(binary.BigEndian.AppendUint32(append(header, flags), stream), payload...)
}

// http2Service answers the first request of each connection with 200, and refuses
// those after it.
type http2Service struct {
	address     string
	certificate *x509.Certificate
	refuse      func(id uint32) []byte
	arrived     atomic.Int64
	open        atomic.Int64 // how many requests did not end with their headers
}

func startHTTP2(t *testing.T, refuse func(uint32) []byte) *http2Service {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &http2Service{address: "https://" + listener.Addr().String(), certificate: certified.Certificate(), refuse: refuse}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(connection)
		}
	}()
	return s
}

func (s *http2Service) serve(connection net.Conn) {
	defer func() { _ = connection.Close() }()
	if _, err := io.ReadFull(connection, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	_, _ = connection.Write(frame(frameSettings, 0, 0, nil))
	for requests := 0; ; {
		header := make([]byte, 9)
		if _, err := io.ReadFull(connection, header); err != nil {
			return
		}
		payload := make([]byte, binary.BigEndian.Uint32(header)>>8)
		if _, err := io.ReadFull(connection, payload); err != nil {
			return
		}
		id := binary.BigEndian.Uint32(header[5:])
		switch kind, flags := header[3], header[4]; {
		case kind == frameSettings && flags&flagAck == 0:
			_, _ = connection.Write(frame(frameSettings, flagAck, 0, nil))
		case kind == frameHeaders:
			s.arrived.Add(1)
			if flags&flagEndStream == 0 {
				s.open.Add(1)
			}
			if requests++; requests == 1 {
				const status200 = 0x88 // RFC 7541 Appendix A
				_, _ = connection.Write(frame(frameHeaders, flagEndStream|flagEndHeaders, id, []byte{status200}))
			} else {
				_, _ = connection.Write(s.refuse(id))
			}
		}
	}
}

// mortal is a connection that can go dead without a sign: what is written to it is
// lost, and nothing comes back.
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
		const kept = 12
		var together sync.WaitGroup
		together.Add(kept)
		var first atomic.Int64
		network := &mortals{connections: make(chan net.Conn), dead: new(atomic.Bool)}
		server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if first.Add(1) <= kept {
				together.Done()
				together.Wait() // so that each needs a connection of its own
			}
		})}
		go func() { _ = server.Serve(network) }()
		s := senderFor(t, "http://localhost", Config{RequestTimeout: 5 * time.Second, DialContext: network.dial})
		var senders sync.WaitGroup
		for range kept {
			senders.Go(func() { sendOnce(t, s, "") })
		}
		senders.Wait()
		network.dead.Swap(true)
		network.dead = new(atomic.Bool) // of the connections to come

		if fault := sendOnce(t, s, ""); fault == nil || !fault.TimedOut || fault.ConnectionClosed {
			t.Errorf("the first attempt: %+v", fault)
		}
		if fault := sendOnce(t, s, ""); fault != nil {
			t.Errorf("the second attempt, which needs a new connection: %+v", fault)
		}
		_ = server.Close()
		s.transport.(*http.Transport).CloseIdleConnections() //nolint:forcetypeassert // newSender made it
	})
}

// mortals is a listener in memory, and what dials it.
type mortals struct {
	connections chan net.Conn
	dead        *atomic.Bool // of the connections that are made now
	closed      sync.Once
}

func (m *mortals) Accept() (net.Conn, error) {
	connection, ok := <-m.connections
	if !ok {
		return nil, net.ErrClosed
	}
	return connection, nil
}

func (m *mortals) Addr() net.Addr { return &net.TCPAddr{} }

func (m *mortals) Close() error {
	m.closed.Do(func() { close(m.connections) })
	return nil
}

func (m *mortals) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	m.connections <- far
	return mortal{Conn: near, dead: m.dead}, nil
}

func TestTheUserAgentIsOneLine(t *testing.T) {
	t.Parallel()
	var got atomic.Value
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got.Store(r.UserAgent()) }))
	t.Cleanup(service.Close)
	s := senderFor(t, service.URL, Config{UserAgent: "terraform-provider/1 pipeline\r\nX-Injected: 1\x00 é"})
	if fault := sendOnce(t, s, ""); fault != nil {
		t.Fatalf("%+v", fault)
	}
	const want = "terraform-provider/1 pipeline X-Injected: 1 "
	if agent, _ := got.Load().(string); strings.ContainsAny(agent, "\r\n\x00") || !strings.HasPrefix(agent, want) {
		t.Errorf("%q", agent)
	}
}
