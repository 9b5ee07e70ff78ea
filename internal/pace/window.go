package pace

import (
	"slices"
	"time"
)

const (
	// leastGap is the longest time between two requests that a process allows itself: at this pace each of ten
	// readers gets an answer in two minutes, well within the usual read_timeout.
	leastGap = 12 * time.Second
	// probeGap is the shortest time between two probes of a confirmed limit: a refused one costs up to a window.
	probeGap = 30 * time.Second
	// maxStep is how many requests a probe of a confirmed limit goes beyond it: what is gained there may be
	// another process's share.
	maxStep = 2
	// maxSlack is how much longer than measured a window may be taken to be, because requests take unequally long
	// to arrive and Retry-After is in whole seconds.
	maxSlack = time.Second
	// maxLogged bounds the memory.
	maxLogged = 1 << 16
)

// refusal is what the first 429 of a burst says. All requests that were sent before it came belong to one burst,
// because none is sent during the pause.
type refusal struct {
	sent, came, until time.Time // until is the end of the pause
	wait              time.Duration
	short             bool // a second at most, or no usable wait named: it tells nothing about the length of a window
}

// measure is what is known of a window.
type measure struct {
	Limit
	slack time.Duration // by which Per is longer than measured
}

// window is an allowance of so many requests in any window of a length that Retry-After and the log tell. It serves
// fixed windows too, where a burst at the beginning and then silence cost no time.
//
// The limit is what the log shows to have fitted into the window before a refusal (at least half of what it was, as
// others may have taken what is missing). A probe raises it: at once, by 1, 2, 4, … until a refusal has confirmed it,
// because a stray refusal may have taught it; then by one or two, in the first half of a window, after a whole limit
// went through, once in a window.
type window struct {
	measure           // Requests is 0 where nothing is known
	log       log     // requests that count at the service: those sent and not refused
	before    measure // as it was at the last refusal
	last      refusal
	accepted  int // since the limit last changed
	step      int // of the next probe
	probeAt   time.Time
	exact     bool // Per was measured from the end of a pause, or a whole window has passed since
	confirmed bool // a refusal came while the limit was kept
}

// free is when one more may be sent after so many others, so that a read can follow its token within life.
func (w *window) free(others int, life time.Duration) time.Time {
	limit := w.Limit
	if limit.Requests == 1 && life > 0 && limit.Per > life/2 {
		// Two requests need two intervals: a token and the read that it serves.
		limit = Limit{Requests: 2, Per: 2 * limit.Per}
	}
	n := len(w.log) + others
	if limit.Requests == 0 || limit.Requests <= others || n < limit.Requests {
		return time.Time{}
	}
	return w.log[n-limit.Requests].sent.Add(limit.Per)
}

func (w *window) record(r request) {
	if len(w.log) >= maxLogged {
		w.log = slices.Delete(w.log, 0, maxLogged/2)
	}
	w.log = append(w.log, r)
}

// accept raises the limit where it is time for a probe. sincePause is how many were let through since the pause.
func (w *window) accept(now time.Time, sincePause int) {
	w.accepted++
	w.exact = w.exact || sincePause > w.Requests
	enough := w.step / 2 // the last probe went through
	if w.confirmed {
		enough = w.Requests
	}
	// Late in a window a request more could belong to the next one, and tell nothing.
	if w.accepted < enough || now.Before(w.probeAt) || w.free(0, 0).Sub(now) < w.Per/2 {
		return
	}
	w.Requests += w.step
	w.accepted = 0
	if w.step *= 2; w.confirmed {
		w.step = min(w.step, maxStep)
		w.probeAt = now.Add(max(w.Per, probeGap))
	}
}

// guess takes the first refusal for what it is worth. The window began with the first request where it is one that
// slides, and before it where it is fixed, so this is never too long for a window of whole seconds.
func (w *window) guess(r refusal, elapsed time.Duration, afterPause bool) {
	w.measure = measure{Limit: Limit{Per: min(elapsed, r.wait).Truncate(time.Second) + r.wait}}
	w.exact, w.confirmed = afterPause, false
	w.retreat(r)
}

// refuse draws the lesson of a refusal that came within the limit, or of a probe. elapsed is the time from the first
// request after the last pause to the refused one.
func (w *window) refuse(r refusal, elapsed time.Duration, accepted int) {
	w.last = r
	longer := elapsed.Truncate(time.Second) + r.wait
	early := elapsed <= w.Per/2 || !w.exact && elapsed < 2*w.Per
	switch {
	case !r.short && longer > w.Per && early && 2*w.fitted() < w.Requests:
		// Less than half is left, so that the length was wrong: the window lasts from the pause to Retry-After.
		w.measure = measure{Limit: Limit{Requests: w.Requests, Per: longer}}
		w.exact = true
	case r.wait > w.Per:
		w.Per = r.wait
	}
	w.confirmed = accepted > 0 // where others took everything it says nothing about the limit
	w.retreat(r)
}

// retreat lowers the limit and puts the next probe off.
func (w *window) retreat(r refusal) {
	w.last, w.before = r, w.measure
	w.accepted, w.step = 0, 1
	if w.confirmed {
		w.probeAt = r.came.Add(max(w.Per, probeGap))
	}
	w.fit()
}

// refuseMore takes another refusal of the burst out of the log.
func (w *window) refuseMore(number int) {
	w.log.remove(number)
	if w.before.Per > 0 {
		w.fit()
	}
}

// fitted is how many went through in the window that ends with the last pause.
func (w *window) fitted() int {
	return w.log.since(w.last.sent.Add(max(w.last.wait-time.Second, 0) - w.Per))
}

func (w *window) fit() {
	w.measure = w.before
	fitted := w.fitted()
	if w.last.short && fitted >= w.Requests-1 {
		if w.slack < maxSlack {
			// Hardly anything is missing: the window is longer by a little.
			more := min(w.Per/8, maxSlack)
			w.Per, w.slack = w.Per+more, w.slack+more
			return
		}
		fitted = w.Requests - max(1, w.Requests/8)
	}
	w.Requests = max(fitted, w.Requests/2, int(w.Per/leastGap), 1)
}
