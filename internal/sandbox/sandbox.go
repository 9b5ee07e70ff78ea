package sandbox

import (
	"io"
	"maps"
	"net/http"
	slashes "path"
	"sync"
	"time"
)

// Header is a header that every answer of a sandbox has, and no answer of the service.
const Header = "X-Modelcatalogue-Sandbox"

const notTheService = "This is a sandbox, not the service."

// Sandbox is the service. It is an [http.Handler] and safe for concurrent use.
type Sandbox struct {
	choices   choices
	catalogue *Catalogue // the one at the start
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
	counters map[string]Counter // by client id
	faults   []*injected
	requests []*entry // the last ones
	counts   map[Route]int
}

// Option changes how a [Sandbox] behaves.
type Option func(*choices)

// choices are the decisions that the interface leaves open.
type choices struct {
	tokenLife time.Duration
	allowance Allowance
	hosts     []string
	ownHosts  bool   // whether the interface's routes are answered under these hosts only, too
	authority string // in PEM
}

// WithTokenLife sets how long a token is valid, an hour by default. With 0 tokens do not expire, and their answer has
// no expires_in.
func WithTokenLife(life time.Duration) Option {
	return func(s *choices) { s.tokenLife = life }
}

// WithAllowance limits the requests of each client id, token requests included. A limited request is answered with
// RATE_LIMITED and not counted. All unknown client ids share one allowance.
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

// exchange is a request that is being answered.
type exchange struct {
	request *http.Request
	route   Route
	own     bool // whether the route is the sandbox's own
	body    []byte
	record  *entry
}

// maxBody is the longest body that the sandbox reads, in bytes.
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
	_, _ = w.Write(a.body) // if it fails the caller is gone
}

// answer returns the answer of the service, of a fault, or a refusal. A foreign request is refused before any fault.
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

// covers reports whether it is RouteAny or the other route.
func (r Route) covers(other Route) bool {
	return r == "" || r == RouteAny || r == other
}

// paths are those of the interface, in the spelling of [http.ServeMux] and OpenAPI.
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

// ServeHTTP answers a request. [http.ServeMux] would redirect an unclean path, which is an unknown one here.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	escaped := r.URL.EscapedPath()
	clean := slashes.Clean("/" + escaped)
	if r.Method == http.MethodConnect || escaped != clean && (clean == "/" || escaped != clean+"/") {
		s.unknown(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}
