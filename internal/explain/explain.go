// Package explain turns an error of the client into a diagnostic: the failure, the argument at fault, the service's
// words and the next step.
//
// A process has one [Explainer]. It explains each error as a [Problem]; a [Subject] describes what was being read. A
// cause shared by many reads is reported in full once.
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
	// As configured. MaxRequests is empty without a limit. An empty duration is taken from the error.
	MaxRequests, ReadTimeout, RequestTimeout string

	Credentials []Credential // those in use
	Gateway     Gateway
	Authorities []string // the owners of the certificates in ca_certificate_pem
	// Proxy is the proxy of every request, or nil. ProxyLeftOut is a sentence about a configured proxy that does not
	// serve this service, or "".
	Proxy        *catalogue.Proxy
	ProxyLeftOut string

	ids  sync.Map // the ids of listed model groups, by their lower-case form
	told sync.Map // each [Problem] reported in full, by its cause
}

// Know records the id of an existing model group.
func (e *Explainer) Know(id string) { e.ids.Store(strings.ToLower(id), id) }

// sameButCase returns a sentence about the known model group whose id equals id except for case, or "".
func (e *Explainer) sameButCase(id string) string {
	found, _ := e.ids.Load(strings.ToLower(id))
	known, _ := found.(string)
	if known == "" || known == id {
		return ""
	}
	return fmt.Sprintf("The catalogue has %q, which differs only in upper and lower case.", ShortID(known))
}

// Tell returns a problem in full the first time its cause occurs in the process. Afterwards it returns a short one,
// pointing to the source of the first: a plan of hundreds of blocks can meet one error hundreds of times.
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

// Explain returns the problem behind an error of the client.
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

// failed explains and quotes the failure of one attempt.
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
