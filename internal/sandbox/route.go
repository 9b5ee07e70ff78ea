package sandbox

import (
	"net/http"
	"strings"
)

// Route names an endpoint of the interface, whatever the id in its path and
// whatever the method.
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

// routes matches the interface's routes without a method: the sandbox refuses
// a wrong one itself.
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

// ServeHTTP answers a request. Paths are matched as they were sent, so that an
// id may contain anything, an escaped slash included. [http.ServeMux] would
// redirect an unclean one to what it might mean.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	elements := strings.Split(r.URL.EscapedPath(), "/")
	unclean := elements[0] != "" || len(elements) < 2 || r.Method == http.MethodConnect
	for i, element := range elements {
		isEmpty := element == "" && i > 0 && i < len(elements)-1
		unclean = unclean || isEmpty || element == "." || element == ".."
	}
	if unclean {
		s.unknown(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}
