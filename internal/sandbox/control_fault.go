package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// faultOrder is the body of POST /control/faults; sandbox.schema.json says what
// it may have, and `help faults` what that means. What would say nothing is
// refused: a fault that does nothing, ways to fail that exclude each other.
type faultOrder struct {
	Route       Route
	Path        string
	Skip, Times int

	// An answer in place of the service's own: an error with a code of the
	// interface, which has its status; one with a code of the future and a
	// status; or the HTML page of a gateway on the way to the service.
	Code       string
	Message    string
	Status     int
	HTML       bool
	RetryAfter jsontext.Value

	// What becomes of the answer, be it the service's own or the one above.
	Delay      string
	Drop, Hang bool
	Cut        string
}

// readFault makes the fault that a text orders, and returns the order with it.
// Its errors are [TextErrors].
func readFault(text []byte) (Fault, object, error) {
	order, err := readObject(text, "Fault")
	if err != nil {
		return Fault{}, nil, err
	}
	var o faultOrder
	m := mistakes{text: text}
	given := slices.DeleteFunc(slices.Clone(order), func(m member) bool { return m.value.Kind() == jsontext.KindNull })
	if err := json.Unmarshal(encode(given), &o, json.MatchCaseInsensitiveNames(true)); err != nil {
		m.add("", "%s", err)
	}
	delay, err := time.ParseDuration(cmp.Or(o.Delay, "0"))
	if err != nil {
		m.add("/delay", `a time is expected, such as "500ms" or "2s"`)
	}
	retryAfter := strings.Trim(string(o.RetryAfter), `"`)
	if _, err := http.ParseTime(retryAfter); err != nil && o.RetryAfter.Kind() == jsontext.KindString {
		m.add("/retryAfter", "whole seconds are expected, or an HTTP date in a string")
	}
	place, problem := o.codeMistake()
	if problem == "" {
		place, problem = o.effectMistake()
	}
	if problem != "" && len(m.found) == 0 {
		m.add(place, "%s", problem)
	}
	if err := m.err(); err != nil {
		return Fault{}, nil, err
	}
	return o.fault(delay, retryAfter), order, nil
}

// answers tells whether the fault has an answer of its own.
func (o faultOrder) answers() bool { return o.Code != "" || o.Status != 0 || o.HTML }

// codeMistake is what the code says of another field, which the schema does not.
func (o faultOrder) codeMistake() (place jsontext.Pointer, problem string) {
	documented := statuses[o.Code] + oauthStatuses[o.Code] // no code is in both
	switch {
	case o.Code != "" && documented == 0 && o.Status == 0:
		known := slices.Concat(slices.Sorted(maps.Keys(statuses)), slices.Sorted(maps.Keys(oauthStatuses)))
		return "/code", "the interface has no such code, so a status is needed; known are " + strings.Join(known, ", ")
	case documented != 0 && o.Status != 0 && o.Status != documented:
		return "/status", fmt.Sprintf("the status of %s is %d", o.Code, documented)
	case oauthStatuses[o.Code] != 0 && o.Route != RouteToken:
		return "/code", "it is an error of the token endpoint, so the route must be token"
	case o.HTML && o.Code != "":
		return "/html", "a page has no code"
	}
	return "", ""
}

// effectMistake is said where ways to fail exclude each other, or there is none.
func (o faultOrder) effectMistake() (place jsontext.Pointer, problem string) {
	answers, isSilent := o.answers(), o.Drop || o.Hang
	switch {
	case o.Drop && o.Hang:
		return "/hang", "a connection that is dropped does not hang"
	case isSilent && (answers || o.Cut != ""):
		return "", "drop and hang give no answer, so code, status, html and cut have no meaning"
	case !answers && o.Message+string(o.RetryAfter) != "":
		return "", "message and retryAfter need a code or a status"
	case !answers && !isSilent && o.Cut+o.Delay == "":
		return "", "this does nothing: give code, status, html, delay, drop, hang or cut"
	}
	return "", ""
}

func (o faultOrder) fault(delay time.Duration, retryAfter string) Fault {
	f := Fault{
		Route: o.Route, Path: o.Path, Skip: o.Skip, Times: o.Times, Delay: delay,
		Kind: map[string]Kind{"length": CutLength, "json": CutJSON}[o.Cut],
	}
	switch {
	case o.Drop:
		f.Kind = Reset
	case o.Hang:
		f.Kind = Hang
	case o.answers():
		a := o.answer(retryAfter)
		f.Status, f.Header, f.Body = a.status, a.header, string(a.body)
	}
	return f
}

// answer is what the fault answers in place of the service.
func (o faultOrder) answer(retryAfter string) *answer {
	message := cmp.Or(o.Message, "A fault was injected into the sandbox.")
	status := max(o.Status, statuses[o.Code], oauthStatuses[o.Code])
	var a *answer
	switch {
	case o.HTML:
		status = cmp.Or(status, http.StatusBadGateway)
		a = page(status, http.StatusText(status), message)
	case oauthStatuses[o.Code] != 0:
		a = refuseToken(status, o.Code, message)
	case o.Code != "":
		a = refuse(status, o.Code, message)
	default:
		a = refuse(status, codeOf(status), message)
	}
	if retryAfter != "" {
		a.with("Retry-After", retryAfter)
	}
	return a
}

// codeOf is the code that says no more than the status.
func codeOf(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return "RATE_LIMITED"
	case http.StatusInternalServerError:
		return "INTERNAL_ERROR"
	}
	if text := http.StatusText(status); text != "" {
		return strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_", "'", "").Replace(text))
	}
	return "STATUS_" + strconv.Itoa(status)
}

func (s *Sandbox) controlInject(x *exchange) *answer {
	fault, order, err := readFault(x.body)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusCreated, encode(object{{"id", encode(s.inject(fault, order).id)}}))
}

// controlFaults lists faults as they were ordered, each with its id and how
// many requests it has hit.
func (s *Sandbox) controlFaults(*exchange) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]object, len(s.faults))
	for i, f := range s.faults {
		list[i] = append(object{{"id", encode(f.id)}, {"hits", encode(f.hits())}}, f.order...)
	}
	return respond(http.StatusOK, encode(list))
}

func (s *Sandbox) controlRemoveFault(x *exchange) *answer {
	said := x.request.PathValue("id")
	id, err := strconv.Atoi(said)
	if err != nil || !s.removeFault(id) {
		return deny("NOT_FOUND", "No fault has the id "+strconv.Quote(said)+".")
	}
	return respond(http.StatusNoContent, nil)
}

func (s *Sandbox) clearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}
