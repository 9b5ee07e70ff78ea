package explain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// message collects the parts of a problem.
type message struct {
	Problem // its Detail, Cause and Said come last
	by      *Explainer
	about   Subject
	// readTimeout is the whole time of the read, if it is known.
	readTimeout time.Duration
	fault       string // what distinguishes its cause from others of its summary; it is not shown

	// The detail has these in this order.
	cause     string   // what is wrong, in a sentence or two
	more      []string // paragraphs
	said      []string // the service's words, a line each
	fact      string   // one line: the status or the fault, and the request
	requestID string
	next      string // what to do
}

// say sets the three parts that every message has.
func (m *message) say(summary, cause, next string) { m.Summary, m.cause, m.next = summary, cause, next }

func (m *message) add(format string, args ...any) {
	m.more = append(m.more, fmt.Sprintf(format, args...))
}

// MaxShort bounds what a short message says, in characters: two lines of an engine, which has 77 columns and may end
// the first before an id.
const MaxShort = 115

// finished returns the problem with all that the message says about err.
func (m *message) finished(err error) Problem {
	if len(m.said) > 0 {
		m.Said = redact.Shorten(m.said[0], MaxShort)
	}
	lines := m.said
	if m.fact != "" {
		lines = append(lines, m.fact)
	}
	if m.requestID != "" {
		lines = append(lines, "Request id "+m.requestID)
	}
	paragraphs := append([]string{m.cause}, m.more...)
	m.Detail = Paragraphs(append(paragraphs, strings.Join(lines, "\n"), m.next)...)
	m.Cause = m.shared(err)
	return m.Problem
}

// shared identifies the cause of err, for Problem.
func (m *message) shared(err error) string {
	_, isRejected := errors.AsType[*catalogue.RejectedError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return m.Summary
	case isRejected, m.fault != "":
		return m.Summary + m.fault
	}
	return ""
}

// field returns the part of a place that is the same in every record of a list, such as revision of models[3].revision.
func field(place string) string {
	return strings.Trim(place[strings.LastIndexByte(place, ']')+1:], ".")
}

// quote takes over what err says of an answer, or of the fault of an attempt without one.
func (m *message) quote(err error) {
	var (
		api      *catalogue.APIError
		network  *catalogue.NetworkError
		unusable *catalogue.UnusableAnswerError
	)
	switch {
	case errors.As(err, &api):
		m.quoteRefusal(api)
	case errors.As(err, &network):
		m.fact = fmt.Sprintf("The fault: %s, for %s", network.Problem, network.Endpoint)
		m.fault = fmt.Sprint(network.Fault)
	case errors.As(err, &unusable):
		m.quoteUnusable(unusable)
	}
}

// quoteRefusal quotes the service's answer. The same code is the same cause, even if the provider does not know the
// code.
func (m *message) quoteRefusal(api *catalogue.APIError) {
	if api.Message != "" {
		m.said = append(m.said, "The service said: "+api.Message)
	}
	m.quoteIssues(api.Issues)
	if api.Data != "" {
		m.said = append(m.said, "It added: "+api.Data)
	}
	m.fact = "Status " + statusText(api.Status)
	if api.ShownCode != "" {
		m.fact += ", code " + api.ShownCode
	}
	m.fact += ", for " + api.String()
	m.fault = fmt.Sprint(api.Status, api.Code)
	m.requestID = api.RequestID
}

// maxIssue bounds what one rejected field adds to a message, in characters.
const maxIssue = 1000

// quoteIssues lists the fields that the service rejected, the first of them.
func (m *message) quoteIssues(issues []catalogue.Issue) {
	var lines []string
	for _, issue := range issues {
		line := joined(": ", issue.Field, JoinFirst(issue.Messages, "; "))
		lines = append(lines, redact.Shorten(line, maxIssue))
	}
	for _, line := range First(MaxIDs, lines) {
		m.said = append(m.said, "  - "+line)
	}
}

// statusText returns a status with its reason phrase, if it has one.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
