package sandbox

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// controlRoute is one way to change the sandbox, or to ask it, from outside.
// No route under /control is part of the interface: the service has none. They
// take no token and any content type (curl sends a form's), are not counted,
// not recorded and cannot be made to fail.
type controlRoute struct {
	method string
	path   string // below /control/; {…} stands for one element
	does   string // for people, after the method and the path
	body   bool   // whether it takes one
	answer func(*Sandbox, *exchange) *answer
}

var controlRoutes = []controlRoute{
	{"GET", "ready", "is answered as soon as the sandbox serves", false, (*Sandbox).controlReady},

	{
		"POST", "model-groups/{group}/publish", "publishes a revision, with the body's fields",
		true, (*Sandbox).controlPublish,
	},
	{
		"POST", "model-groups/{group}/revisions/{revision}/republish", "changes the body's fields in place",
		true, (*Sandbox).controlRepublish,
	},
	{"POST", "model-groups/{group}/revisions/{revision}/archive", "archives a revision", false, archived(true)},
	{"POST", "model-groups/{group}/revisions/{revision}/unarchive", "ends that", false, archived(false)},
	{"POST", "model-groups/{group}/revisions/{revision}/enable", "enables a revision", false, enabled(true)},
	{"POST", "model-groups/{group}/revisions/{revision}/disable", "disables a revision", false, enabled(false)},

	{
		"POST", "organisations/{organisation}/disable",
		`disables an organisation, given by its name or client id, for the {"reason": "…"} of the body`,
		true, (*Sandbox).controlDisable,
	},
	{"POST", "organisations/{organisation}/enable", "ends that", false, (*Sandbox).controlEnable},
	{"POST", "tokens/revoke", "makes every token issued so far invalid", false, (*Sandbox).controlRevoke},

	{"POST", "faults", "makes requests fail, or go slowly, as the body says", true, (*Sandbox).controlInject},
	{"GET", "faults", "lists the faults", false, (*Sandbox).controlFaults},
	{"DELETE", "faults", "removes all of them", false, (*Sandbox).controlClearFaults},
	{"DELETE", "faults/{fault}", "removes one, by its id", false, (*Sandbox).controlRemoveFault},

	{"GET", "requests", "lists what was requested", false, (*Sandbox).controlRequests},
	{"DELETE", "requests", "forgets it", false, (*Sandbox).controlForget},
}

// match returns the elements that stand for {…}, if the path is this route's.
func (r controlRoute) match(parts []string) (map[string]string, bool) {
	pattern := strings.Split(r.path, "/")
	if len(pattern) != len(parts) {
		return nil, false
	}
	values := map[string]string{}
	for i, part := range parts {
		value, err := url.PathUnescape(part)
		if err != nil || value == "" {
			return nil, false
		}
		switch name, isVariable := strings.CutPrefix(pattern[i], "{"); {
		case isVariable:
			values[strings.TrimSuffix(name, "}")] = value
		case pattern[i] != part:
			return nil, false
		}
	}
	return values, true
}

// control answers what is asked under /control.
func (s *Sandbox) control(x *exchange) *answer {
	var methods []string
	for _, route := range controlRoutes {
		values, ok := route.match(x.target.control)
		if !ok {
			continue
		}
		if route.method != x.request.Method {
			methods = append(methods, route.method)
			continue
		}
		if len(x.body) > 0 && !route.body {
			return invalid("The request takes no body.", issue{"body", []string{"must be absent"}})
		}
		if x.request.URL.RawQuery != "" {
			return invalid("The request takes no query.", issue{"query", []string{"must be absent"}})
		}
		x.values = values
		return route.answer(s, x)
	}
	if methods != nil {
		return refuseMethod(strings.Join(methods, ", "))
	}
	return deny("NOT_FOUND", "There is no such control route. GET / lists them all.")
}

func (s *Sandbox) controlReady(*exchange) *answer {
	return respond(http.StatusOK, []byte(`{"ready":true}`))
}

func (s *Sandbox) controlPublish(x *exchange) *answer {
	document, err := s.Publish(x.values["group"], x.body)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusCreated, document)
}

func (s *Sandbox) controlRepublish(x *exchange) *answer {
	return changeRevision(x, func(group string, revision int64) ([]byte, error) {
		return s.Republish(group, revision, x.body)
	})
}

func archived(archived bool) func(*Sandbox, *exchange) *answer {
	return func(s *Sandbox, x *exchange) *answer {
		return changeRevision(x, func(group string, revision int64) ([]byte, error) {
			return s.SetArchived(group, revision, archived)
		})
	}
}

func enabled(enabled bool) func(*Sandbox, *exchange) *answer {
	return func(s *Sandbox, x *exchange) *answer {
		return changeRevision(x, func(group string, revision int64) ([]byte, error) {
			return s.SetEnabled(group, revision, enabled)
		})
	}
}

func changeRevision(x *exchange, change func(group string, revision int64) ([]byte, error)) *answer {
	revision, err := strconv.ParseInt(x.values["revision"], 10, 64)
	if err != nil {
		return invalid("The revision is not valid.", issue{"revision", []string{"must be an integer"}})
	}
	document, err := change(x.values["group"], revision)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusOK, document)
}

func (s *Sandbox) controlDisable(x *exchange) *answer {
	var body struct {
		Reason name `json:"reason"`
	}
	if len(x.body) > 0 {
		if err := readStrict(x.body, &body); err != nil {
			return refuseControl(err)
		}
	}
	if !s.disable(x.values["organisation"], string(body.Reason)) {
		return unknownOrganisation(x)
	}
	return respond(http.StatusNoContent, nil)
}

func (s *Sandbox) controlEnable(x *exchange) *answer {
	if !s.setDisabled(x.values["organisation"], "") {
		return unknownOrganisation(x)
	}
	return respond(http.StatusNoContent, nil)
}

func unknownOrganisation(x *exchange) *answer {
	name := strconv.Quote(x.values["organisation"])
	return deny("NOT_FOUND", "No organisation has the name or the client id "+name+".")
}

func (s *Sandbox) controlRevoke(*exchange) *answer {
	s.DropTokens()
	return respond(http.StatusNoContent, nil)
}

func (s *Sandbox) controlRequests(*exchange) *answer {
	list := []jsontext.Value{}
	for _, r := range s.Requests() {
		list = append(list, r.listed().json())
	}
	return respond(http.StatusOK, array(list))
}

func (s *Sandbox) controlForget(*exchange) *answer {
	s.ResetRequests()
	return respond(http.StatusNoContent, nil)
}

// refuseControl answers what an operation refused.
func refuseControl(err error) *answer {
	field, isText := errors.AsType[*TextError](err)
	switch {
	case isText:
		name := field.Path
		if name == "" {
			name = "body"
		}
		return invalid(field.Error(), issue{name, []string{field.Problem}})
	case errors.Is(err, ErrUnknownGroup), errors.Is(err, ErrUnknownRevision):
		return deny("NOT_FOUND", err.Error())
	default:
		return deny("CONFLICT", err.Error())
	}
}
