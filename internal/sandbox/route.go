package sandbox

import (
	"net/http"
	"net/url"
	"strings"
)

// Route names an endpoint of interface.md, whatever the id in its path and
// whatever the method.
type Route string

const (
	// RouteToken is POST /v1/auth/token.
	RouteToken Route = "token"
	// RouteGroups is GET /v1/model-group.
	RouteGroups Route = "groups"
	// RouteGroup is GET /v1/model-group/:id.
	RouteGroup Route = "group"
	// RouteLatest is GET /v1/model-group/:id/latest-model.
	RouteLatest Route = "latest"
	// RouteModels is GET /v1/model-group/:id/models.
	RouteModels Route = "models"
	// RouteUnknown is every path that the interface does not have.
	RouteUnknown Route = "unknown"
	// RouteAny stands for all of them, RouteUnknown included. No request has it.
	RouteAny Route = "any"
)

// covers tells whether a request of the other route is meant. The zero Route
// is RouteAny.
func (r Route) covers(other Route) bool {
	return r == "" || r == RouteAny || r == other
}

// target is what a path stands for.
type target struct {
	route   Route
	id      string   // the model group's, decoded
	index   bool     // GET /
	control []string // the escaped elements below /control
}

// isControl tells whether the path is one of the sandbox's own, which count for
// nothing.
func (t target) isControl() bool { return t.control != nil }

// findTarget splits the path as it was sent and decodes the id on its own, so
// that an id may contain anything, an escaped slash included.
func findTarget(r *http.Request) target {
	parts := strings.Split(r.URL.EscapedPath(), "/")
	if len(parts) < 2 || parts[0] != "" {
		return target{route: RouteUnknown}
	}
	switch parts = parts[1:]; {
	case parts[0] == "v1":
		return findService(parts[1:])
	case parts[0] == "control":
		return target{route: RouteUnknown, control: append([]string{}, parts[1:]...)}
	case len(parts) == 1 && parts[0] == "":
		return target{route: RouteUnknown, index: r.Method == http.MethodGet || r.Method == http.MethodHead}
	}
	return target{route: RouteUnknown}
}

func findService(parts []string) target {
	switch {
	case len(parts) == 2 && parts[0] == "auth" && parts[1] == "token":
		return target{route: RouteToken}
	case len(parts) == 1 && parts[0] == "model-group":
		return target{route: RouteGroups}
	case len(parts) < 2 || len(parts) > 3 || parts[0] != "model-group":
		return target{route: RouteUnknown}
	}
	id, err := url.PathUnescape(parts[1])
	if err != nil || id == "" {
		return target{route: RouteUnknown}
	}
	if len(parts) == 2 {
		return target{route: RouteGroup, id: id}
	}
	switch parts[2] {
	case "latest-model":
		return target{route: RouteLatest, id: id}
	case "models":
		return target{route: RouteModels, id: id}
	}
	return target{route: RouteUnknown}
}
