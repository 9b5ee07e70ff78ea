package provider

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// message has the parts of a diagnostic, in order.
type message struct {
	about      subject
	summary    string
	onArgument bool
	cause      string   // what is wrong, in a sentence or two
	short      string   // the same for a pointer, "" where the summary's own will do
	more       []string // paragraphs
	said       []string // the service's words, a line each
	fact       string   // one line: the status or the fault, and the request
	requestID  string
	next       string // what to do
	blamed     bool   // the credentials are at fault, so it is told where they come from

	// shared identifies a cause that concerns every read of the process. It is
	// zero where the cause concerns only this read.
	shared sharedCause
}

func (m *message) add(format string, args ...any) {
	m.more = append(m.more, fmt.Sprintf(format, args...))
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
	return m.diagnostic(joined(append(paragraphs, strings.Join(lines, "\n"), m.next)...))
}

// brief points to the error of a data source, named by told, that has the same
// cause in full. It is two lines in the 75 columns that an engine leaves for it.
// again says that told is named like the data source of this message.
func (m *message) brief(told string, again bool) diag.Diagnostic {
	which := "the"
	if again {
		which = "another"
	}
	failed := cmp.Or(m.short, briefs[m.summary])
	line := strings.TrimSpace(fmt.Sprintf("%s The full message is in %s error of", failed, which))
	return m.diagnostic(line + "\n" + told + ".")
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

// joined are the paragraphs that are not empty.
func joined(paragraphs ...string) string {
	var text strings.Builder
	for _, paragraph := range paragraphs {
		if paragraph == "" {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		text.WriteString(paragraph)
	}
	return text.String()
}

func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// sentence begins a text with a capital letter and ends it with a full stop.
func sentence(text string) string {
	text = strings.TrimSuffix(text, ".")
	for i, r := range text {
		return string(unicode.ToUpper(r)) + text[i+len(string(r)):] + "."
	}
	return ""
}

// snakeCase turns the service's field names into attribute names.
func snakeCase(place string) string {
	var out strings.Builder
	for _, r := range place {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
			r = unicode.ToLower(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}
