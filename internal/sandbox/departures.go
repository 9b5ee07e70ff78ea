package sandbox

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Pattern is the route's path, such as /v1/model-group/{id}.
func (r Route) Pattern() string { return paths[r] }

var index = regexp.MustCompile(`\[\d+\]`)

// Departures returns where an answer of a service departs from the interface: missing and unknown fields, and values of
// another type. It shows no values, quotes unusual names, and reports a departure of several elements of a list once.
func Departures(route Route, status int, body []byte) []string {
	if paths[route] == "" {
		return nil
	}
	if _, err := compact(body); err != nil {
		return []string{"the answer is not JSON"}
	}
	var departures []string
	for _, found := range sent().check(body, responseSchema(route, status)) {
		place := cmp.Or(index.ReplaceAllString(found.Path, "[]"), "the answer")
		departures = append(departures, place+": "+found.Problem)
	}
	slices.Sort(departures)
	return slices.Compact(departures)
}

// responseSchema returns the place of the schema of an answer.
func responseSchema(route Route, status int) jsontext.Pointer {
	switch {
	case status == http.StatusOK && route == RouteToken:
		return "/components/schemas/Token"
	case status == http.StatusOK:
		operations := jsontext.Pointer("/paths").AppendToken(paths[route])
		return operations + "/get/responses/200/content/application~1json/schema"
	case route == RouteToken && status != http.StatusTooManyRequests:
		return "/components/schemas/OAuthError"
	}
	return "/components/schemas/Error"
}
