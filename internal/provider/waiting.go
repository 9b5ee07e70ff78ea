package provider

import (
	"errors"
	"fmt"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// The words for reads that ended while they waited: for the allowance, for an
// answer, or for anything else when they were interrupted.

// rateLimited is a read that the service's allowance left no time for. asked is the
// wait that the service named, 0 where it named none.
func (m *message) rateLimited(api *catalogue.APIError, asked time.Duration) {
	m.summary = summaryRateLimited
	m.cause = "The service allows no more requests for now, and the time of this read was over before one was let " +
		"through."
	m.next = "Run again " + whenAsked(asked)
	if asked < aDay {
		m.next += ", or raise read_timeout"
		if asked > 0 {
			m.next += " above that"
		}
	}
	m.next += ". If several runs use these credentials, start fewer at once, or give each a share of the allowance " +
		"with max_requests."
	m.concernsAll(api)
}

// waitTooLong is a wait that the service asked for and a read has no time for.
func (m *message) waitTooLong(tooLong *catalogue.WaitTooLongError, api *catalogue.APIError) {
	m.rateLimited(api, tooLong.Asked)
	left := round(tooLong.Remaining)
	if tooLong.Asked > 0 {
		m.cause = fmt.Sprintf("The service allows no more requests for now. It asks to wait %s, and this read had %s "+
			"left of its read_timeout.", length(tooLong.Asked), left)
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
	m.summary = summaryTimeout
	m.fact = fmt.Sprintf("The request: %s", network.Endpoint)
	const mayNeedLonger = " if the service may need longer to answer. If it answered faster before, try again later, " +
		"or show this to those who run the service."
	if network.Limit > 0 {
		m.cause = fmt.Sprintf("The service did not answer completely within request_timeout, which is %s.", network.Limit)
		m.next = "Raise request_timeout" + mayNeedLonger
		return
	}
	m.cause = overReadTimeout
	m.next = "Raise read_timeout" + mayNeedLonger
}

const overReadTimeout = "The service did not answer completely within read_timeout."

// tellReadTimeout adds the value of read_timeout where that is what was over.
func (m *message) tellReadTimeout(value string) {
	if m.cause == overReadTimeout {
		m.cause = fmt.Sprintf("The service did not answer completely within read_timeout, which is %s.", value)
	}
}

// interrupted is a run that was stopped, and what this read was waiting for then:
// who stops a run that stands still wants to know why it did.
func (m *message) interrupted(err error) {
	m.summary = summaryInterrupted
	m.cause = "The run was interrupted while the catalogue was being read."
	m.next = "Run it again to read what is missing."
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

// aDay is the length from which on a wait is told by its date.
const aDay = 24 * time.Hour

// length is how long to wait: a date says more than a hundred thousand hours.
func length(d time.Duration) string {
	if d >= aDay {
		return "until " + dateIn(d)
	}
	return round(d).String()
}

// whenAsked is when to try again: after the wait that the service asked for, or
// later where it asked for none.
func whenAsked(asked time.Duration) string {
	switch {
	case asked >= aDay:
		return "after " + dateIn(asked)
	case asked > 0:
		return "in " + round(asked).String()
	}
	return "later"
}

func dateIn(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.DateOnly) }
