package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// addHeaders resolves the headers of every request. A map without elements counts as absent.
func (r *resolver) addHeaders() {
	elements := r.block[Headers].Elements
	spellings := map[string]string{}
	if len(elements) == 0 {
		take(r, Headers, parseHeaders, &r.Client.Headers)
	} else {
		r.addOrigin(Headers, "", explain.Origin{Block: true, Over: r.env.variablesFor(Headers)})
		r.Client.Headers = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		value := elements[name]
		if value.IsUnknown && !slices.Contains(r.Unknown, Headers) {
			r.Unknown = append(r.Unknown, Headers)
		}
		r.addHeader(name, value, spellings[strings.ToLower(name)])
		spellings[strings.ToLower(name)] = name
	}
	r.Shown[Headers] = explain.Enumerated(slices.Sorted(maps.Keys(r.Client.Headers)))
}

// addHeader adds one header of the block. same is another spelling of its name that comes before, or "".
func (r *resolver) addHeader(name string, value Value, same string) {
	text, whose, kind := value.Text, "A header", Invalid
	if value.IsUnknown {
		text = "unknown" // only the name can be checked
	}
	r.Client.Headers[name] = text
	if httpguts.ValidHeaderFieldName(name) {
		whose = fmt.Sprintf("The header %q", name)
	}
	mistake := nameMistake(name)
	if mistake == "" && isBlank(text) {
		kind = Absent
	}
	mistake = cmp.Or(mistake, valueMistake(text))
	if mistake == "" && same != "" {
		mistake = fmt.Sprintf("has the same name as %q: the case of letters does not count in HTTP", same)
	}
	if mistake != "" {
		r.add(kind, explain.SummaryInvalid(Headers), explain.Sentence(whose+" "+mistake), Headers, name)
	}
}

// parseHeaders reads headers, one "Name: value" a line, with or without a carriage return. It skips empty lines. An
// error names lines by their numbers and never shows their text, which may be a secret.
func parseHeaders(text string) (map[string]string, error) {
	headers, lines := map[string]string{}, map[string]int{}
	var problems []string
	for i, line := range strings.Split(strings.TrimPrefix(text, byteOrderMark), "\n") {
		name, value, hasColon := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		mistake, before := cmp.Or(nameMistake(name), valueMistake(value)), lines[strings.ToLower(name)]
		_, next, spelled := strings.Cut(value, `\n`)
		switch {
		case isBlank(line):
			continue
		case !hasColon:
			mistake = "has no colon"
		case spelled && strings.Contains(next, ": "):
			mistake = `has a line break that is spelled \n instead of a real one`
		case mistake == "" && before > 0:
			mistake = fmt.Sprintf("has the same name as the one on line %d", before)
		}
		if mistake != "" {
			problems = append(problems, fmt.Sprintf("the header on line %d %s", i+1, mistake))
		}
		lines[strings.ToLower(name)] = i + 1
		headers[name] = value
	}
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; ") + ".\n\nWrite one header a line, as Name: value.")
	}
	return headers, nil
}

// nameMistake returns the mistake in the name of a header, as the rest of a sentence about the header, or "". It shows
// at most one character.
func nameMistake(name string) string {
	odd := redact.OddCharacter(name, func(r rune) bool { return !httpguts.IsTokenRune(r) })
	switch {
	case name == "":
		return "has no name"
	case odd != "":
		return "cannot be sent: in its name, " + odd
	case strings.EqualFold(name, "Authorization"):
		return "is set by the provider itself; Identity-Aware Proxy also takes its credential in Proxy-Authorization"
	case isReserved(name):
		return "is set by HTTP or the provider itself; leave it out"
	}
	return ""
}

// valueMistake returns the same for the value, without showing it.
func valueMistake(value string) string {
	odd := redact.OddCharacter(value, isUnseen)
	switch {
	case isBlank(value):
		return "has no value"
	case strings.TrimSpace(value) != value:
		return "has white space around its value, such as the line break at the end of a file; trimspace(…) " +
			"leaves it out"
	case odd != "":
		return "cannot be sent: in its value, " + odd
	}
	return ""
}

// isReserved reports whether a header controls a connection, a request or the form of its answer.
func isReserved(name string) bool {
	lower := strings.ToLower(name)
	names := []string{
		"cache-control", "connection", "expect", "host", "http2-settings", "keep-alive", "proxy-connection", "range",
		"te", "trailer", "transfer-encoding", "upgrade", "user-agent",
	}
	about, _, _ := strings.Cut(lower, "-")
	isOf := slices.Contains([]string{"accept", "content", "if"}, about)
	return isOf || slices.Contains(names, lower)
}

// gateway returns the headers and the certificate for a gateway in front of the service, and why they may not be
// enough, without showing values. As with a client secret, an oddity may belong to the value.
func (s Resolved) gateway() explain.Gateway {
	sent := explain.Gateway{
		Headers:     slices.Sorted(maps.Keys(s.Client.Headers)),
		HeadersFrom: s.Origins[Headers].String(),
		Certificate: s.Origins[ClientCertificate].String(),
	}
	named := regexp.MustCompile(`(^|[,;]\s*)[A-Za-z][\w-]+: `)
	for _, name := range sent.Headers {
		odd := oddityOfSecret(name, s.Client.Headers[name])
		if named.MatchString(s.Client.Headers[name]) {
			odd = "has the name of a header in it; give the value alone, and write one header a line"
		}
		if odd != "" {
			sent.Oddities = append(sent.Oddities, "The value of the header "+name+" "+odd+". That may be the reason.")
		}
	}
	if len(s.Withheld) > 0 {
		sent.Oddities = append(sent.Oddities, "Not used here, because of the different address in "+Variable(BaseURL)+
			": "+explain.Enumerated(s.Withheld)+". That may be the reason.")
	}
	return sent
}
