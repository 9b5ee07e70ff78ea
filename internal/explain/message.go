package explain

import (
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
	api     *catalogue.APIError // the answer at fault, or nil
	// readTimeout is the whole time of a read that gave up.
	readTimeout time.Duration
	fault       string // distinguishes causes of one summary; never shown

	// The parts of the detail, in their order.
	cause string   // what is wrong, in a sentence or two
	more  []string // paragraphs
	said  []string // the service's words, a line each
	fact  string   // the status or the fault and the request, and the request's id
	next  string   // what to do
}

// say sets the three parts common to all messages.
func (m *message) say(summary, cause, next string) { m.Summary, m.cause, m.next = summary, cause, next }

func (m *message) add(format string, args ...any) {
	m.more = append(m.more, fmt.Sprintf(format, args...))
}

// MaxShort limits the text of a short message, in characters: two lines of an engine, which wraps at 77 columns,
// perhaps before an id.
const MaxShort = 115

// finished returns the problem with its detail.
func (m *message) finished() Problem {
	if len(m.said) > 0 {
		m.Said = redact.Shorten(m.said[0], MaxShort)
	}
	quoted := joined("\n", append(m.said, m.fact)...)
	paragraphs := append([]string{m.cause}, m.more...)
	m.Detail = Paragraphs(append(paragraphs, quoted, m.next)...)
	return m.Problem
}

// field returns the part of a place common to all records of a list, such as revision of models[3].revision.
func field(place string) string {
	return strings.Trim(place[strings.LastIndexByte(place, ']')+1:], ".")
}

// quoteRequest quotes the status of an answer, the request and its id. head follows the status.
func (m *message) quoteRequest(status int, head string, request catalogue.Endpoint, id string) {
	m.fact = fmt.Sprintf("Status %s%s, for %s", statusText(status), head, request)
	if id != "" {
		m.fact += "\nRequest id " + id
	}
}

// quoteRefusal quotes the service's answer. Answers with the same status and code have one cause, even if the code is
// unknown.
func (m *message) quoteRefusal(api *catalogue.APIError) {
	who := "The answer: " // perhaps of a gateway
	if api.HasCode() {
		who = "The service said: "
	}
	if api.Message != "" {
		m.said = append(m.said, who+api.Message)
	}
	m.quoteIssues(api.Issues)
	if api.Data != "" {
		m.said = append(m.said, "It added: "+api.Data)
	}
	if api.Challenge != "" {
		m.said = append(m.said, "WWW-Authenticate: "+api.Challenge)
	}
	code := ""
	if api.ShownCode != "" {
		code = ", code " + api.ShownCode
	}
	m.quoteRequest(api.Status, code, api.Endpoint, api.RequestID)
	m.fault = fmt.Sprint(api.Status, api.Code)
}

// maxIssue limits the text about one rejected field, in characters.
const maxIssue = 1000

// quoteIssues lists the first of the rejected fields.
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
