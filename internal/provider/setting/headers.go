package setting

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// ParseHeaders reads headers, one "Name: value" a line, with or without a carriage return. It skips empty lines. An
// error names lines by their numbers and never shows their text, which may be a secret.
func ParseHeaders(text string) (map[string]string, error) {
	headers, lines := map[string]string{}, map[string]int{}
	var problems []string
	for i, line := range strings.Split(strings.TrimPrefix(text, byteOrderMark), "\n") {
		name, value, hasColon := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		problem, before := HeaderMistake(name, value), lines[strings.ToLower(name)]
		_, next, spelled := strings.Cut(value, `\n`)
		switch {
		case IsBlank(line):
			continue
		case !hasColon:
			problem = "has no colon; write Name: value"
		case spelled && strings.Contains(next, ": "):
			problem = `has a line break that is spelled \n; write a real one`
		case problem == "" && before > 0:
			problem = fmt.Sprintf("has the same name as line %d", before)
		}
		if problem != "" {
			problems = append(problems, fmt.Sprintf("line %d %s", i+1, problem))
		}
		lines[strings.ToLower(name)] = i + 1
		headers[name] = value
	}
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; "))
	}
	return headers, nil
}

// HeaderMistake says what is wrong with a header, as the rest of a sentence about it, or returns "". It never shows
// the value, and shows one character of a name.
func HeaderMistake(name, value string) string {
	odd := redact.OddCharacter(name, func(r rune) bool { return !httpguts.IsTokenRune(r) })
	unsendable := redact.OddCharacter(value, isUnseen)
	switch {
	case name == "":
		return "has no name"
	case odd != "":
		return "has a name that a header cannot have: " + odd
	case strings.EqualFold(name, "Authorization"):
		return "is Authorization, which the provider sets itself; Identity-Aware Proxy also takes its credential in " +
			"Proxy-Authorization"
	case isReserved(name):
		return "is " + name + ", which HTTP or the provider sets itself; leave it out"
	case IsBlank(value):
		return "has no value"
	case strings.TrimSpace(value) != value:
		return "has white space around its value, such as the line break at the end of a file; trimspace(…) " +
			"leaves it out"
	case unsendable != "":
		return "has a value that cannot be sent: " + unsendable
	}
	return ""
}

// isReserved reports whether a header says how a connection, a request or its answer is to be read.
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
