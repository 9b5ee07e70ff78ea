package explain

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// message has the parts of a diagnostic.
type message struct {
	by         *Explainer
	about      Subject
	onArgument bool // the argument of about is at fault

	// What follows is told in this order.
	summary   string
	cause     string   // what is wrong, in a sentence or two
	more      []string // paragraphs
	said      []string // the service's words, a line each
	fact      string   // one line: the status or the fault, and the request
	requestID string
	next      string // what to do

	short string // the cause for a pointer, "" where the summary's own will do
	// shared identifies a cause that concerns every read of the process. It is
	// zero where the cause concerns only this read.
	shared sharedCause
}

// say sets the three parts that every message has.
func (m *message) say(summary, cause, next string) { m.summary, m.cause, m.next = summary, cause, next }

func (m *message) add(format string, args ...any) {
	m.more = append(m.more, fmt.Sprintf(format, args...))
}

// concernsAll marks a cause that every read of the process shares.
func (m *message) concernsAll(api *catalogue.APIError) {
	m.shared = sharedCause{summary: m.summary}
	if api != nil {
		m.shared.status, m.shared.code = api.Status, api.Code
	}
}

// whole is the diagnostic with all its parts.
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

// brief points to the error of another data source, which has the same cause in
// full. It is two lines in the 75 columns that an engine leaves for it. again says
// that the other one is named like the data source of this message.
func (m *message) brief(other string, again bool) diag.Diagnostic {
	which := "the"
	if again {
		which = "another"
	}
	failed := cmp.Or(m.short, briefs[m.summary])
	line := strings.TrimSpace(fmt.Sprintf("%s The full message is in %s error of", failed, which))
	return m.diagnostic(line + "\n" + other + ".")
}

func (m *message) diagnostic(detail string) diag.Diagnostic {
	if m.onArgument && !m.about.path.Equal(path.Empty()) {
		return diag.NewAttributeErrorDiagnostic(m.about.path, m.summary, detail)
	}
	return diag.NewErrorDiagnostic(m.summary, detail)
}

// quote takes over what the service answered.
func (m *message) quote(api *catalogue.APIError) {
	if api.Message != "" {
		m.said = append(m.said, "The service said: "+api.Message)
	}
	for _, issue := range api.Issues {
		m.said = append(m.said, fmt.Sprintf("  - %s: %s", issue.Field, strings.Join(issue.Messages, "; ")))
	}
	m.fact = "Status " + statusText(api.Status)
	if api.Code != "" {
		m.fact += ", code " + api.Code
	}
	m.fact += fmt.Sprintf(", for %s", api.Endpoint)
	m.requestID = api.RequestID
}

// statusText is a status with its reason phrase, where it has one.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
