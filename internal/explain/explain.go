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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Explainer explains the errors of one process. It is safe for concurrent use.
type Explainer struct {
	MaxRequests string       // as the configuration has it, "" for none
	Credentials []Credential // those in use

	mu sync.Mutex
	// reported are the causes that were reported in full, each with the data source that had the error.
	reported map[string]string
}

// maxPointedTo bounds the value in a pointer to the full message, in characters: a UUID
// stays whole, and the pointer fits in two lines.
const maxPointedTo = 36

// Explain says what failed in a read of a data source, such as modelcatalogue_model.
// A cause that concerns every read of the process is reported in full once, and in two
// lines after that: a plan of hundreds of blocks shows one error hundreds of times.
func (e *Explainer) Explain(err error, source string, about Subject) diag.Diagnostic {
	m := e.message(err, about)
	if m.shared == "" {
		return m.whole()
	}
	if about.Value != "" {
		source += fmt.Sprintf(" %q", redact.Shorten(about.Value, maxPointedTo))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch before, known := e.reported[m.shared]; {
	case known && before == source:
		return m.brief("another error of\n" + before)
	case known:
		return m.brief("the error of\n" + before)
	case m.elsewhere:
		return m.brief("the error of\nthe read that used up its retries")
	}
	if e.reported == nil {
		e.reported = map[string]string{}
	}
	e.reported[m.shared] = source
	return m.whole()
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
