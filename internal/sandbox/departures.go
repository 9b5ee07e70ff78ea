package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Pattern is the route's path, such as /v1/model-group/{id}.
func (r Route) Pattern() string { return paths[r] }

var index = regexp.MustCompile(`\[\d+\]`)

// Departures tells where an answer of a service departs from the interface:
// fields that it lacks or that are absent, other types, and codes that it lacks
// or that have another status. No value is repeated, and what several elements
// of a list have in common is told once. Routes that the interface has not
// have no departures.
func Departures(route Route, status int, body []byte) []string {
	if paths[route] == "" {
		return nil
	}
	if _, err := compact(body); err != nil {
		return []string{"the answer is not JSON"}
	}
	at, kind := responseSchema(route, status)
	m := mistakes{text: body, silent: true}
	sent().check(&m, at)
	var told []string
	for _, found := range m.found {
		place := cmp.Or(index.ReplaceAllString(found.Path, "[]"), "the answer")
		told = append(told, place+": "+found.Problem)
	}
	if kind != "" {
		told = append(told, codeDepartures(kind, status, body)...)
	}
	slices.Sort(told)
	return slices.Compact(told)
}

// responseSchema is where the schema of an answer stands, and the kind of error
// that it is of, if it is one.
func responseSchema(route Route, status int) (at, kind string) {
	switch {
	case status == http.StatusOK && route == RouteToken:
		return "/components/schemas/Token", ""
	case status == http.StatusOK:
		pointer := jsontext.Pointer("/paths").AppendToken(paths[route])
		return string(pointer) + "/get/responses/200/content/application~1json/schema", ""
	case route == RouteToken && status != http.StatusTooManyRequests:
		kind = "OAuthError"
	default:
		kind = "Error"
	}
	return "/components/schemas/" + kind, kind
}

func codeDepartures(kind string, status int, body []byte) []string {
	known, field := statuses, "code"
	if kind == "OAuthError" {
		known, field = oauthStatuses, "error"
	}
	code, ok := parseObject(body).text(field) // the schema told of one that is no object
	switch {
	case !ok:
		return nil
	case known[code] == 0:
		return []string{fmt.Sprintf("%s: the interface has no such code for status %d", field, status)}
	case known[code] != status:
		return []string{fmt.Sprintf("%s: %s belongs to status %d, not %d", field, code, known[code], status)}
	}
	return nil
}
