// Package explain turns an error of the client into a diagnostic: what
// failed, on which argument, what the service said, and what to do next.
//
// A process has one [Explainer], which reports a cause that all reads share in full once.
// Each read says by a [Subject] what it was about.
package explain

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// Explainer explains the errors of one process. It is safe for concurrent use.
type Explainer struct {
	MaxRequests string       // as in the configuration, "" for none
	Credentials []Credential // those in use
	Authorities int          // how many certificates ca_certificate_pem has
	// ProxyLeftOut says in a sentence why a proxy that is set is not used for the service, "" if none is left out.
	ProxyLeftOut string
	// HowFar says in a sentence how many blocks are read, "" if there is nothing to say. It may be nil.
	HowFar func() string

	mu sync.Mutex
	// reported are the causes that were reported in full.
	reported map[string]report
}

// report is an error that was reported in full.
type report struct {
	source string // the block that had it
	short  string // what it says besides its cause
}

// Source names a block, such as modelcatalogue_model "some-id", by its data source and the model group or time horizon
// that it is about. group is "" if it is about neither.
func Source(dataSource, group string) string {
	if group == "" {
		return dataSource
	}
	return fmt.Sprintf("%s %q", dataSource, ShortID(group))
}

// Explain says what failed in a read of a data source, such as modelcatalogue_model.
// A cause that several reads may have is reported in full once, and in two to four lines
// after that: a plan of hundreds of blocks shows one error hundreds of times.
func (e *Explainer) Explain(err error, dataSource string, about Subject) diag.Diagnostic {
	m := e.message(err, about)
	source := Source(dataSource, about.Value)
	if m.elsewhere && !e.knows(m.alike) {
		return m.diagnostic(pointer("the error of\nthe read that used up its retries", ""))
	}
	if m.quotes && m.short == e.knownShort(m.alike) {
		m.short = "" // the full message has the same words
	}
	return e.Once(m.alike, source, m.whole(), m.short)
}

// Once returns a diagnostic the first time that a process meets a cause. After that it returns a short one, which
// points to the source of the first. short is what it says besides, "" for nothing. The cause "" is always new.
func (e *Explainer) Once(cause, source string, whole diag.Diagnostic, short string) diag.Diagnostic {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch before, known := e.reported[cause]; {
	case known:
		which := "the error"
		if before.source == source {
			which = "another error"
		}
		return detailed(whole, pointer(which+" of\n"+before.source, short))
	case cause != "" && e.reported == nil:
		e.reported = map[string]report{cause: {source, short}}
	case cause != "":
		e.reported[cause] = report{source, short}
	}
	return whole
}

// knows reports whether a cause was reported in full.
func (e *Explainer) knows(cause string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, known := e.reported[cause]
	return known
}

// knownShort returns what the full message of a cause would say in short.
func (e *Explainer) knownShort(cause string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reported[cause].short
}

// pointer returns the detail of a diagnostic whose full message is elsewhere.
func pointer(where, short string) string {
	text := "The full message is in " + where + "."
	if short != "" {
		text = short + "\n" + text
	}
	return text
}

// detailed returns a diagnostic with a detail in place of its own.
func detailed(d diag.Diagnostic, detail string) diag.Diagnostic {
	if on, ok := d.(diag.DiagnosticWithPath); ok {
		return diag.NewAttributeErrorDiagnostic(on.Path(), d.Summary(), detail)
	}
	return diag.NewErrorDiagnostic(d.Summary(), detail)
}

// Extended returns a diagnostic with one more paragraph.
func Extended(d diag.Diagnostic, paragraph string) diag.Diagnostic {
	return detailed(d, Paragraphs(d.Detail(), paragraph))
}

// Error says what failed, in full.
func Error(err error, about Subject) diag.Diagnostic {
	return new(Explainer).message(err, about).whole()
}

// message says what failed, what the service said, and what to do next.
func (e *Explainer) message(err error, about Subject) *message {
	m := &message{by: e, about: about}
	var (
		api      *catalogue.APIError
		gaveUp   *catalogue.GaveUpError
		rejected *catalogue.RejectedError
	)
	if errors.As(err, &api) {
		m.quote(api)
	}
	switch {
	case errors.As(err, &rejected):
		m.rejected(rejected, api)
	case errors.As(err, &gaveUp):
		m.gaveUp(gaveUp, api)
	case errors.Is(err, context.Canceled):
		m.interrupted(err)
	default:
		m.failed(err)
	}
	return m
}

// failed explains the failure of one attempt.
func (m *message) failed(err error) {
	var (
		api      *catalogue.APIError
		network  *catalogue.NetworkError
		unusable *catalogue.UnusableAnswerError
		tooLarge *catalogue.TooLargeError
	)
	switch {
	case errors.As(err, &api):
		m.answered(api)
	case errors.As(err, &network):
		m.network(network)
	case errors.As(err, &unusable):
		m.unusable(unusable)
	case errors.As(err, &tooLarge):
		m.say(SummaryTooLarge, TooLarge(tooLarge.String(), tooLarge.Size, tooLarge.Limit), "")
	default:
		m.say(SummaryNotRead, Sentence(err.Error()), reportIt)
	}
}
