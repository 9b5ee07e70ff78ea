package explain

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// The words for reads whose time or attempts were over, for the allowance, for an
// answer, or for anything else when they were interrupted.

// gaveUp is a failure that might have passed, but did not in time.
func (m *message) gaveUp(gaveUp *catalogue.GaveUpError, api *catalogue.APIError) {
	var network *catalogue.NetworkError
	switch {
	case gaveUp.Cause == catalogue.CeilingTooLow:
		m.say(SummaryTimeout, "With this max_requests the turn of this read comes after its read_timeout.",
			"Raise max_requests, or read_timeout.")
	case gaveUp.Cause == catalogue.WaitTooLong && api != nil && api.Status == http.StatusTooManyRequests:
		m.waitTooLong(gaveUp, api)
	case api != nil && api.Status == http.StatusTooManyRequests:
		m.rateLimited(api, 0)
	case api != nil:
		as := ""
		if api.RetryAfter > 0 {
			as = ", as the service asks"
		}
		m.say(SummaryUnavailable, "The service failed to handle the request.",
			"Try again "+whenToRetry(api.RetryAfter)+as+". If it lasts, show this to those who run the service; max_retries "+
				"and read_timeout say how long the provider goes on asking.")
		m.concernsAll(api)
	case errors.As(gaveUp, &network):
		m.network(network)
	default:
		m.say(SummaryTimeout, "The time of this read was over before it was sent.",
			"Raise read_timeout, or raise max_requests where it is set.")
		if gaveUp.WaitingFor != "" {
			m.cause += fmt.Sprintf(" It was waiting for %s.", gaveUp.WaitingFor)
		}
	}
	ended := "max_retries allows no more"
	switch {
	case gaveUp.Cause >= catalogue.WaitTooLong:
		ended = "read_timeout leaves no time for more"
	case gaveUp.Cause == catalogue.ServiceDown:
		ended = "other reads had used up theirs, so this one made no more"
	}
	if gaveUp.Attempts > 0 {
		m.add("The provider gave up after %s in %s: %s.", attempts(gaveUp.Attempts), round(gaveUp.Elapsed), ended)
	}
}

// rateLimited is a read that the service's allowance left no time for. retryAfter is
// the wait that the service named, 0 where it named none.
func (m *message) rateLimited(api *catalogue.APIError, retryAfter time.Duration) {
	raise := ""
	switch {
	case retryAfter >= aDay:
	case retryAfter > 0:
		raise = ", or raise read_timeout above that"
	default:
		raise = ", or raise read_timeout"
	}
	m.say(SummaryRateLimited,
		"The service allows no more requests for now, and the time of this read was over before one was let through.",
		"Run again "+whenToRetry(retryAfter)+raise+". If several runs use these credentials, start fewer at once, or give "+
			"each a share of the allowance with max_requests.")
	m.concernsAll(api)
}

// waitTooLong is a wait that the service asked for and a read has no time for.
func (m *message) waitTooLong(tooLong *catalogue.GaveUpError, api *catalogue.APIError) {
	m.rateLimited(api, api.RetryAfter)
	left := round(tooLong.Remaining)
	if api.RetryAfter > 0 {
		m.cause = fmt.Sprintf("The service allows no more requests for now. It asks to wait %s, and this read had %s "+
			"left of its read_timeout.", length(api.RetryAfter), left)
		return
	}
	after := "The"
	if tooLong.Attempts > 0 {
		after = fmt.Sprintf("After %s in %s the", attempts(tooLong.Attempts), round(tooLong.Elapsed))
	}
	m.cause = fmt.Sprintf("The service allows no more requests for now, and does not say for how long. %s next wait "+
		"would be longer than the %s left of read_timeout.", after, left)
}

// tooSlow is a request without a whole answer in its time.
func (m *message) tooSlow(network *catalogue.NetworkError) {
	limit, value := "read_timeout", m.by.ReadTimeout
	if network.Limit > 0 {
		limit, value = "request_timeout", network.Limit.String()
	}
	m.say(SummaryTimeout, "The service did not answer completely within "+limit+".",
		"Raise "+limit+" if the service may need longer to answer. If it answered faster before, try again later, or "+
			"show this to those who run the service.")
	if value != "" {
		m.cause = fmt.Sprintf("The service did not answer completely within %s, which is %s.", limit, value)
	}
	m.fact = fmt.Sprintf("The request: %s", network.Endpoint)
}

// interrupted is a run that was stopped, and what this read was waiting for then:
// who stops a run that stands still wants to know why it did.
func (m *message) interrupted(err error) {
	m.say(SummaryInterrupted, "The run was interrupted while the catalogue was being read.",
		"Run it again to read what is missing.")
	var at *catalogue.InterruptedError
	var api *catalogue.APIError
	var network *catalogue.NetworkError
	if !errors.As(err, &at) {
		return
	}
	m.cause += stoodAt(at)
	switch {
	case errors.As(at.Last, &api):
		m.quote(api)
	case errors.As(at.Last, &network):
		m.fact = fmt.Sprintf("The fault: %s, for %s", network.Problem, network.Endpoint)
	}
}

func stoodAt(at *catalogue.InterruptedError) string {
	text := " This read "
	if at.Attempts > 0 {
		text += fmt.Sprintf("had made %s and ", attempts(at.Attempts))
	}
	switch {
	case at.WaitingFor == "" && at.Attempts == 0:
		return "" // nothing more is known
	case at.WaitingFor == "":
		text += "was waiting for an answer"
	default:
		text += "was waiting for " + at.WaitingFor // such as "a token"
	}
	if at.Remaining > 0 {
		text += fmt.Sprintf(" (%s to go)", round(at.Remaining))
	}
	return text + "."
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

// aDay is the length from which on a wait is told by its date.
const aDay = 24 * time.Hour

// length is how long to wait: a date says more than a hundred thousand hours.
func length(d time.Duration) string {
	if d >= aDay {
		return "until " + dateIn(d)
	}
	return round(d).String()
}

// whenToRetry is when to try again: after the wait that the service asked for, or
// later where it asked for none.
func whenToRetry(retryAfter time.Duration) string {
	switch {
	case retryAfter >= aDay:
		return "after " + dateIn(retryAfter)
	case retryAfter > 0:
		return "in " + round(retryAfter).String()
	}
	return "later"
}

func dateIn(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.DateOnly) }
