package sandbox

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// faultOrder is the body of POST /control/faults, described by sandbox.schema.json and `help`. It has the fields of a
// fault and, instead of Body, the parts of an error or of a gateway's HTML page.
type faultOrder struct {
	Fault

	Delay      string
	Headers    map[string]string
	Code       string
	Message    string
	Data       jsontext.Value
	HTML       bool
	RetryAfter int
}

// readFault reads a faultOrder, and returns the fault and the order. Its errors are [TextErrors].
func (s *Sandbox) readFault(text []byte) (Fault, object, error) {
	fields, err := readObject(text, "Fault", s.checkFault)
	if err != nil {
		return Fault{}, nil, err
	}
	o := faultOrder{}
	integral := []byte(canonical(encode(fields))) // 1.0 is an integer of JSON, but not of Go
	if err := json.Unmarshal(integral, &o, json.MatchCaseInsensitiveNames(true)); err != nil {
		return Fault{}, nil, TextErrors{{Problem: err.Error()}} // a count above an int of 32 bits
	}
	o.Data = fields["data"]
	f := o.Fault
	f.Header = http.Header{}
	for name, value := range o.Headers {
		f.Header.Set(name, value)
	}
	if o.Code != "" || o.Status != 0 || o.HTML {
		f.answer = o.to
	}
	f.Delay, err = time.ParseDuration(cmp.Or(o.Delay, "0"))
	return f, fields, err
}

// checkFault adds the mistakes in an order that the schema cannot find. Codes of OAuth are for the token endpoint
// alone.
func (s *Sandbox) checkFault(order object, found *TextErrors) {
	code, path := order.text("code"), order.text("path")
	isOfToken := order.text("route") == string(RouteToken) || path == paths[RouteToken]
	switch {
	case code == "" || statuses[code] != 0:
	case oauthStatuses[code] != 0 && isOfToken:
	case oauthStatuses[code] != 0:
		found.add("/code", "only the token endpoint answers with an OAuth code: the route must be token")
	case order["status"] == nil:
		known := prose(slices.Sorted(maps.Keys(statuses)), "and")
		found.add("/code", "the interface does not have this code, so it needs a status; there are %s", known)
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(path, paths[RouteGroups]+"/"), "/")
	name, _ := url.PathUnescape(id)
	found.checkNoName("/path", name, s.catalogue)
}

// to returns the answer to a request of the route. The token endpoint answers with a body of OAuth, whatever the code,
// except for a 429: OAuth has no error for a limit.
func (o *faultOrder) to(route Route) *answer {
	message := cmp.Or(o.Message, "A fault was injected into the sandbox.")
	status := cmp.Or(o.Status, statuses[o.Code], oauthStatuses[o.Code], http.StatusBadGateway)
	var a *answer
	switch {
	case o.HTML:
		const page = "<!DOCTYPE html>\n<title>%[1]s</title>\n<h1>%[1]s</h1>\n<p>%[2]s</p>\n"
		text := fmt.Appendf(nil, page, http.StatusText(status), html.EscapeString(message))
		a = respond(status, text).set("Content-Type", "text/html; charset=utf-8")
	case route == RouteToken && status != http.StatusTooManyRequests:
		a = refuseToken(status, o.oauthCode(status), message)
	default:
		a = promised(status, cmp.Or(o.Code, codeOf(status)), message, o.Data)
	}
	if o.RetryAfter > 0 {
		a.set("Retry-After", strconv.Itoa(o.RetryAfter))
	}
	return a
}

// oauthCode returns the code of the order, if OAuth has it, or else the nearest one.
func (o *faultOrder) oauthCode(status int) string {
	switch {
	case oauthStatuses[o.Code] != 0:
		return o.Code
	case status >= http.StatusInternalServerError:
		return "temporarily_unavailable"
	case status == http.StatusUnauthorized:
		return "invalid_client"
	}
	return "invalid_request"
}

// promised answers with an error and the promised header or data of its code: Retry-After with RATE_LIMITED, and the
// rejected fields with VALIDATION_FAILED.
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
