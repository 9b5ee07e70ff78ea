package sandbox

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// faultOrder is the body of POST /control/faults, as sandbox.schema.json and `help fault` describe it.
type faultOrder struct {
	// Which requests it hits.
	Route Route
	Path  string
	Skip  int
	Times int

	orderedAnswer
	orderedEffect
}

// orderedAnswer is what is answered in place of the service: an error, or the HTML page of a gateway.
type orderedAnswer struct {
	Code       string
	Message    string
	Data       jsontext.Value
	Status     int
	HTML       bool
	RetryAfter int
}

// orderedEffect is what happens to either answer.
type orderedEffect struct {
	Delay   string
	Drop    bool
	Hang    bool
	Cut     string
	Headers map[string]string
}

// readFault reads a faultOrder, and returns the fault and the order. Its errors are [TextErrors].
func readFault(text []byte) (Fault, object, error) {
	fields, err := readObject(text, "Fault", `{"route": "models", "status": 503}`)
	if err != nil {
		return Fault{}, nil, err
	}
	var o faultOrder
	if err := json.Unmarshal(encode(fields), &o, json.MatchCaseInsensitiveNames(true)); err != nil {
		return Fault{}, nil, err
	}
	if problems := o.problems(); problems != nil {
		return Fault{}, nil, problems
	}
	f := Fault{
		Route: o.Route,
		Path:  o.Path,
		Skip:  o.Skip,
		Times: o.Times,
		Kind:  o.kind(),
		Delay: o.delay(),
	}
	if o.answers() {
		a := o.answer()
		f.Status = a.status
		f.Header = a.header
		f.Body = string(a.body)
	}
	if f.Header == nil {
		f.Header = http.Header{}
	}
	for name, value := range o.Headers {
		f.Header.Set(name, value)
	}
	return f, fields, nil
}

// problems returns what the schema cannot say.
func (o *faultOrder) problems() error {
	var found TextErrors
	if o.delay() < 0 {
		found.add("/delay", `a time such as "500ms" or "2s" is expected`)
	}
	if o.Code != "" && o.status() == 0 {
		known := prose(slices.Sorted(maps.Keys(statuses)), "and")
		found.add("/code", "the interface has no such code, so a status is needed; known are %s", known)
	}
	return found.err()
}

// delay returns how long the effect waits, or less than 0 if that is not a time.
func (o *orderedEffect) delay() time.Duration {
	delay, err := time.ParseDuration(cmp.Or(o.Delay, "0"))
	if err != nil {
		return -1
	}
	return delay
}

func (o *orderedEffect) kind() Kind {
	switch {
	case o.Hang:
		return Hang
	case o.Drop:
		return Reset
	}
	return map[string]Kind{"length": CutLength, "json": CutJSON}[o.Cut]
}

// answers reports whether something is answered in place of the service.
func (o *orderedAnswer) answers() bool { return o.Code != "" || o.Status != 0 || o.HTML }

// status returns the status of the answer, or 0 if it has none.
func (o *orderedAnswer) status() int {
	status := cmp.Or(o.Status, statuses[o.Code], oauthStatuses[o.Code])
	if o.HTML {
		return cmp.Or(status, http.StatusBadGateway)
	}
	return status
}

func (o *orderedAnswer) answer() *answer {
	message := cmp.Or(o.Message, "A fault was injected into the sandbox.")
	status := o.status()
	var a *answer
	switch {
	case o.HTML:
		const page = "<!DOCTYPE html>\n<title>%[1]s</title>\n<h1>%[1]s</h1>\n<p>%[2]s</p>\n"
		text := fmt.Appendf(nil, page, http.StatusText(status), html.EscapeString(message))
		a = respond(status, text).set("Content-Type", "text/html; charset=utf-8")
	case oauthStatuses[o.Code] != 0:
		a = refuseToken(status, o.Code, message)
	default:
		a = promised(status, cmp.Or(o.Code, codeOf(status)), message, o.Data)
	}
	if o.RetryAfter > 0 {
		a.set("Retry-After", strconv.Itoa(o.RetryAfter))
	}
	return a
}

// promised answers with an error, and with what the interface promises for its code: Retry-After with RATE_LIMITED, and
// the rejected fields with VALIDATION_FAILED.
func promised(status int, code, message string, data jsontext.Value) *answer {
	if code == "VALIDATION_FAILED" && data == nil {
		data = encode(map[string]any{"issues": []issue{{Field: "id", Messages: []string{message}}}})
	}
	a := refuse(status, code, message, data)
	if code == "RATE_LIMITED" {
		a.set("Retry-After", "1")
	}
	return a
}

// codeOf returns the generic code of a status.
func codeOf(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return "RATE_LIMITED"
	case http.StatusInternalServerError:
		return "INTERNAL_ERROR"
	}
	named := strings.NewReplacer(" ", "_", "-", "_", "'", "").Replace(http.StatusText(status))
	return cmp.Or(strings.ToUpper(named), "UNKNOWN")
}
