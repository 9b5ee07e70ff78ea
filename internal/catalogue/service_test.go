package catalogue_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"syscall"
	"time"
)

// reply is the answer of a service, at its time.
type reply struct {
	status int // 0 for 200
	header http.Header
	body   string
	after  time.Duration // until its header comes
	stall  time.Duration // from its header to its body
	quick  bool          // its way back is instant
	cut    bool          // the connection ends after a part of the body
	err    error         // in place of an answer
}

// Faults of the network. Two are lasting: an unknown host, and a port of this machine without a listener.
var (
	errDropped       = errors.New("connection reset by peer")
	errNoHost        = &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	errNobodyListens = &net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, Err: syscall.ECONNREFUSED}
)

// ages is longer than any read lasts.
const ages = 24 * time.Hour

// found answers a read with a record, whatever its path is.
var found = reply{}

// answered returns an answer of a status, with a code of the service.
func answered(status int) reply {
	return reply{status: status, body: `{"code":"X","message":"No."}`}
}

// retryAfter returns such an answer with a Retry-After.
func retryAfter(status int, value string) reply {
	r := answered(status)
	r.header = http.Header{"Retry-After": {value}}
	return r
}

// issue returns an answer with the n-th token. It states no life if that is 0.
func issue(n int, life time.Duration) reply {
	expires := ""
	if life > 0 {
		expires = fmt.Sprintf(`,"expires_in":%d`, int(life.Seconds()))
	}
	return reply{body: fmt.Sprintf(`{"access_token":"bearer-%d","token_type":"bearer"%s}`, n, expires)}
}

func (r reply) in(after time.Duration) reply {
	r.after = after
	return r
}

// service is the catalogue service as a transport, without a network. It keeps all requests.
type service struct {
	token  func(n int) reply                            // the n-th request for a token, from 1; nil for tokens without an end
	read   func(n int, r *http.Request) reply           // the n-th read, from 1; nil for found
	answer func(x *request) reply                       // either, in place of both
	takes  func(x *request) (there, back time.Duration) // the way of a request and of its answer, nil for instant

	mu            sync.Mutex
	began         time.Time
	tokens, reads int
	sent          []*request
}

// inTurn is a service whose reads get these replies, one after the other, and then a record.
func inTurn(replies ...reply) *service {
	return &service{read: func(n int, _ *http.Request) reply {
		if n <= len(replies) {
			return replies[n-1]
		}
		return found
	}}
}

// tokensInTurn is the same for requests for tokens.
func tokensInTurn(replies ...reply) *service {
	return &service{token: func(n int) reply {
		if n <= len(replies) {
			return replies[n-1]
		}
		return issue(n, 0)
	}}
}

// always is a service whose reads get a reply each time.
func always(r reply) *service {
	return &service{read: func(int, *http.Request) reply { return r }}
}

// never is later than every moment of a run. A wait can be added to it.
const never = time.Duration(1 << 62)

// request is one request, as service and client know it. Times count from the beginning of the service.
type request struct {
	number       int
	token        bool // it asks for one
	path, bearer string
	status       int // 0 if no header came

	sentAt, arrivedAt, headerAt, endAt time.Duration

	timedOut  bool // ended by request_timeout
	left      bool // ended because no caller waited for it any more
	delivered bool // the client has the whole of the body as sent

	simRequest
}

// now returns the time since the beginning.
func (s *service) now() time.Duration {
	return time.Since(s.began)
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, x := r.Context(), s.send(r)
	var there, back time.Duration
	if s.takes != nil {
		there, back = s.takes(x)
	}
	if err := elapse(ctx, there); err != nil {
		return nil, s.end(x, err)
	}
	answer := s.receive(x, r)
	if answer.quick {
		back = 0
	}
	switch trace := httptrace.ContextClientTrace(ctx); {
	case is[tls.RecordHeaderError](answer.err):
		trace.TLSHandshakeStart()
	case !is[*net.OpError](answer.err): // else it never connected
		trace.GotConn(httptrace.GotConnInfo{Conn: new(net.TCPConn)})
	}
	if err := cmp.Or(elapse(ctx, answer.after+back), answer.err); err != nil {
		return nil, s.end(x, err)
	}
	x.headerAt, x.status = s.now(), answer.status
	content := strings.NewReader(answer.body)
	read := func(p []byte) (int, error) {
		if err := elapse(ctx, answer.stall); err != nil {
			return 0, err
		}
		answer.stall = 0
		n, err := content.Read(p)
		if content.Len() == 0 {
			x.delivered = true
			if err = io.EOF; answer.cut {
				err = io.ErrUnexpectedEOF
			}
		}
		return n, err
	}
	body := closing{readerFunc(read), func() { _ = s.end(x, ctx.Err()) }}
	return &http.Response{StatusCode: answer.status, Header: answer.header, Body: body, ContentLength: -1, Request: r}, nil
}

func (s *service) send(r *http.Request) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &request{
		number: len(s.sent), token: r.Method == http.MethodPost, path: r.URL.Path,
		bearer: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
		sentAt: s.now(), arrivedAt: never, headerAt: never, endAt: never,
	}
	s.sent = append(s.sent, x)
	return x
}

func (s *service) receive(x *request, r *http.Request) (answer reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.arrivedAt = s.now()
	if x.token {
		s.tokens++
	} else {
		s.reads++
	}
	switch {
	case s.answer != nil:
		answer = s.answer(x)
	case x.token && s.token != nil:
		answer = s.token(s.tokens)
	case x.token:
		answer = issue(s.tokens, 0)
	case s.read != nil:
		answer = s.read(s.reads, r)
	}
	answer.status = cmp.Or(answer.status, http.StatusOK)
	if answer.body == "" && answer.status == http.StatusOK {
		answer.body = simDocument(x.path, "")
	}
	if answer.header == nil {
		answer.header = http.Header{}
	}
	return answer
}

// end records that the client is done with a request, because of err unless the answer was delivered. It returns err.
func (s *service) end(x *request, err error) error {
	if x.endAt == never {
		x.endAt = s.now()
		x.timedOut = !x.delivered && errors.Is(err, context.DeadlineExceeded)
		x.left = !x.delivered && errors.Is(err, context.Canceled)
	}
	return err
}

// elapse lets time pass, unless ctx ends first.
func elapse(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// closing is a body that calls atClose when it is closed.
type closing struct {
	io.Reader
	atClose func()
}

func (c closing) Close() error {
	c.atClose()
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) {
	return f(p)
}
