package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// read answers the four lookups of INTERFACE.md, Endpoints.
func (s *Sandbox) read(x *exchange) *answer {
	if x.request.Method != http.MethodGet {
		return refuseMethod(http.MethodGet)
	}
	caller, refusal := s.authenticate(x.request)
	if refusal != nil {
		return refusal
	}
	if len(x.body) > 0 {
		return invalid("The request takes no body.", issue{"body", []string{"must be absent"}})
	}
	horizon, refusal := s.query(x)
	if refusal != nil {
		return refusal
	}
	if x.route == RouteGroups {
		return s.listGroups(caller, horizon)
	}
	g := s.group(x.request.PathValue("id"))
	if g == nil || !g.visibleTo(caller) {
		return deny("NOT_FOUND", fmt.Sprintf("No model group exists with the id %q.", x.request.PathValue("id")))
	}
	switch {
	case x.route == RouteGroup:
		return respond(http.StatusOK, g.served)
	case x.route == RouteModels:
		return s.listModels(g, caller)
	case len(g.models) == 0:
		return deny("NOT_FOUND", fmt.Sprintf("The model group %q contains no models.", g.id))
	default:
		return respond(http.StatusOK, encode(g.modelFor(caller, g.models[0])))
	}
}

// listGroups answers in the order of the catalogue, with private groups for
// their owner only.
func (s *Sandbox) listGroups(caller, horizon string) *answer {
	list := []jsontext.Value{}
	for _, g := range s.allGroups() {
		if g.visibleTo(caller) && (horizon == "" || g.on(horizon)) {
			list = append(list, g.served)
		}
	}
	return respond(http.StatusOK, encode(list))
}

// listModels answers with every revision, archived ones too, the oldest first.
// The interface orders by revision and leaves the direction open: this one is
// the opposite of a group's own models, so that no client can rely on either.
func (s *Sandbox) listModels(g *group, caller string) *answer {
	list := []object{}
	for _, m := range slices.Backward(g.models) {
		if !s.settings.unlisted || !m.document.is("archived", "true") {
			list = append(list, g.modelFor(caller, m))
		}
	}
	return respond(http.StatusOK, encode(list))
}

// query returns the timeHorizon asked for, empty where none is. Anything else
// in the query is refused, a parameter that is repeated or has no value too.
func (s *Sandbox) query(x *exchange) (horizon string, refusal *answer) {
	values, err := url.ParseQuery(x.request.URL.RawQuery)
	if err != nil {
		return "", invalid("The query string is malformed.", issue{"query", []string{"must be URL-encoded"}})
	}
	var issues []issue
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case x.route != RouteGroups || name != "timeHorizon":
			issues = append(issues, issue{name, []string{"is not a known query parameter"}})
		case len(values[name]) > 1:
			issues = append(issues, issue{name, []string{"must be given once"}})
		case values[name][0] == "":
			issues = append(issues, issue{name, []string{"must not be empty"}})
		default:
			horizon = values[name][0]
		}
	}
	if len(issues) > 0 {
		return "", invalid("The query parameters are not valid.", issues...)
	}
	if horizon != "" && !s.knows(horizon) {
		return "", deny("BAD_REQUEST", fmt.Sprintf("%q is not a known time horizon key.", horizon))
	}
	return horizon, nil
}

func (s *Sandbox) knows(horizon string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.horizons, horizon)
}

func noSuchResource() *answer { return deny("NOT_FOUND", "There is no such resource.") }

func (s *Sandbox) allGroups() []*group {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups
}

// group returns the group with that id, or nil.
func (s *Sandbox) group(id string) *group {
	for _, g := range s.allGroups() {
		if g.id == id {
			return g
		}
	}
	return nil
}
