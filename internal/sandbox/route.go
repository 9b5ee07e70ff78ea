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
	id      string // the model group's, decoded
	control controlAction
}

type controlAction int

const (
	controlNone controlAction = iota
	controlPublish
	controlUnknown
)

// findTarget splits the path as it was sent and decodes the id on its own, so
// that an id may contain anything, an escaped slash included.
func findTarget(r *http.Request) target {
	parts := strings.Split(r.URL.EscapedPath(), "/")
	if len(parts) < 2 || parts[0] != "" {
		return target{route: RouteUnknown}
	}
	switch parts = parts[1:]; parts[0] {
	case "v1":
		return findService(parts[1:])
	case "control":
		return findControl(parts[1:])
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

func findControl(parts []string) target {
	unknown := target{route: RouteUnknown, control: controlUnknown}
	if len(parts) != 3 || parts[0] != "model-groups" || parts[2] != "publish" {
		return unknown
	}
	id, err := url.PathUnescape(parts[1])
	if err != nil || id == "" {
		return unknown
	}
	return target{id: id, control: controlPublish}
}
