package explain

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// message holds the parts of a diagnostic.
type message struct {
	by         *Explainer
	about      Subject
	onArgument bool // the argument of about is at fault

	// The diagnostic has these in this order.
	summary   string
	cause     string   // what is wrong, in a sentence or two
	more      []string // paragraphs
	said      []string // the service's words, a line each
	fact      string   // one line: the status or the fault, and the request
	requestID string
	next      string // what to do

	repeated
}

// repeated is what is known of a cause that several reads have.
type repeated struct {
	alike     string // identifies a cause that other reads may meet too, "" for one of this read only
	short     string // what a short message has to say besides
	quotes    bool   // short is what the service said
	elsewhere bool   // another read has more to say about the cause
}

// say sets the three parts that every message has.
func (m *message) say(summary, cause, next string) { m.summary, m.cause, m.next = summary, cause, next }

func (m *message) add(format string, args ...any) {
	m.more = append(m.more, fmt.Sprintf(format, args...))
}

// concernsAll marks a cause that other reads of the process may share. Nothing in its
// identity differs from read to read. api is the answer that shows it, or nil.
func (m *message) concernsAll(api *catalogue.APIError) {
	m.alike = m.summary
	if api != nil {
		m.alike += fmt.Sprint(api.Status, api.Code)
	}
}

// concernsThoseWithTheCode marks a cause that other reads have if they are answered with the same status and code,
// unless it is in an argument or is known to concern all. A short message says what the service said, if that differs.
func (m *message) concernsThoseWithTheCode(api *catalogue.APIError) {
	if m.alike != "" || m.onArgument {
		return
	}
	m.concernsAll(api)
	if len(m.said) > 0 {
		m.short, m.quotes = redact.Shorten(m.said[0], maxShort), true
	}
}

// maxShort bounds what a short message says, in characters: two lines of an engine.
const maxShort = 150

// whole returns the diagnostic with all its parts.
func (m *message) whole() diag.Diagnostic {
	lines := m.said
	if m.fact != "" {
		lines = append(lines, m.fact)
	}
	if m.requestID != "" {
		lines = append(lines, "Request id "+m.requestID)
	}
	paragraphs := append([]string{m.cause}, m.more...)
	return m.diagnostic(Paragraphs(append(paragraphs, strings.Join(lines, "\n"), m.next)...))
}

func (m *message) diagnostic(detail string) diag.Diagnostic {
	if m.onArgument {
		return diag.NewAttributeErrorDiagnostic(m.about.Path, m.summary, detail)
	}
	return diag.NewErrorDiagnostic(m.summary, detail)
}

// quote takes over what the service answered.
func (m *message) quote(api *catalogue.APIError) {
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
	m.fact += fmt.Sprintf(", for %s", api.Endpoint)
	m.requestID = api.RequestID
}

// maxIssue bounds what one rejected field adds to a message, in characters.
const maxIssue = 1000

// quoteIssues lists the fields that the service rejected, the first of them.
func (m *message) quoteIssues(issues []catalogue.Issue) {
	var lines []string
	for _, issue := range issues[:min(len(issues), MaxIDs)] {
		parts := []string{issue.Field, strings.Join(First(MaxIDs, issue.Messages), "; ")}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		lines = append(lines, redact.Shorten(strings.Join(parts, ": "), maxIssue))
	}
	if more := len(issues) - MaxIDs; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	for _, line := range lines {
		m.said = append(m.said, "  - "+line)
	}
}

// statusText returns a status with its reason phrase, if it has one.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
