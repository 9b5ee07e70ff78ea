package sandbox

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// Header is in every answer of a sandbox, and in none of the service.
const Header = "X-Modelcatalogue-Sandbox"

const notice = "This is a sandbox, not the service."

// Sandbox is the service. It is an [http.Handler] and safe for concurrent use.
type Sandbox struct {
	settings  settings
	catalogue *Catalogue // what it was started with
	mux       *http.ServeMux

	mu sync.Mutex
	state
	// A reset keeps these, so that names of answers and of faults do not repeat.
	arrivals, lastFault int
}

// state is what requests and operations change, and a reset throws away.
type state struct {
	groups   []*group // in the order of the catalogue; replaced, never changed
	tokens   map[string]grant
	sweep    time.Time          // when to forget expired tokens
	counters map[string]counter // by client id
	faults   []*injected
	requests []*Request // the last ones
	counts   map[Route]int
}

// New returns a sandbox that serves the catalogue. Publishing into it does not
// change the catalogue.
func New(c *Catalogue, options ...Option) *Sandbox {
	s := &Sandbox{settings: settings{tokenLife: time.Hour, format: TokenForm}, catalogue: c}
	s.settings.expiresIn = s.settings.wholeSeconds
	for _, option := range options {
		option(&s.settings)
	}
	s.mux = s.routes()
	s.Reset()
	return s
}

// Reset brings back what the sandbox was started with: its catalogue, without
// the faults, tokens, requests and changes since.
func (s *Sandbox) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state{
		groups: s.catalogue.groups, tokens: map[string]grant{}, counters: map[string]counter{}, counts: map[Route]int{},
	}
}

// exchange is one request while it is answered.
type exchange struct {
	request *http.Request
	route   Route
	own     bool // the route is none of the interface's
	body    []byte
	record  *Request
}

// The longest bodies that the sandbox reads, in bytes: of the interface's
// routes, which any web page can send, and of its own.
const (
	maxBody    = 64 << 10
	maxOwnBody = 256 << 20
)

// serve answers a request of one route. As [Hang] and [Reset] leave a request
// without an answer, it may panic with [http.ErrAbortHandler].
func (s *Sandbox) serve(w http.ResponseWriter, x *exchange, reply func(*exchange) *answer) {
	w.Header().Set(Header, notice)
	s.arrive(x)
	if refusal := s.readBody(x); refusal != nil {
		reply = func(*exchange) *answer { return refusal }
	}
	var a *answer
	if fault, ok := s.dueFault(x); ok {
		a = fail(w, x, fault, reply)
	} else {
		a = reply(x)
	}
	a.identify(x.record.ID)
	// Recorded before it is sent, so that a caller who has the answer finds it.
	s.mu.Lock()
	x.record.Status = a.status
	s.mu.Unlock()
	a.send(w)
}

// readBody refuses what the sandbox does not read: control requests of others,
// and bodies that are too large.
func (s *Sandbox) readBody(x *exchange) *answer {
	most := int64(maxBody)
	if x.own {
		if said := s.foreign(x.request); said != "" {
			return deny("FORBIDDEN", said)
		}
		most = maxOwnBody
	}
	var err error
	if x.body, err = io.ReadAll(io.LimitReader(x.request.Body, most+1)); err != nil {
		panic(http.ErrAbortHandler) // the caller is gone
	}
	if int64(len(x.body)) > most {
		x.body = nil
		return refuse(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE", "The request body is too large.")
	}
	return nil
}
