package explain

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// endings complete the sentence about a read's attempts with what ended them.
var endings = map[catalogue.Cause]string{
	catalogue.FaultStays:      ": the same fault came again a second later.",
	catalogue.ServiceDown:     ": another read had used up its retries.",
	catalogue.AllowanceUsedUp: ": another read had given up because the allowance is used up.",
	catalogue.WaitTooLong:     ": read_timeout leaves no time for more.",
	catalogue.TimeOver:        ": read_timeout was over.",
}

// gaveUp explains a read that ended with a transient fault: what failed, and why no further attempt follows.
func (m *message) gaveUp(gaveUp *catalogue.GaveUpError) {
	api, timeout := m.api, m.readTimeoutShown()
	switch {
	case gaveUp.Cause == catalogue.CeilingTooLow:
		m.say(SummaryTimeout, fmt.Sprintf("With max_requests = %q this read cannot be sent within read_timeout (%s).",
			m.by.MaxRequests, timeout),
			"Raise max_requests"+m.orRaise(gaveUp, gaveUp.Wait)+".")
		return
	case api != nil && api.Status == http.StatusTooManyRequests:
		m.rateLimited(gaveUp)
		return
	case gaveUp.Err == nil:
		const cause = "This read was not answered within read_timeout, which is %s. It was waiting for %s."
		m.say(SummaryTimeout, fmt.Sprintf(cause, timeout, gaveUp.WaitingFor),
			"Raise read_timeout, or max_requests if it is set.")
		return
	}
	if api != nil && gaveUp.Wait > 0 {
		m.next = "Try again " + later(api.RetryAfter) + m.orRaise(gaveUp, api.RetryAfter) +
			". If it lasts, show this to the service's operator."
	}
	ending := cmp.Or(endings[gaveUp.Cause], m.raiseRetries(gaveUp))
	m.add("The provider gave up after %s in %s%s", attemptCount(gaveUp.Attempts), rounded(gaveUp.Elapsed), ending)
}

// raiseRetries suggests more attempts if one fits into the read's time and the failure is likely to pass.
func (m *message) raiseRetries(gaveUp *catalogue.GaveUpError) string {
	wait, stays := time.Second, m.Summary == SummaryUntrusted || m.Summary == SummaryUnexpected
	if api := m.api; api != nil {
		wait = max(wait, api.RetryAfter)
		stays = api.Status == http.StatusNotImplemented || api.Status > http.StatusGatewayTimeout
	}
	if stays || wait > gaveUp.Remaining {
		return "."
	}
	return ". Raise max_retries to let it try more often."
}

// rateLimited explains a read that ran out of time because of the service's allowance.
func (m *message) rateLimited(gaveUp *catalogue.GaveUpError) {
	api, asked := m.api, " and does not say for how long."
	if api.RetryAfter > 0 {
		asked = fmt.Sprintf(" and asks for a wait of %s.", length(api.RetryAfter))
	}
	end := fmt.Sprintf(" The next wait is longer than the %s left of read_timeout.", rounded(gaveUp.Remaining))
	switch {
	case gaveUp.Cause == catalogue.AllowanceUsedUp:
		end = " Another read gave up because of that, and none was let through since, so this one did not wait."
	case gaveUp.Wait == 0:
		end = fmt.Sprintf(" read_timeout, which is %s, was over before one was let through.",
			m.readTimeoutShown())
	}
	m.say(SummaryRateLimited, "The service refuses requests for now (429)"+asked+end,
		"Run again "+later(min(gaveUp.Wait, api.RetryAfter))+m.orRaise(gaveUp, api.RetryAfter)+". If several runs use "+
			"these credentials, start fewer at once, or give each a share of the allowance with max_requests.")
}

// orRaise suggests a longer read_timeout, unless the wait is an hour or more. It names the length, in whole seconds,
// unless the wait is only a back-off: asked is the wait that the service or the ceiling requires, or 0.
func (m *message) orRaise(gaveUp *catalogue.GaveUpError, asked time.Duration) string {
	text := fmt.Sprintf(", or raise read_timeout (now %s)", m.readTimeoutShown())
	switch {
	case gaveUp.Wait >= time.Hour:
		return ""
	case min(gaveUp.Wait, asked) > 0:
		text += " to more than " + Duration((gaveUp.Elapsed + gaveUp.Wait + time.Second - 1).Truncate(time.Second))
	}
	return text
}

// interrupted explains a read that the user stopped. It names what the read was waiting for, often the reason for
// stopping it.
func (m *message) interrupted(err error) {
	at, isRead := errors.AsType[*catalogue.InterruptedError](err)
	if isRead && at.Last != nil {
		m.failed(at.Last)
	}
	m.fault = "" // an interrupt is one cause, whatever it ends
	m.say(SummaryInterrupted, "The run was interrupted while the catalogue was being read.",
		"Run it again to read what is missing.")
	if !isRead || at.WaitingFor == "" && at.Attempts == 0 {
		return
	}
	m.cause += fmt.Sprintf(" This read had made %s and was waiting for %s", attemptCount(at.Attempts),
		cmp.Or(at.WaitingFor, "an answer"))
	if at.Remaining > 0 {
		m.cause += fmt.Sprintf(" (%s to go)", rounded(at.Remaining))
	}
	m.cause += "."
}

func attemptCount(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

// readTimeoutShown returns read_timeout as it is configured.
func (m *message) readTimeoutShown() string { return cmp.Or(m.by.ReadTimeout, Duration(m.readTimeout)) }

// rounded formats a measured time.
func rounded(d time.Duration) string { return Duration(d.Round(unitOf(d))) }

// unitOf returns the unit for rounding a time.
func unitOf(d time.Duration) time.Duration {
	switch {
	case d >= time.Hour:
		return time.Minute
	case d >= time.Second:
		return time.Second
	}
	return 10 * time.Millisecond
}

// Duration formats a time as people configure it: 5m, not 5m0s.
func Duration(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// length formats a wait, rounded up, in days if it is very long.
func length(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 2*day {
		return fmt.Sprintf("%d days", (d+day-1)/day)
	}
	unit := unitOf(d)
	return Duration((d + unit - 1).Truncate(unit))
}

// later returns when to try again. wait is 0 if unknown.
func later(wait time.Duration) string {
	if wait == 0 {
		return "later"
	}
	return "in " + length(wait)
}

// HeldBack returns the detail of the warning about reads held back by pauses.
func (e *Explainer) HeldBack(held time.Duration) string {
	next := "If you know the allowance of these credentials, set max_requests to it, such as \"60/1m\", or to a " +
		"share of it for each run at the same time."
	if e.MaxRequests != "" {
		next = fmt.Sprintf("max_requests is %s. If the allowance of these credentials is smaller, or other runs share "+
			"it, lower max_requests.", e.MaxRequests)
	}
	return Paragraphs(
		fmt.Sprintf("Pauses that the service asked for (status 429) have held back the reads of this run for %s so "+
			"far. This warning comes once in a run.", Duration(held)),
		next+" The service then refuses fewer requests. They still go out in bursts; for an even pace use one second, "+
			"such as \"1/1s\".",
		"If the allowance is too small for this configuration, ask the service's operator for a larger one.")
}
