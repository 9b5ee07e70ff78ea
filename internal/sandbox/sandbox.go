package sandbox

import (
	"fmt"
	"io"
	"net/http"
	slashes "path"
	"regexp"
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
	counters map[string]counter // by client id
	faults   []*injected
	requests []*Request // the last ones
	counts   map[Route]int
}

// Option changes how a [Sandbox] behaves.
type Option func(*settings)

// settings are what the interface leaves open.
type settings struct {
	tokenLife time.Duration
	format    TokenFormat
	allowance Allowance
	unlisted  bool // archived revisions are
	pageSize  int  // 0: lists come whole
	hosts     []string
}

// WithTokenLife sets for how long a token is valid, an hour by default. With 0 tokens do not expire, and their
// answer has no expires_in. The interface leaves the lifetime open (INTERFACE.md, Authentication 5).
func WithTokenLife(life time.Duration) Option {
	return func(s *settings) { s.tokenLife = life }
}

// TokenFormat is the content type that the token endpoint takes. The interface does not show it, and services differ.
type TokenFormat string

// The formats of token requests.
const (
	TokenForm TokenFormat = "form" // a form (RFC 6749 §4.4), the default; others get 400 and invalid_request
	TokenJSON TokenFormat = "json" // application/json; others get 415
)

// WithTokenFormat sets the content type that the token endpoint takes.
func WithTokenFormat(format TokenFormat) Option {
	return func(s *settings) { s.format = format }
}

// WithAllowance limits the requests of each client id, its token requests and its authenticated ones together; the
// rest is refused with RATE_LIMITED and not counted (INTERFACE.md, Limits). Token requests with a client id that the
// sandbox does not know are counted together.
func WithAllowance(a Allowance) Option {
	return func(s *settings) { s.allowance = a }
}

// WithPageSize sends lists in pages of that many elements, as services often do: X-Total-Count has the number of all,
// and Link with rel="next" the next page. The interface shows no pages; with 0 lists come whole.
func WithPageSize(elements int) Option {
	return func(s *settings) { s.pageSize = elements }
}

// WithArchivedUnlisted leaves archived revisions out of /v1/model-group/:id/models, as /v1/model does. The interface
// says that the list has every revision. The latest model may be archived still.
func WithArchivedUnlisted() Option {
	return func(s *settings) { s.unlisted = true }
}

// WithHosts answers control routes under these host names too, in lower case. Without it they are answered only
// under those of the loopback address.
func WithHosts(hosts ...string) Option {
	return func(s *settings) { s.hosts = hosts }
}

// New returns a sandbox that serves the catalogue. Publishing into it does not change the catalogue.
func New(c *Catalogue, options ...Option) *Sandbox {
	s := &Sandbox{settings: settings{tokenLife: time.Hour, format: TokenForm}, catalogue: c}
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

// readBody refuses what the sandbox does not read: control requests of others, and bodies that are too large.
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

// Route names an endpoint of the interface, whatever the id in its path and whatever the method.
type Route string

// The zero Route is RouteAny.
const (
	RouteToken   Route = "token"   // POST /v1/auth/token
	RouteGroups  Route = "groups"  // GET /v1/model-group
	RouteGroup   Route = "group"   // GET /v1/model-group/:id
	RouteLatest  Route = "latest"  // GET /v1/model-group/:id/latest-model
	RouteModels  Route = "models"  // GET /v1/model-group/:id/models
	RouteUnknown Route = "unknown" // every path that the interface does not have
	RouteAny     Route = "any"     // all of them, RouteUnknown included; no request has it
)

// covers reports whether it stands for the other route.
func (r Route) covers(other Route) bool {
	return r == "" || r == RouteAny || r == other
}

// paths are those of the interface, as [http.ServeMux] and OpenAPI have them.
var paths = map[Route]string{ //nolint:gosec // no credentials, but where to get a token
	RouteToken:  "/v1/auth/token",
	RouteGroups: "/v1/model-group",
	RouteGroup:  "/v1/model-group/{id}",
	RouteLatest: "/v1/model-group/{id}/latest-model",
	RouteModels: "/v1/model-group/{id}/models",
}

// routes matches the interface's routes without a method: the sandbox refuses a wrong one itself.
func (s *Sandbox) routes() *http.ServeMux {
	mux := http.NewServeMux()
	serve := func(pattern string, route Route, own bool, reply func(*exchange) *answer) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.serve(w, &exchange{request: r, route: route, own: own}, reply)
		})
	}
	for route, pattern := range paths {
		if route == RouteToken {
			serve(pattern, route, false, s.issueToken)
		} else {
			serve(pattern, route, false, s.read)
		}
	}
	for _, c := range Controls() {
		serve(c.Method+" /control/"+c.Path, RouteUnknown, true, func(x *exchange) *answer { return c.reply(s, x) })
	}
	none := func(*exchange) *answer {
		return deny("NOT_FOUND", "There is no such control route. GET / lists them all.")
	}
	serve("/control/", RouteUnknown, true, none)
	serve("GET /{$}", RouteUnknown, true, s.page)
	mux.HandleFunc("/", s.unknown)
	return mux
}

