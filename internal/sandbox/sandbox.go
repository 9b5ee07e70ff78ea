package sandbox

import (
	"fmt"
	"io"
	"math"
	"net/http"
	slashes "path"
	"regexp"
	"sync"
	"time"
)

// Header is a header that every answer of a sandbox has, and no answer of the service.
const Header = "X-Modelcatalogue-Sandbox"

const notice = "This is a sandbox, not the service."

// Sandbox is the service. It is an [http.Handler] and safe for concurrent use.
type Sandbox struct {
	settings  settings
	catalogue *Catalogue // what it was started with
	mux       *http.ServeMux

	mu sync.Mutex
	state
	// A reset keeps these, so that ids of answers and faults do not repeat.
	arrivals, lastFault int
}

// state is what requests and operations change. A reset replaces it.
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
	allowance Allowance
	unlisted  bool // whether lists of models leave out archived revisions
	hosts     []string
}

// WithTokenLife sets how long a token is valid, an hour by default. With 0 tokens do not expire, and their answer has
// no expires_in.
func WithTokenLife(life time.Duration) Option {
	return func(s *settings) { s.tokenLife = life }
}

// WithAllowance limits the requests of each client id, token requests included. A limited request is answered with
// RATE_LIMITED and not counted. All unknown client ids share one allowance.
func WithAllowance(a Allowance) Option {
	return func(s *settings) { s.allowance = a }
}

// WithArchivedUnlisted leaves archived revisions out of lists of models, unlike the interface. The latest model may
// still be an archived one.
func WithArchivedUnlisted() Option {
	return func(s *settings) { s.unlisted = true }
}

// WithHosts answers control routes under these lower-case host names too, and not only under the loopback address.
func WithHosts(hosts ...string) Option {
	return func(s *settings) { s.hosts = hosts }
}

// New returns a sandbox that serves the catalogue and never changes it.
func New(c *Catalogue, options ...Option) *Sandbox {
	s := &Sandbox{settings: settings{tokenLife: time.Hour}, catalogue: c}
	for _, option := range options {
		option(&s.settings)
	}
	s.mux = s.routes()
	s.Reset()
	return s
}

// Reset restores the catalogue, and forgets faults, tokens and requests.
func (s *Sandbox) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state{
		groups: s.catalogue.groups, tokens: map[string]grant{}, counters: map[string]counter{}, counts: map[Route]int{},
	}
}

// exchange is a request that is being answered.
type exchange struct {
	request *http.Request
	route   Route
	own     bool // whether the route is the sandbox's own
	body    []byte
	record  *Request
}

// The longest bodies that the sandbox reads, in bytes: on the routes of the interface, and on its own.
const (
	maxBody    = 64 << 10
	maxOwnBody = 256 << 20
)

// serve answers a request. It panics with [http.ErrAbortHandler] if a fault leaves the request without an answer.
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
	// Recorded before it is sent, so that whoever has the answer finds it.
	s.mu.Lock()
	x.record.Status = a.status
	s.mu.Unlock()
	a.send(w)
}

// readBody reads the body. It refuses foreign control requests, and bodies that are too large.
func (s *Sandbox) readBody(x *exchange) *answer {
	limit := int64(maxBody)
	if x.own {
		if said := s.foreign(x.request); said != "" {
			return deny("FORBIDDEN", said)
		}
		limit = maxOwnBody
	}
	var err error
	if x.body, err = io.ReadAll(io.LimitReader(x.request.Body, limit+1)); err != nil {
		panic(http.ErrAbortHandler) // the caller is gone
	}
	if int64(len(x.body)) > limit {
		x.body = nil
		return refuse(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE", "The request body is too large.")
	}
	return nil
}

// Route names an endpoint of the interface, for any id in its path and any method.
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

// covers reports whether it is the other route, or any.
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

// routes matches the interface's routes with any method, and the sandbox refuses a wrong one itself.
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

// ServeHTTP answers a request. [http.ServeMux] would redirect an unclean path, which is an unknown one here.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent := r.URL.EscapedPath()
	clean := slashes.Clean("/" + sent)
	if r.Method == http.MethodConnect || sent != clean && (clean == "/" || sent != clean+"/") {
		s.unknown(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// keptRequests is how many requests are kept.
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
func (s *Sandbox) Requests() []Request { return s.last(math.MaxInt) }

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

// arrive records the request and chooses the id of its answer.
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

// listed hides credentials, which are real ones if somebody points the wrong client at the sandbox.
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
