package sandbox

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Pattern is the route's path, such as /v1/model-group/{id}.
func (r Route) Pattern() string { return paths[r] }

var index = regexp.MustCompile(`\[\d+\]`)

// Departures lists where an answer of a service differs from the interface: missing and unknown fields, values of
// another type, members that come twice, and texts that are not UTF-8. It never shows values, passes names through
// hide, quotes unusual ones, and reports a departure of several elements of a list once.
func Departures(route Route, status int, body []byte, hide func(string) string) []string {
	if paths[route] == "" {
		return nil
	}
	found, err := misspelt(body)
	if err != nil {
		return []string{"the answer is not JSON"}
	}
	var departures []string
	for _, d := range append(found, sent().check(body, responseSchema(route, status))...) {
		var place jsontext.Pointer
		for token := range d.at.Tokens() {
			place = place.AppendToken(hide(token))
		}
		named := cmp.Or(index.ReplaceAllString(path(place), "[]"), "the answer")
		departures = append(departures, named+": "+d.Problem)
	}
	slices.Sort(departures)
	return slices.Compact(departures)
}

// misspelt returns what most readers of JSON accept, and RFC 8259 does not permit or advises against. Its error is that
// the body is not even that.
func misspelt(body []byte) (TextErrors, error) {
	var found TextErrors
	names := map[jsontext.Pointer]bool{}
	lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	decoder := jsontext.NewDecoder(bytes.NewReader(body), lenient...)
	for {
		before := decoder.InputOffset()
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) && before > 0 {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if token.Kind() != jsontext.KindString {
			continue
		}
		place := decoder.StackPointer()
		raw := bytes.TrimLeft(body[before:decoder.InputOffset()], " \t\r\n:,")
		if _, err := jsontext.AppendUnquote(nil, raw); err != nil {
			found.add(place, "the text is not UTF-8")
		}
		if kind, length := decoder.StackIndex(decoder.StackDepth()); kind == jsontext.KindBeginObject && length%2 == 1 {
			if names[place] {
				found.add(place, "the member is there twice")
			}
			names[place] = true
		}
	}
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
