package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Pattern is the route's path, such as /v1/model-group/{id}.
func (r Route) Pattern() string { return paths[r] }

var index = regexp.MustCompile(`\[\d+\]`)

// Departures reports where an answer of a service departs from the interface:
// missing and unknown fields, other types, unknown codes, codes with another
// status, and pages. It repeats no value and quotes the names of fields, and
// reports a departure of several elements of a list once.
func Departures(route Route, status int, header http.Header, body []byte) []string {
	if paths[route] == "" {
		return nil
	}
	if _, err := compact(body); err != nil {
		return []string{"the answer is not JSON"}
	}
	at, kind := responseSchema(route, status)
	told := pageDepartures(header, body)
	for _, found := range sent().check(body, at) {
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
	code := parseObject(body).text(field) // the schema reports another type
	switch {
	case code == "":
		return nil
	case known[code] == 0:
		return []string{fmt.Sprintf("%s: the interface has no such code for status %d", field, status)}
	case known[code] != status:
		return []string{fmt.Sprintf("%s: %s belongs to status %d, not %d", field, code, known[code], status)}
	}
	return nil
}

// pageDepartures reports what says that a list is only a part of it.
func pageDepartures(header http.Header, body []byte) []string {
	var told []string
	if link := header.Get("Link"); strings.Contains(link, "next") {
		told = append(told, "the answer: it comes in pages, and its header Link names the next one")
	}
	count := header.Get("X-Total-Count")
	if list := elements(body); list != nil && count != "" && count != strconv.Itoa(len(list)) {
		told = append(told, fmt.Sprintf("the answer: its header X-Total-Count counts %.20q, and it has %d", count, len(list)))
	}
	return told
}