func (s *Sandbox) unknown(w http.ResponseWriter, r *http.Request) {
	s.serve(w, &exchange{request: r, route: RouteUnknown}, func(*exchange) *answer {
		return deny("NOT_FOUND", "There is no such resource.")
	})
}

// ServeHTTP answers a request. Paths are matched as they were sent, so that an id may contain anything, an escaped
// slash included. [http.ServeMux] would redirect an unclean one to what it might mean.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent := r.URL.EscapedPath()
	clean := slashes.Clean("/" + sent)
	if r.Method == http.MethodConnect || sent != clean && (clean == "/" || sent != clean+"/") {
		s.unknown(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// keptRequests is how many requests are kept; those before are forgotten.
const keptRequests = 10_000

// Request is a request that the sandbox received, and its answer.
type Request struct {
	At     time.Time   `json:"at"` // arrival
	Route  Route       `json:"route"`
	Method string      `json:"method"`
	Path   string      `json:"path"`  // escaped, as it was sent
	Query  string      `json:"query"` // escaped, without the question mark
	Header http.Header `json:"header"`
	Remote string      `json:"-"`        // the connection's remote address; tells connections apart
	ID     string      `json:"id"`       // X-Request-Id of the answer
	Client string      `json:"clientId"` // the client id of its token, or the one that asks for a token
	Cause  string      `json:"cause"`    // "fault 1" or "allowance" if one of them made the answer
	Status int         `json:"status"`   // 0 while there is no answer, and if none was given
}

// Requests returns the last 10,000 requests in the order of arrival, without the control routes.
func (s *Sandbox) Requests() []Request { return s.last(keptRequests) }

func (s *Sandbox) last(n int) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Request, min(n, len(s.requests)))
	for i, r := range s.requests[len(s.requests)-len(list):] {
		list[i] = *r
	}
	return list
}

// Count returns how many requests of the route have arrived.
func (s *Sandbox) Count(route Route) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for arrived, count := range s.counts {
		if route.covers(arrived) {
			n += count
		}
	}
	return n
}

// ResetRequests forgets the requests so far.
func (s *Sandbox) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
	clear(s.counts)
}

// arrive records the request and names its answer.
func (s *Sandbox) arrive(x *exchange) {
	r := x.request
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrivals++
	x.record = &Request{
		At: time.Now(), Route: x.route, Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery,
		Header: r.Header.Clone(), Remote: r.RemoteAddr, ID: fmt.Sprintf("sandbox-%06d", s.arrivals),
	}
	if x.own {
		return
	}
	if held, ok := s.tokens[bearer(r)]; ok {
		x.record.Client = held.organisation.ClientID
	}
	s.counts[x.route]++
	s.requests = append(s.requests, x.record)
	if len(s.requests) > keptRequests {
		s.requests = s.requests[1:] // append leaves it behind when it next grows
	}
}

var credential = regexp.MustCompile(`(?i)auth|cookie|token|secret|key|passw|credential|signature|session`)

// listed is the request as the control route lists it. Credentials are left
// out: whoever points the wrong client at the sandbox sends real ones.
func (r Request) listed() Request {
	r.At, r.Header = r.At.UTC(), r.Header.Clone()
	for name := range r.Header {
		if credential.MatchString(name) {
			r.Header[name] = []string{"(hidden)"}
		}
	}
	if credential.MatchString(r.Query) {
		r.Query = "(hidden)"
	}
	return r
}
