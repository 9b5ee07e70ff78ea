package sandbox

import (
	"bytes"
	"cmp"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Pattern is the route's path, such as /v1/model-group/{id}.
func (r Route) Pattern() string { return paths[r] }

var index = regexp.MustCompile(`\[\d+\]`)

// Departures lists where an answer of a service differs from the interface: missing and unknown fields, values of
// another type, duplicate members, and texts that are not UTF-8. A line begins with the route. It never shows values,
// passes names through hide, quotes unusual ones, and reports a departure of several elements of a list once.
func Departures(route Route, status int, body []byte, hide func(string) string) []string {
	found := append(misspelt(body), sent().check(body, responseSchema(route, status))...)
	return found.lines(route, hide)
}

// lines returns the departures of an answer as [Departures] does.
func (e TextErrors) lines(route Route, hide func(string) string) (lines []string) {
	for _, d := range e {
		var place jsontext.Pointer
		for token := range d.at.Tokens() {
			place = place.AppendToken(hide(token))
		}
		named := cmp.Or(index.ReplaceAllString(path(place), "[]"), "the answer")
		lines = append(lines, "GET "+route.Pattern()+": "+named+": "+d.Problem)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// misspelt returns mistakes that most readers of JSON accept and that RFC 8259 forbids or advises against. It stops
// at the first error of syntax, which the schema's check reports. It makes pointers for mistakes alone, because the
// length of a pointer grows with the depth of its place.
func misspelt(body []byte) (found TextErrors) {
	names := []map[string]bool{nil} // the names so far of each open object, by depth
	decoder := jsontext.NewDecoder(bytes.NewReader(body), lenient)
	for {
		before := decoder.InputOffset()
		token, err := decoder.ReadToken()
		if err != nil {
			return found
		}
		depth := decoder.StackDepth()
		if names = names[:min(depth+1, len(names))]; len(names) == depth {
			names = append(names, map[string]bool{})
		}
		if token.Kind() == jsontext.KindString {
			raw := bytes.TrimLeft(body[before:decoder.InputOffset()], " \t\r\n:,")
			found.checkText(decoder, raw, names[depth])
		}
	}
}

// checkText adds the mistakes in a string, the decoder's last token: invalid UTF-8 and, if it is a name, a duplicate.
func (e *TextErrors) checkText(decoder *jsontext.Decoder, raw jsontext.Value, names map[string]bool) {
	name, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		e.add(decoder.StackPointer(), "the text is not UTF-8")
	}
	kind, length := decoder.StackIndex(decoder.StackDepth())
	if kind != jsontext.KindBeginObject || length%2 == 0 {
		return
	}
	if names[string(name)] {
		e.add(decoder.StackPointer(), "duplicate member")
	}
	names[string(name)] = true
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
