package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Header is in every answer of a sandbox, and in none of the service: whoever
// is in doubt can look.
const Header = "X-Modelcatalogue-Sandbox"

const notice = "This is a sandbox, not the service."

// Sandbox is the service. It is an [http.Handler] and safe for concurrent use.
type Sandbox struct {
	horizons  []string
	tokenLife time.Duration
	expiresIn func() jsontext.Value // nil: the field is left out
	format    TokenFormat
	wrongForm TokenRefusal
	allowance Allowance
	unlisted  bool // archived revisions are

	mu            sync.Mutex
	groups        []*group // in the order of the catalogue; replaced, never changed
	organisations []*Organisation
	tokens        map[string]grant
	counters      map[string]counter // by client id
	faults        []*injected
	lastFault     int
	requests      []*Request
	arrivals      int
	shuffled      bool
	seed          int64
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

// Disable disables the organisation of that name, or client id, from the next
// request on; the reason is what the service says (interface.md
// "Authentication" 4). It panics where there is no such organisation.
func (s *Sandbox) Disable(organisation, reason string) {
	if !s.disable(organisation, reason) {
		panic(fmt.Sprintf("sandbox: no organisation is named %q", organisation))
	}
}

// Enable ends what [Sandbox.Disable] or the catalogue began. It panics where
// there is no such organisation.
func (s *Sandbox) Enable(organisation string) {
	if !s.setDisabled(organisation, "") {
		panic(fmt.Sprintf("sandbox: no organisation is named %q", organisation))
	}
}

func (s *Sandbox) disable(organisation, reason string) bool {
	if reason == "" {
		reason = "The organisation is disabled."
	}
	return s.setDisabled(organisation, reason)
}

// setDisabled tells whether there is such an organisation.
func (s *Sandbox) setDisabled(organisation, reason string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.organisations, func(o *Organisation) bool {
		return o.Name == organisation || o.ClientID == organisation
	})
	if i < 0 {
		return false
	}
	s.organisations[i].Disabled = reason
	return true
}

// exchange is one request while it is answered.
type exchange struct {
	request *http.Request
	target  target
	body    []byte
	tooLong bool // the body is longer than maxBody, and cut there
	record  *Request
	values  map[string]string // what a control route has in its path
}

// maxBody is the longest request body the sandbox reads, in bytes: far more
// than a token request or a model document takes.
const maxBody = 16 << 20

// ServeHTTP answers a request. As [Hang] and [Reset] leave a request without
// an answer, it may panic with [http.ErrAbortHandler]. Paths are matched as
// they were sent: no redirect cleans them up.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(Header, notice)
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
	case x.target.index:
		return s.index()
	case x.target.isControl():
		return s.control(x)
	case x.target.route == RouteToken:
		a = s.issueToken(x)
	default:
		a = s.read(x)
	}
	return s.shuffle(x, a)
}
