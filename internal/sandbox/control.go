package sandbox

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// Control is a way to change or inspect a sandbox from outside: a route below /control, which the service does not
// have, and the command of the program that requests it. Its requests need no token, may have any content type (curl
// sends a form's), and are not counted, recorded or hit by faults.
type Control struct {
	Command string // empty: there is none
	Method  string
	Path    string // below /control/; {…} stands for one element, and an argument
	Body    string // the argument that is the body, in brackets if it may be left out; empty: there is none
	Does    string // an infinitive
	reply   func(*Sandbox, *exchange) *answer
}

// Controls returns all controls in the order in which help lists them.
func Controls() []Control {
	const (
		get, post, remove = http.MethodGet, http.MethodPost, http.MethodDelete
		group             = "model-groups/{group}/"
		revision          = group + "revisions/{revision}/"
	)
	return []Control{
		{"", get, "ready", "", "ask whether the sandbox serves", says([]byte(`{"ready":true}`))},
		{"", get, "openapi.json", "", "get the interface as an OpenAPI document", says(contract.OpenAPI())},
		{"publish", post, group + "publish", "[FIELDS]", "publish a revision, with these fields replaced", publish},
		{"republish", post, revision + "republish", "[FIELDS]", "change fields in place; updatedAt moves", republish},
		{"archive", post, revision + "archive", "", "archive a revision", setting("archived", true)},
		{"unarchive", post, revision + "unarchive", "", "list an archived revision again", setting("archived", false)},
		{"disable", post, revision + "disable", "", "disable a revision: it does not run", setting("enabled", false)},
		{"enable", post, revision + "enable", "", "enable a revision that is disabled", setting("enabled", true)},
		{"revoke-tokens", post, "tokens/revoke", "", "make every token so far invalid", do((*Sandbox).DropTokens)},
		{"fault", post, "faults", "FAULT", "make requests fail; see `help fault`", (*Sandbox).controlInject},
		{"faults", get, "faults", "", "list the faults", (*Sandbox).controlFaults},
		{"clear-faults", remove, "faults", "", "remove all faults", do((*Sandbox).clearFaults)},
		{"", remove, "faults/{fault}", "", "remove one fault", (*Sandbox).controlRemove},
		{"requests", get, "requests", "", "list the last 10,000 requests", (*Sandbox).controlRequests},
		{"clear-requests", remove, "requests", "", "forget the requests so far", do((*Sandbox).ResetRequests)},
		{"reset", post, "reset", "", "restore what it was started with, and forget all else", do((*Sandbox).Reset)},
	}
}

// do answers 204 after an operation that cannot fail.
func do(operation func(*Sandbox)) func(*Sandbox, *exchange) *answer {
	return func(s *Sandbox, _ *exchange) *answer {
		operation(s)
		return respond(http.StatusNoContent, nil)
	}
}

func says(text []byte) func(*Sandbox, *exchange) *answer {
	return func(*Sandbox, *exchange) *answer { return respond(http.StatusOK, text) }
}

func publish(s *Sandbox, x *exchange) *answer {
	if err := checkImage(x.body); err != nil {
		return refuseControl(err)
	}
	document, err := s.Publish(x.request.PathValue("group"), x.body)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusCreated, document)
}

func republish(s *Sandbox, x *exchange) *answer {
	if err := checkImage(x.body); err != nil {
		return refuseControl(err)
	}
	return changeRevision(x, func(group string, revision int64) ([]byte, error) {
		return s.Republish(group, revision, x.body)
	})
}

// setting answers a request that sets archived or enabled.
func setting(name string, value bool) func(*Sandbox, *exchange) *answer {
	return func(s *Sandbox, x *exchange) *answer {
		return changeRevision(x, func(group string, revision int64) ([]byte, error) {
			return s.set(group, revision, name, value)
		})
	}
}

func changeRevision(x *exchange, change func(group string, revision int64) ([]byte, error)) *answer {
	said := x.request.PathValue("revision")
	revision, err := strconv.ParseInt(said, 10, 64)
	if err != nil {
		return refuseControl(TextErrors{{"revision", strconv.Quote(said) + " is no whole number from 0 on"}})
	}
	document, err := change(x.request.PathValue("group"), revision)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusOK, document)
}

func (s *Sandbox) controlRequests(*exchange) *answer {
	list := s.Requests()
	for i, r := range list {
		list[i] = r.listed()
	}
	return respond(http.StatusOK, encode(list))
}

// refuseControl answers with the error of an operation.
func refuseControl(err error) *answer {
	if mistakes, isText := errors.AsType[TextErrors](err); isText {
		var issues []issue
		for _, found := range mistakes {
			issues = append(issues, issue{cmp.Or(found.Path, "body"), []string{found.Problem}})
		}
		return invalid(err.Error(), issues...)
	}
	if _, isUnknown := errors.AsType[notFoundError](err); isUnknown {
		return deny("NOT_FOUND", err.Error())
	}
	return deny("CONFLICT", err.Error())
}
