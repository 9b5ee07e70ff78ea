// Package explain turns an error of the client into what a user is told: what
// failed, on which argument, what the service said, and what to do next.
//
// A process has one [Explainer], which tells a cause of all reads in full once.
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
	ReadTimeout string       // as messages name it, "" where they do not
	Credentials []Credential // those in use

	mu sync.Mutex
	// reported are the causes that were told in full, each with the data source that had the error.
	reported map[sharedCause]string
}

// sharedCause identifies a cause that concerns every read of a process, such as rejected
// credentials or a service that is down. Nothing in it differs from read to read.
type sharedCause struct {
	summary string
	status  int
	code    string
}

// maxPointedTo bounds the value in a pointer, in characters: a UUID stays whole,
// and no pointer takes a third line.
const maxPointedTo = 36

// Explain says what failed in a read of a data source, such as modelcatalogue_model.
// A cause that concerns every read of the process is told in full once, and in two
// lines after that: a plan of hundreds of blocks shows one error hundreds of times.
func (e *Explainer) Explain(err error, source string, about Subject) diag.Diagnostic {
	m := e.message(err, about)
	if m.shared == (sharedCause{}) {
		return m.whole()
	}
	if about.value != "" {
		source += fmt.Sprintf(" %q", redact.Shorten(about.value, maxPointedTo))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if before, known := e.reported[m.shared]; known {
		return m.brief(before, before == source)
	}
	if e.reported == nil {
		e.reported = map[sharedCause]string{}
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
		network  *catalogue.NetworkError
		gaveUp   *catalogue.GaveUpError
		rejected *catalogue.RejectedError
		unusable *catalogue.UnusableAnswerError
		tooLarge *catalogue.TooLargeError
	)
	if errors.As(err, &api) {
		m.quote(api)
	}
	switch {
	case errors.As(err, &rejected):
		m.rejected(rejected, api)
	case errors.As(err, &gaveUp):
		m.gaveUp(gaveUp, api)
	case api != nil:
		m.answered(api)
	case errors.As(err, &network):
		m.network(network)
	case errors.As(err, &unusable):
		m.unusable(unusable)
	case errors.As(err, &tooLarge):
		m.tooLarge(tooLarge)
	case errors.Is(err, context.Canceled):
		m.interrupted(err)
	default:
		m.say(SummaryNotRead, Sentence(err.Error()), reportIt)
	}
	return m
}
