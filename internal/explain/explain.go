// Package explain turns an error of the client into a diagnostic: what failed, on which argument, what the service
// said, and what to do next.
//
// A process has one [Explainer]. It explains each error as a [Problem], and each read says by a [Subject] what it was
// about. A cause that many reads share is reported in full once.
package explain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// Explainer explains the errors of one process. It is safe for concurrent use.
type Explainer struct {
	// As in the configuration: MaxRequests is empty for none, and a message spells a duration that is empty by itself.
	MaxRequests, ReadTimeout, RequestTimeout string

	Credentials []Credential // those in use
	Gateway     Gateway
	Authorities []string // whose certificates ca_certificate_pem has
	// Proxy is that of every request, or nil. ProxyLeftOut says in a sentence why one that is set is not used for the
	// service. It is empty if none is.
	Proxy        *catalogue.Proxy
	ProxyLeftOut string

	ids  sync.Map // of model groups that were listed, by their form in lower case
	told sync.Map // the [Problem] that was told in full, by its cause
}

// Know records the id of a model group that exists.
func (e *Explainer) Know(id string) { e.ids.Store(strings.ToLower(id), id) }

// sameButCase names the model group whose id differs from one that is not found only in case, or returns "".
func (e *Explainer) sameButCase(id string) string {
	found, _ := e.ids.Load(strings.ToLower(id))
	known, _ := found.(string)
	if known == "" || known == id {
		return ""
	}
	return fmt.Sprintf("The catalogue has %q, which differs only in upper and lower case.", ShortID(known))
}

// Tell returns a problem in full if the process meets its cause for the first time. After that it returns a short one,
// which points to the source of the first: a plan of hundreds of blocks shows one error hundreds of times.
func (e *Explainer) Tell(p Problem) Problem {
	if p.Cause == "" {
		return p
	}
	told, known := e.told.LoadOrStore(p.Cause, p)
	first, _ := told.(Problem)
	switch {
	case !known:
		return p
	case first.Source == p.Source:
		return p.pointing("another error of\n"+first.Source, first.Said)
	}
	return p.pointing("the error of\n"+first.Source, first.Said)
}

// Explain says what failed, what the service said, and what to do next.
func (e *Explainer) Explain(err error, about Subject) Problem {
	m := &message{by: e, about: about}
	gaveUp, isOver := errors.AsType[*catalogue.GaveUpError](err)
	if isOver {
		m.readTimeout = (gaveUp.Elapsed + gaveUp.Remaining).Round(time.Millisecond)
	}
	rejected, isRejected := errors.AsType[*catalogue.RejectedError](err)
	isInterrupted := errors.Is(err, context.Canceled)
	m.failed(err)
	switch {
	case isRejected:
		m.rejected(rejected)
	case isOver:
		m.gaveUp(gaveUp)
	case isInterrupted:
		m.interrupted(err)
	}
	if isInterrupted || isRejected || m.fault != "" {
		m.Cause = m.Summary + m.fault
	}
	return m.finished()
}

// failed explains the failure of one attempt, and quotes what it says.
func (m *message) failed(err error) {
	var (
		network  *catalogue.NetworkError
		unusable *catalogue.UnusableAnswerError
		tooLarge *catalogue.TooLargeError
	)
	switch {
	case errors.As(err, &m.api):
		m.quoteRefusal(m.api)
		m.answered(m.api)
	case errors.As(err, &network):
		m.unserved(network)
	case errors.As(err, &unusable):
		m.unusable(unusable)
	case errors.As(err, &tooLarge):
		m.say(SummaryTooLarge, overLimit(tooLarge.String(), tooLarge.Size, tooLarge.Limit),
			"Read less at once: "+readLess)
		if tooLarge.OfToken() {
			m.next = checkWhoAnswers
		}
	default:
		m.say(SummaryNotRead, Sentence(err.Error()), "Please report this to the provider's developers.")
	}
}
