package sandbox

import (
	"io"
	"maps"
	"net/http"
	slashes "path"
	"sync"
	"time"
)

// Header is a header of every answer of a sandbox. The service does not send it.
const Header = "X-Modelcatalogue-Sandbox"

const notTheService = "This is a sandbox, not the service."

// Sandbox is the service as an [http.Handler]. It is safe for concurrent use.
type Sandbox struct {
	choices   choices
	catalogue *Catalogue // at the start
	mux       *http.ServeMux

	mu sync.Mutex
	state
	// A reset keeps these, so that ids of answers and faults stay unique.
	arrivals, lastFault int
}

// state is the part of a sandbox that requests and operations change. A reset replaces it.
type state struct {
	groups   []*group // in the order of the catalogue; replaced, never changed
	tokens   map[string]grant
	counters map[string]Counter // by client id
	faults   []*injected
	requests []*entry // the last ones
	counts   map[Route]int
}

// Option changes how a [Sandbox] behaves.
type Option func(*choices)

// choices are decisions that the interface leaves open.
type choices struct {
	tokenLife time.Duration
	allowance Allowance
	hosts     []string
	ownHosts  bool   // whether only these hosts reach the routes of the interface, too
	authority string // in PEM
}

// WithTokenLife sets the life of a token, by default an hour. With 0 tokens do not expire, and their answer lacks
// expires_in.
func WithTokenLife(life time.Duration) Option {
	return func(s *choices) { s.tokenLife = life }
}

// WithAllowance limits the requests of each client id, token requests included. A request above the limit is answered
// with RATE_LIMITED and not counted. All unknown client ids share one allowance.
func WithAllowance(a Allowance) Option {
	return func(s *choices) { s.allowance = a }
}

// New returns a sandbox that serves the catalogue and never changes it.
func New(c *Catalogue, options ...Option) *Sandbox {
	s := &Sandbox{choices: choices{tokenLife: time.Hour}, catalogue: c}
	for _, option := range options {
		option(&s.choices)
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
		groups: s.catalogue.groups, tokens: map[string]grant{}, counters: map[string]Counter{}, counts: map[Route]int{},
	}
}

// exchange is a request during its answer.
type exchange struct {
	request *http.Request
	route   Route
	own     bool // whether the route is one of the sandbox itself
	body    []byte
	record  *entry
}

// maxBody is the length of the longest body that the sandbox reads, in bytes.
const maxBody = 16 << 20

// serve answers a request. It panics with [http.ErrAbortHandler] if a fault leaves the request without an answer.
func (s *Sandbox) serve(w http.ResponseWriter, x *exchange, reply func(*exchange) *answer) {
	s.arrive(x)
	defer s.end(x, nil)
	a := s.answer(w, x, reply)
	a.complete(x.record.ID)
	s.end(x, a)
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // fails if the caller is gone
}

// answer returns the answer of the service or of a fault, or a refusal. A foreign request is refused before any fault.
func (s *Sandbox) answer(w http.ResponseWriter, x *exchange, reply func(*exchange) *answer) *answer {
	if refusal := s.refuseForeign(x); refusal != nil {
		return refusal
	}
	var err error
	if x.body, err = io.ReadAll(http.MaxBytesReader(w, x.request.Body, maxBody)); err != nil {
		reply = func(*exchange) *answer {
			return refuse(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE",
				"The request body is too large, or was cut short.", nil)
		}
	}
	if fault, ok := s.takeFault(x); ok {
		return fail(w, x, fault, reply)
	}
	return reply(x)
}

// Route is the name of an endpoint of the interface, for any id in its path and any method.
type Route string

// The zero Route is RouteAny.
const (
	RouteToken   Route = "token"   // POST /v1/auth/token
	RouteGroups  Route = "groups"  // GET /v1/model-group
	RouteGroup   Route = "group"   // GET /v1/model-group/:id
	RouteLatest  Route = "latest"  // GET /v1/model-group/:id/latest-model
	RouteModels  Route = "models"  // GET /v1/model-group/:id/models
	RouteUnknown Route = "unknown" // every path outside of the interface
	RouteAny     Route = "any"     // all routes, RouteUnknown included; no request has it
)

// covers reports whether it is RouteAny or the other route.
func (r Route) covers(other Route) bool {
	return r == "" || r == RouteAny || r == other
}

// paths are the paths of the interface, in the spelling of [http.ServeMux] and OpenAPI.
var paths = map[Route]string{ //nolint:gosec // an address of tokens is no credential
	RouteToken:  "/v1/auth/token",
	RouteGroups: "/v1/model-group",
	RouteGroup:  "/v1/model-group/{id}",
	RouteLatest: "/v1/model-group/{id}/latest-model",
	RouteModels: "/v1/model-group/{id}/models",
}

// routes matches the routes of the interface with any method, because the sandbox itself refuses a wrong one.
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
	none := func(x *exchange) *answer {
		return deny("NOT_FOUND", "Unknown control route "+x.request.Method+" "+x.request.URL.Path+
			". The program's help lists them all.")
	}
	serve("/control/", RouteUnknown, true, none)
	for pattern, reply := range s.pageRoutes() {
		serve(pattern, RouteUnknown, true, reply)
	}
	mux.HandleFunc("/", s.unknown)
	return mux
}

func (s *Sandbox) unknown(w http.ResponseWriter, r *http.Request) {
	s.serve(w, &exchange{request: r, route: RouteUnknown}, func(*exchange) *answer {
		return deny("NOT_FOUND", "There is no such resource.")
	})
}

// ServeHTTP answers a request. An unclean path is unknown, but [http.ServeMux] would redirect it.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	escaped := r.URL.EscapedPath()
	clean := slashes.Clean("/" + escaped)
	if r.Method == http.MethodConnect || escaped != clean && (clean == "/" || escaped != clean+"/") {
		s.unknown(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}
