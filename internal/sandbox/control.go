package sandbox

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// Control is a way to change or inspect a sandbox from outside, by a route below /control. The service has no such
// route. Its requests need no token, may have any content type (curl sends that of a form), and are not counted,
// recorded or hit by faults.
type Control struct {
	Method string
	Path   string // below /control/; {…} stands for one element
	reply  func(*Sandbox, *exchange) *answer
}

// Controls returns all controls in the order of help.
func Controls() []Control {
	const (
		get, post, remove = http.MethodGet, http.MethodPost, http.MethodDelete
		ofGroup           = "model-groups/{group}/"
		revision          = ofGroup + "revisions/{revision}/"
	)
	return []Control{
		{get, "ready", says([]byte(`{"ready":true}`))},
		{get, "openapi.json", says(contract.OpenAPI())},
		{post, ofGroup + "publish", publish},
		{post, revision + "republish", republish},
		{post, revision + "archive", setting(`{"archived":true}`)},
		{post, revision + "unarchive", setting(`{"archived":false}`)},
		{post, revision + "disable", setting(`{"enabled":false}`)},
		{post, revision + "enable", setting(`{"enabled":true}`)},
		{post, "tokens/revoke", do((*Sandbox).DropTokens)},
		{post, "faults", (*Sandbox).controlInject},
		{get, "faults", (*Sandbox).controlFaults},
		{remove, "faults", do((*Sandbox).clearFaults)},
		{remove, "faults/{fault}", (*Sandbox).controlRemove},
		{get, "requests", (*Sandbox).controlRequests},
		{remove, "requests", do((*Sandbox).ResetRequests)},
		{post, "reset", do((*Sandbox).Reset)},
	}
}

// do answers 204 after an operation that cannot fail.
func do(operation func(*Sandbox)) func(*Sandbox, *exchange) *answer {
	return func(s *Sandbox, x *exchange) *answer {
		if refusal := refuseExtra(x); refusal != nil {
			return refusal
		}
		operation(s)
		return respond(http.StatusNoContent, nil)
	}
}

func says(text []byte) func(*Sandbox, *exchange) *answer {
	return func(*Sandbox, *exchange) *answer { return respond(http.StatusOK, text) }
}

func publish(s *Sandbox, x *exchange) *answer {
	document, err := s.Publish(x.request.PathValue("group"), x.body)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusCreated, document)
}

func republish(s *Sandbox, x *exchange) *answer {
	said := x.request.PathValue("revision")
	revision, err := strconv.ParseInt(said, 10, 64)
	if err != nil {
		return deny("NOT_FOUND", strconv.Quote(said)+" is not a revision: a whole number from 0 up is expected.")
	}
	document, err := s.Republish(x.request.PathValue("group"), revision, x.body)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusOK, document)
}

// setting answers a request that sets archived or enabled.
func setting(change string) func(*Sandbox, *exchange) *answer {
	return func(s *Sandbox, x *exchange) *answer {
		if refusal := refuseExtra(x); refusal != nil {
			return refusal
		}
		x.body = []byte(change)
		return republish(s, x)
	}
}

func (s *Sandbox) controlRequests(*exchange) *answer {
	list := s.Requests()
	for i, r := range list {
		list[i] = r.listed()
	}
	return respond(http.StatusOK, encode(list))
}

// refuseControl answers with the mistakes in a body, or with NOT_FOUND for any other error.
func refuseControl(err error) *answer {
	mistakes, isText := errors.AsType[TextErrors](err)
	if !isText {
		return deny("NOT_FOUND", err.Error())
	}
	var issues []issue
	for _, found := range mistakes {
		issues = append(issues, issue{cmp.Or(found.Path, "body"), []string{found.Problem}})
	}
	return invalid(err.Error(), issues...)
}
