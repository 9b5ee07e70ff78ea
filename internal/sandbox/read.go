package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// read answers the four lookups of INTERFACE.md, Endpoints.
func (s *Sandbox) read(x *exchange) *answer {
	if x.request.Method != http.MethodGet {
		return refuseMethod(http.MethodGet)
	}
	caller, refusal := s.authenticate(x)
	if refusal != nil {
		return refusal
	}
	if len(x.body) > 0 {
		return invalid("The request takes no body.", issue{"body", []string{"must be absent"}})
	}
	horizon, page, refusal := s.query(x)
	if refusal != nil {
		return refusal
	}
	if x.route == RouteGroups {
		return s.list(x, page, s.visibleGroups(caller, horizon))
	}
	g := s.group(x.request.PathValue("id"))
	if g == nil || !g.visibleTo(caller) {
		return deny("NOT_FOUND", fmt.Sprintf("No model group exists with the id %q.", x.request.PathValue("id")))
	}
	switch {
	case x.route == RouteGroup:
		return respond(http.StatusOK, g.served())
	case x.route == RouteModels:
		return s.list(x, page, s.listedModels(g, caller))
	case len(g.models) == 0:
		return deny("NOT_FOUND", fmt.Sprintf("The model group %q contains no models.", g.id))
	default:
		return respond(http.StatusOK, encode(g.modelFor(caller, g.models[0])))
	}
}

// visibleGroups returns the groups that the caller may see, in the order of the catalogue.
func (s *Sandbox) visibleGroups(caller, horizon string) []jsontext.Value {
	list := []jsontext.Value{}
	for _, g := range s.allGroups() {
		if g.visibleTo(caller) && (horizon == "" || g.on(horizon)) {
			list = append(list, g.served())
		}
	}
	return list
}

// listedModels returns every revision, archived ones too, the oldest first. The interface leaves the direction open:
// this one is the opposite of a group's own models, so that no client can rely on either.
func (s *Sandbox) listedModels(g *group, caller string) []jsontext.Value {
	list := []jsontext.Value{}
	for _, m := range slices.Backward(g.models) {
		if !s.settings.unlisted || !m.document.is("archived", "true") {
			list = append(list, encode(g.modelFor(caller, m)))
		}
	}
	return list
}

// list answers with a list, or with a page of it ([WithPageSize]).
func (s *Sandbox) list(x *exchange, page int, all []jsontext.Value) *answer {
	size := s.settings.pageSize
	if size <= 0 {
		return respond(http.StatusOK, encode(all))
	}
	if page > 1 && (page-1) > (len(all)-1)/size {
		return invalid("There is no such page.", issue{"page", []string{"is after the last one"}})
	}
	start := (page - 1) * size
	end := min(start+size, len(all))
	a := respond(http.StatusOK, encode(all[start:end])).with("X-Total-Count", strconv.Itoa(len(all)))
	if end < len(all) {
		next := x.request.URL.Query()
		next.Set("page", strconv.Itoa(page+1))
		a.with("Link", fmt.Sprintf("<%s?%s>; rel=\"next\"", x.request.URL.EscapedPath(), next.Encode()))
	}
	return a
}

// query returns the timeHorizon, or "", and the page. It refuses other parameters, and repeated or empty ones.
func (s *Sandbox) query(x *exchange) (horizon string, page int, refusal *answer) {
	values, err := url.ParseQuery(x.request.URL.RawQuery)
	if err != nil {
		return "", 0, invalid("The query string is malformed.", issue{"query", []string{"must be URL-encoded"}})
	}
	var issues []issue
	page = 1
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name][0]
		isPage := name == "page" && s.settings.pageSize > 0 && (x.route == RouteGroups || x.route == RouteModels)
		switch {
		case !isPage && (x.route != RouteGroups || name != "timeHorizon"):
			issues = append(issues, issue{name, []string{"is not a known query parameter"}})
		case len(values[name]) > 1:
			issues = append(issues, issue{name, []string{"must be given once"}})
		case value == "":
			issues = append(issues, issue{name, []string{"must not be empty"}})
		case isPage:
			if page, err = strconv.Atoi(value); err != nil || page < 1 {
				issues = append(issues, issue{name, []string{"must be a number from 1 on"}})
			}
		default:
			horizon = value
		}
	}
	if len(issues) > 0 {
		return "", 0, invalid("The query parameters are not valid.", issues...)
	}
	if horizon != "" && !slices.Contains(s.catalogue.horizons, horizon) {
		return "", 0, deny("BAD_REQUEST", fmt.Sprintf("%q is not a known time horizon key.", horizon))
	}
	return horizon, page, nil
}

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

// answer is a response before it is sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func respond(status int, body []byte) *answer {
	return &answer{
		status: status,
		header: http.Header{"Content-Type": {"application/json"}},
		body:   body,
	}
}

func (a *answer) with(name, value string) *answer {
	a.header.Set(name, value)
	return a
}

// identify gives the answer an X-Request-Id, unless it has one.
func (a *answer) identify(id string) {
	if a.header == nil {
		a.header = http.Header{}
	}
	if len(a.header.Values("X-Request-Id")) == 0 {
		a.header.Set("X-Request-Id", id)
	}
}

func (a *answer) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if w.Header().Get("Content-Length") == "" && a.status >= 200 &&
		a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	// If it fails the caller is gone.
	_, _ = w.Write(a.body)
}

var (
	// statuses are the codes of INTERFACE.md, Errors, each with its one status.
	statuses = statusesOf("Error", "code")
	// oauthStatuses are the errors of INTERFACE.md, Token endpoint errors.
	oauthStatuses = statusesOf("OAuthError", "error")
)

// issue is one entry of data.issues.
type issue struct {
	Field    string   `json:"field"`
	Messages []string `json:"messages"`
}

// deny answers with a code of the interface, which has one status.
func deny(code, message string) *answer { return refuse(statuses[code], code, message) }

// refuse answers with the body of INTERFACE.md, Errors, deprecated fields included.
func refuse(status int, code, message string, issues ...issue) *answer {
	body := struct {
		Code       string         `json:"code"`
		Message    string         `json:"message"`
		Data       map[string]any `json:"data,omitempty"`
		StatusCode int            `json:"statusCode"`
		Error      string         `json:"error"`
	}{Code: code, Message: message, StatusCode: status, Error: http.StatusText(status)}
	if len(issues) > 0 {
		body.Data = map[string]any{"issues": issues}
	}
	return respond(status, encode(body))
}

// invalid answers VALIDATION_FAILED, with the rejected fields.
func invalid(message string, issues ...issue) *answer {
	return refuse(statuses["VALIDATION_FAILED"], "VALIDATION_FAILED", message, issues...)
}

// refuseMethod answers 405, for which the interface has no code.
func refuseMethod(allowed string) *answer {
	return refuse(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "Only "+allowed+" is allowed here.").
		with("Allow", allowed)
}

// refuseToken answers with the body of INTERFACE.md, Token endpoint errors.
func refuseToken(status int, code, description string) *answer {
	body := encode(struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
	return unstored(respond(status, body))
}

// unstored forbids caches to keep an answer of the token endpoint (RFC 6749 §5.1).
func unstored(a *answer) *answer {
	return a.with("Cache-Control", "no-store").with("Pragma", "no-cache")
}
