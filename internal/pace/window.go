package pace

import "time"

const (
	// maxGap is the longest mean time between two requests that refusals teach: at this pace each of ten
	// readers gets an answer in two minutes, well within the usual read_timeout.
	maxGap = 12 * time.Second
	// probeGap is the shortest time between two probes of a confirmed limit: a refused one costs up to a window.
	probeGap = 30 * time.Second
	// maxSlack is how much longer than measured a window may be taken to be, because requests take unequally long
	// to arrive and Retry-After is in whole seconds.
	maxSlack = time.Second
	// usualWindow is how long a window is taken to be at most, unless one Retry-After is longer: stray refusals with
	// hardly any request between them would add up to a window of minutes.
	usualWindow = time.Minute
)

// window is so many requests in any stretch of a length: the operator's ceiling, or what Retry-After and the log tell.
// It serves fixed windows too, where a burst at the beginning and then silence cost no time.
//
// A learned limit is what the log shows to have fitted into the window before a refusal (at least half of what it was,
// as others may have taken what is missing). A probe raises it, by 1, 2, 4, … until the next refusal: at once, as long
// as no refusal came while it was kept, and then in the first half of a window, after a whole limit went through.
type window struct {
	Limit               // Requests is 0 where nothing is known
	log       log       // requests that count at the service: those sent and not refused
	floor     int       // below which the refusals of one burst do not lower the limit
	accepted  int       // since the limit last changed
	step      int       // of the next probe
	probeAt   time.Time // it comes no earlier
	slack     time.Duration
	measured  bool // Per was measured from the end of a pause
	confirmed bool // a refusal came while the limit was kept
}

// free is when one more may be sent after so many others.
func (w *window) free(others int) time.Time { return w.log.last(w.Requests - others).Add(w.Per) }

// even is the window in which a token and the read that it serves can follow each other within the token's life:
// two requests need two intervals.
func (w *window) even(life time.Duration) *window {
	if w.Requests != 1 || life == 0 || w.Per <= life/2 {
		return w
	}
	return &window{Limit: Limit{Requests: 2, Per: 2 * w.Per}, log: w.log}
}

func (w *window) record(r request) { w.log.record(r, w.Requests) }

// accept raises the limit where it is time for a probe.
func (w *window) accept(now time.Time) {
	w.accepted++
	enough := w.step / 2 // the last probe went through
	if w.confirmed {
		enough = w.Requests
	}
	// Late in a window a request more could belong to the next one, and tell nothing.
	if w.accepted < enough || now.Before(w.probeAt) || w.free(0).Sub(now) < w.Per/2 {
		return
	}
	w.Requests += w.step
	w.accepted, w.step = 0, 2*w.step
	w.delayProbe(now)
}

func (w *window) delayProbe(now time.Time) {
	if w.confirmed {
		w.probeAt = now.Add(max(2*w.Per, probeGap))
	}
}

// refuse draws the lesson of a refusal. elapsed is the time from the first request after the last pause to the refused
// one, and accepted is how many were let through in it.
func (w *window) refuse(r refusal, elapsed time.Duration, accepted int) {
	first := w.Requests == 0
	began := elapsed.Truncate(time.Second) // so long before the refusal the window began
	switch {
	case first:
		// A fixed window may have begun before: this is seldom too long for a window of whole seconds.
		began = min(began, r.wait)
	case r.short, elapsed > w.Per/2 && (w.measured || elapsed >= 2*w.Per):
		began = 0 // it came in a later window
	}
	w.Per = max(w.Per, r.wait, min(began+r.wait, usualWindow))
	w.measured = !first
	w.confirmed = !first && accepted > 0 // where others took everything it says nothing about the limit
	w.accepted, w.step = 0, 1
	w.delayProbe(r.came)
	w.fit(r)
}

// fit lowers the limit to what went through in the window that ends with the pause.
func (w *window) fit(r refusal) {
	w.floor = max(w.Requests/2, int((w.Per+maxGap-1)/maxGap))
	fitted := w.log.since(r.sent.Add(max(r.wait-time.Second, 0) - w.Per))
	if r.short && fitted >= w.Requests-1 {
		// Hardly anything is missing: the window is longer by a little.
		if w.slack < maxSlack {
			more := min(w.Per/8, maxSlack)
			w.Per, w.slack = w.Per+more, w.slack+more
			return
		}
		fitted = w.Requests - 1
	}
	w.Requests = max(fitted, w.floor)
}
