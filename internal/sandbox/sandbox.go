package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Sandbox is the service. It is an [http.Handler] and safe for concurrent use.
type Sandbox struct {
	horizons  []string
	tokenLife time.Duration
	expiresIn func() json.RawMessage // nil: the field is left out
	format    TokenFormat
	wrongForm TokenRefusal
	allowance Allowance

	mu            sync.Mutex
	groups        []*group // in the order of the catalogue; replaced, never changed
	organisations []*Organisation
	tokens        map[string]grant
	counters      map[string]counter // by client id
	faults        []*injected
	requests      []*Request
	arrivals      int
	shuffled      bool
	seed          int64
}

// Option changes how a [Sandbox] behaves.
type Option func(*Sandbox)

// WithTokenLife sets for how long a token is valid, one hour unless told. With
// 0 tokens do not expire, and their answer has no expires_in. The interface
// leaves the lifetime open (interface.md "Authentication" 5).
func WithTokenLife(life time.Duration) Option {
	return func(s *Sandbox) { s.tokenLife = life }
}

// WithExpiresIn sets the expires_in of token answers to any JSON value,
// whatever the tokens' life: nil leaves the field out, a [json.RawMessage] is
// sent as it is, anything else is encoded. Unless told it is the life in whole
// seconds (RFC 6749 §5.1). It panics on what JSON cannot express.
func WithExpiresIn(value any) Option {
	var text json.RawMessage
	if value != nil {
		text = encode(value)
	}
	return func(s *Sandbox) { s.expiresIn = func() json.RawMessage { return text } }
}

// WithRateLimit is [WithAllowance] of n requests in any window of that length.
func WithRateLimit(n int, window time.Duration) Option {
	return WithAllowance(Allowance{Kind: SlidingWindow, Requests: n, Per: window})
}

// WithAllowance permits each client id so many requests, its token requests
// and its authenticated ones together; the rest is refused with RATE_LIMITED
// and not counted (interface.md "Limits"). Token requests with a client id
// that the sandbox does not know are counted together.
func WithAllowance(a Allowance) Option {
	return func(s *Sandbox) { s.allowance = a }
}

// New returns a sandbox that serves the catalogue. Publishing into it does not
// change the catalogue.
func New(c *Catalogue, options ...Option) *Sandbox {
	s := &Sandbox{
		horizons:  c.horizons,
		groups:    c.groups,
		tokens:    map[string]grant{},
		counters:  map[string]counter{},
		tokenLife: time.Hour,
		format:    TokenForm,
	}
	s.expiresIn = s.wholeSeconds
	for _, o := range c.organisations {
		s.organisations = append(s.organisations, &o)
	}
	for _, option := range options {
		option(s)
	}
	return s
}

func (s *Sandbox) wholeSeconds() json.RawMessage {
	if s.tokenLife <= 0 {
		return nil
	}
	return encode(int64(s.tokenLife / time.Second))
}

// Disable disables the organisation of that name from the next request on; the
// reason is what the service says (interface.md "Authentication" 4). It panics
// where there is no such organisation.
func (s *Sandbox) Disable(organisation, reason string) {
	if reason == "" {
		reason = "The organisation is disabled."
	}
	s.setDisabled(organisation, reason)
}

// Enable ends what [Sandbox.Disable] or the catalogue began. It panics where
// there is no such organisation.
func (s *Sandbox) Enable(organisation string) { s.setDisabled(organisation, "") }

func (s *Sandbox) setDisabled(name, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.organisations {
		if o.Name == name {
			o.Disabled = reason
			return
		}
	}
	panic(fmt.Sprintf("sandbox: no organisation is named %q", name))
}

// exchange is one request while it is answered.
type exchange struct {
	request *http.Request
	target  target
	body    []byte
	tooLong bool // the body is longer than maxBody, and cut there
	record  *Request
}

// maxBody is the longest request body the sandbox reads, in bytes: far more
// than a token request or a model document takes.
const maxBody = 16 << 20

// ServeHTTP answers a request. As [Hang] and [Reset] leave a request without
// an answer, it may panic with [http.ErrAbortHandler]. Paths are matched as
// they were sent: no redirect cleans them up.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{request: r, target: findTarget(r)}
	id := s.arrive(x)
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		panic(http.ErrAbortHandler) // the caller is gone
	}
	x.tooLong = len(body) > maxBody
	x.body = body[:min(len(body), maxBody)]
	r.Body = io.NopCloser(bytes.NewReader(x.body))
	s.readFields(x)

	reply := s.reply
	if fault, ok := s.dueFault(x); ok {
		reply = func(x *exchange) *answer { return s.fail(w, x, id, fault) }
	}
	a := reply(x)
	a.identify(id)
	// Recorded before it is sent, so that a caller who has the answer finds it.
	s.settle(x, a.status)
	a.send(w)
}

// reply is the answer of the service when nothing is made to fail.
func (s *Sandbox) reply(x *exchange) *answer {
	var a *answer
	switch {
	case x.tooLong:
		a = refuse(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE", "The request body is too large.")
	case x.target.control != controlNone:
		a = s.control(x)
	case x.target.route == RouteToken:
		a = s.issueToken(x)
	default:
		a = s.read(x)
	}
	return s.shuffle(x, a)
}
