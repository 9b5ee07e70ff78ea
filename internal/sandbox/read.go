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
		// The interface has no code for this status.
		return refuse(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "Only GET is allowed here.", nil).
			set("Allow", http.MethodGet)
	}
	caller, refusal := s.authenticate(x)
	if refusal != nil {
		return refusal
	}
	if refusal := refuseExtra(x); refusal != nil {
		return refusal
	}
	horizon, refusal := s.query(x)
	if refusal != nil {
		return refusal
	}
	if x.route == RouteGroups {
		return respond(http.StatusOK, encode(s.visibleGroups(caller, horizon)))
	}
	id := x.request.PathValue("id")
	g := s.group(id)
	if g == nil || !g.visibleTo(caller) {
		return deny("NOT_FOUND", fmt.Sprintf("No model group exists with the id %q.", id))
	}
	return readGroup(g, x.route, caller)
}

// refuseExtra refuses the body of a request that must not have one. On the sandbox's own routes it also refuses a
// query, and accepts an empty object as a body.
func refuseExtra(x *exchange) *answer {
	switch {
	case x.own && x.request.URL.RawQuery != "":
		return invalid("The request must not have a query.", issue{"query", []string{"must be absent"}})
	case x.own && canonical(x.body) == "{}": // many HTTP clients send it instead of an empty body
	case len(x.body) > 0:
		return invalid("The request must not have a body.", issue{"body", []string{"must be absent"}})
	}
	return nil
}

// readGroup answers a lookup of a group visible to the caller.
func readGroup(g *group, route Route, caller string) *answer {
	switch {
	case route == RouteGroup:
		return respond(http.StatusOK, g.served())
	case route == RouteModels:
		return respond(http.StatusOK, encode(g.listedModels(caller)))
	case len(g.Models) == 0:
		return deny("NOT_FOUND", fmt.Sprintf("The model group %q contains no models.", g.ID))
	}
	return respond(http.StatusOK, encode(g.modelFor(caller, g.Models[0])))
}

// visibleGroups returns the groups visible to the caller, in the order of the catalogue.
func (s *Sandbox) visibleGroups(caller, horizon string) []jsontext.Value {
	list := []jsontext.Value{}
	for _, g := range s.allGroups() {
		if g.visibleTo(caller) && (horizon == "" || g.Horizon() == horizon) {
			list = append(list, g.served())
		}
	}
	return list
}

// listedModels returns every revision, archived ones too, the oldest first. The interface leaves the direction open.
// This one is the opposite of a group's own models, so that no client can rely on either.
func (g *group) listedModels(caller string) []jsontext.Value {
	list := []jsontext.Value{}
	for _, m := range slices.Backward(g.Models) {
		list = append(list, encode(g.modelFor(caller, m)))
	}
	return list
}

// query returns the timeHorizon, or "". It refuses other and repeated parameters, and unknown keys.
func (s *Sandbox) query(x *exchange) (horizon string, refusal *answer) {
	values, err := url.ParseQuery(x.request.URL.RawQuery)
	if err != nil {
		return "", invalid("The query string is malformed.", issue{"query", []string{"must be URL-encoded"}})
	}
	var issues []issue
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if x.route != RouteGroups || name != "timeHorizon" || len(values[name]) > 1 {
			issues = append(issues, issue{name, []string{"must be a query parameter of this route, and given once"}})
		}
	}
	if len(issues) > 0 {
		return "", invalid("The query parameters are not valid.", issues...)
	}
	for _, horizon = range values["timeHorizon"] {
		if !slices.Contains(s.catalogue.horizons, horizon) {
			return "", deny("BAD_REQUEST", fmt.Sprintf("%q is not a known time horizon key.", horizon))
		}
	}
	return horizon, nil
}

func (s *Sandbox) allGroups() []*group {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups
}

// group returns the group with that id, or nil.
func (s *Sandbox) group(id string) *group {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.indexLocked(id); i >= 0 {
		return s.groups[i]
	}
	return nil
}

// indexLocked returns the index of the group with that id, or -1.
func (s *Sandbox) indexLocked(id string) int {
	return slices.IndexFunc(s.groups, func(g *group) bool { return g.ID == id })
}
