package sandbox

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// faultOrder is the body of POST /control/faults, as sandbox.schema.json and
// `help faults` describe it. Of two ways to fail the first counts: hang, drop, an
// answer of its own.
type faultOrder struct {
	Route       Route
	Path        string
	Skip, Times int

	// An answer in place of the service's own: an error, of a code that the
	// interface may not have yet, or the HTML page of a gateway.
	Code       string
	Message    string
	Status     int
	HTML       bool
	RetryAfter jsontext.Value

	// What happens to the answer, whichever it is.
	Delay      string
	Drop, Hang bool
	Cut        string
	Page       Page
}

// readFault makes the fault that a text orders, and returns the order with it.
// Its errors are [TextErrors].
func readFault(text []byte) (Fault, object, error) {
	order, err := readObject(text, "Fault", `{"route": "models", "status": 503, "times": 2}`)
	if err != nil {
		return Fault{}, nil, err
	}
	var o faultOrder
	var m TextErrors
	maps.DeleteFunc(order, func(_ string, value jsontext.Value) bool { return value.Kind() == jsontext.KindNull })
	if err := json.Unmarshal(encode(order), &o, json.MatchCaseInsensitiveNames(true)); err != nil {
		m.add("", "%s", err)
	}
	delay, err := time.ParseDuration(cmp.Or(o.Delay, "0"))
	if err != nil || delay < 0 {
		m.add("/delay", `a time is expected, such as "500ms" or "2s"`)
	}
	retryAfter := strings.Trim(string(o.RetryAfter), `"`)
	if _, err := http.ParseTime(retryAfter); err != nil && o.RetryAfter.Kind() == jsontext.KindString {
		m.add("/retryAfter", "whole seconds are expected, or an HTTP date in a string")
	}
	status := cmp.Or(o.Status, statuses[o.Code], oauthStatuses[o.Code])
	answers := o.Code != "" || o.Status != 0 || o.HTML
	switch {
	case o.Code != "" && status == 0:
		known := slices.Concat(slices.Sorted(maps.Keys(statuses)), slices.Sorted(maps.Keys(oauthStatuses)))
		m.add("/code", "the interface has no such code, so a status is needed; known are %s", strings.Join(known, ", "))
	case !answers && !o.Drop && !o.Hang && o.Cut+o.Delay+string(o.Page) == "":
		m.add("", "this does nothing: give code, status, html, delay, drop, hang, cut or page")
	}
	if err := m.err(); err != nil {
		return Fault{}, nil, err
	}
	f := Fault{
		Route: o.Route, Path: o.Path, Skip: o.Skip, Times: o.Times, Delay: delay, Page: o.Page,
		Kind: map[string]Kind{"length": CutLength, "json": CutJSON}[o.Cut],
	}
	switch {
	case o.Hang:
		f.Kind = Hang
	case o.Drop:
		f.Kind = Reset
	case answers:
		a := o.answer(status, retryAfter)
		f.Status, f.Header, f.Body = a.status, a.header, string(a.body)
	}
	return f, order, nil
}

// answer is what the fault answers in place of the service.
func (o faultOrder) answer(status int, retryAfter string) *answer {
	message := cmp.Or(o.Message, "A fault was injected into the sandbox.")
	var a *answer
	switch {
	case o.HTML:
		status = cmp.Or(status, http.StatusBadGateway)
		a = page(status, http.StatusText(status), message)
	case oauthStatuses[o.Code] != 0:
		a = refuseToken(status, o.Code, message)
	default:
		// A status alone has the code that says no more than it.
		plain := strings.NewReplacer(" ", "_", "-", "_", "'", "").Replace(http.StatusText(status))
		if status == http.StatusTooManyRequests {
			plain = "RATE_LIMITED"
		} else if status == http.StatusInternalServerError {
			plain = "INTERNAL_ERROR"
		}
		a = refuse(status, cmp.Or(o.Code, strings.ToUpper(plain), "UNKNOWN"), message)
	}
	if retryAfter != "" {
		a.with("Retry-After", retryAfter)
	}
	return a
}

func (s *Sandbox) controlInject(x *exchange) *answer {
	fault, order, err := readFault(x.body)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusCreated, encode(object{"id": encode(s.inject(fault, order).id)}))
}

// listed is the fault as it was ordered, with its id and its hits.
func (f *injected) listed() object {
	return object{"id": encode(f.id), "hits": encode(f.hits())}.with(f.order)
}

func (s *Sandbox) controlFaults(*exchange) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]object, len(s.faults))
	for i, f := range s.faults {
		list[i] = f.listed()
	}
	return respond(http.StatusOK, encode(list))
}

func (s *Sandbox) clearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}
