package catalogue

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// limiter decides when the next request may be sent, by three rules: the operator's ceiling, the pause that the
// service asked for, and the allowance that refusals taught. It takes the time from its caller and is not safe for
// concurrent use. The caller calls sent for every request, and answered or refused once for each of them.
//
// The allowance is a log of the requests that count at the service, and at most limit of them in any window. Where
// a window is long, Retry-After tells its length, and the log the limit: a burst at its beginning, then silence, costs
// no time. From time to time one request more is tried (a probe), and twice as many in the next window if it is let
// through. Until a refusal confirms the limit, which a stray one may have taught, they follow at once.
// Where the service counts by the second or refills a bucket, Retry-After is always 1 and tells nothing. There the
// limit is paced, which is a rate: it falls by a quarter with each refusal and comes back along the curve of CUBIC
// (RFC 9438), fast at first, slowly near the rate that was refused, and faster again beyond it.
//
// Processes that share an allowance come to share it evenly, as flows do under TCP: each of them adds little and gives
// up a part of what it has, so that what the big ones lose is there for the small ones. None that had more goes below
// one request in leastGap.
//
// All requests sent before a refusal came belong to one burst, and teach one lesson. It is drawn when the pause is
// over, because the answers to the others of the burst are known by then.
type limiter struct {
	gap   time.Duration // the least time between two requests
	last  time.Time     // when the last request was sent
	until time.Time     // the end of the last pause

	log    []time.Time   // when the requests were sent that the service did not refuse, oldest first
	limit  int           // at most limit requests in any window, 0: nothing is known
	window time.Duration //
	sound  int           // requests let through since the allowance was last in doubt
	warned bool          // a refusal has been waited out
	proven bool          // the allowance has held for twice its limit
	few    int           // slow start: how many requests may be under way, 0: any number

	tokenLife time.Duration // how long a token serves, 0: not known, or for long

	refusal struct {
		open         bool          // its lesson is not drawn yet
		sentAt, came time.Time     // of the first refused request of the burst
		wait         time.Duration // what it asked for
		short        bool          // a second at most, or not named: it tells nothing about the window
	}
	resumed time.Time // when the first request after the last pause was sent

	probes    []time.Time   // when the requests beyond the allowance were sent that are not answered
	step      int           // how many of them make a round
	sentOff   int           // how many of this round were sent
	proved    int           // how many of this round were let through
	confirmed bool          // a request was refused since the limit was guessed
	quiet     int           // how many requests must be let through before the next probe
	tryAt     time.Time     // not before this instant either
	patience  time.Duration // from one failed probe to the next

	paced  bool          // the allowance is a rate
	top    float64       // the rate, in requests a second, at which the last refusal came
	curve  time.Time     // when the rate began to come back from it
	slow   bool          // the rate is far too low: each answer raises it
	passed int           // requests let through since the last refusal
	total  int           // requests let through since the rate was first guessed
	busy   time.Duration // and how much of the time since then was spent on sending, or in a pause
}

const (
	// keptShare is what remains of a rate that was refused, and starvedShare where nothing at all was let through.
	keptShare, starvedShare = 0.75, 0.6
	// leastGap is the longest time between two requests of a process that once had more: at this pace each of ten
	// readers gets an answer in two minutes, well within the usual read_timeout.
	leastGap = 12 * time.Second
	// idle is the longest time between two requests that counts as busy.
	idle = time.Second
	// plateauRequests is how many requests the rate takes to come back to where it was refused, within these times: a
	// slow one would be refused too often in seconds, and one that is shared would come back too slowly in requests.
	plateauRequests           = 22
	shortPlateau, longPlateau = 13 * time.Second, 30 * time.Second
	// slowStartGain is by how much each answer raises a rate that is far too low, up to slowStartRate requests a second.
	slowStartGain, slowStartRate = 1.15, 1
	// mostProbes is how many requests beyond the allowance may be under way: as many refusals are risked. They are
	// fewer where the limit is confirmed, because what is gained there may be another process's share.
	mostProbes, mostConfirmedProbes = 4, 2
	// fewToLearn is how many requests have to be let through for the first refusal to tell anything.
	fewToLearn = 10
	// leastTokenLife keeps a token that was revoked early from counting as a life.
	leastTokenLife = 4 * time.Second
	// mostLogged bounds the memory.
	mostLogged = 1 << 16
)

// newLimiter takes the operator's ceiling in requests a second; 0 is none.
func newLimiter(ceiling float64) *limiter {
	l := &limiter{step: 1}
	if ceiling > 0 {
		l.gap = time.Duration(min(math.Ceil(float64(time.Second)/ceiling), math.MaxInt64/2))
	}
	return l
}

// next is the earliest instant at which one more request may be sent, which is at once where it is not after now, and
// what it waits for. inFlight is how many requests are under way, and token tells a request for a token, whose turn
// comes no earlier than lets a read follow while the token serves. Where ok is false, only an answer to one of them can
// say. After every answer the caller asks again, because an answer can bring the instant forward.
func (l *limiter) next(now time.Time, inFlight int, token bool) (at time.Time, why reason, ok bool) {
	if l.refusal.open && !now.Before(l.until) {
		l.learn()
	}
	if l.few > 0 && inFlight >= l.few {
		return time.Time{}, waitsForAnswer, false
	}
	at = now
	later := func(t time.Time, r reason) {
		if t.After(at) {
			at, why = t, r
		}
	}
	later(l.until, waitsForPause)
	if l.gap > 0 && !l.last.IsZero() {
		later(l.last.Add(l.gap), waitsForCeiling)
	}
	l.setPace(now)
	// A token is no probe, because nothing may be left for the read that needs it.
	if free := l.free(); token || !l.mayProbe(at, free) {
		later(free, waitsForAllowance)
	}
	if token && l.tokenLife > 0 {
		// The read follows within half of its life, because the token takes time to come.
		later(l.freeAfter(1).Add(-l.tokenLife/2), waitsForAllowance)
	}
	return at, why, true
}

// free is when one more request is within the allowance.
func (l *limiter) free() time.Time { return l.freeAfter(0) }

// freeAfter is when one more request is within the allowance, after so many others that are sent before it.
func (l *limiter) freeAfter(others int) time.Time {
	limit := l.limit
	if limit == 1 && l.tokenLife > 0 && l.window >= l.tokenLife {
		limit = 2
	}
	if n := len(l.log) + others; limit > others && n >= limit {
		return l.log[n-limit].Add(l.window)
	}
	return time.Time{}
}

// tokensLast tells how long a token serves. Whoever sends fewer than two requests in that time gets nothing but tokens,
// so the allowance is never taken to be less.
func (l *limiter) tokensLast(life time.Duration) { l.tokenLife = max(life, leastTokenLife) }

// mayProbe tells whether a request beyond the allowance may be sent. Only early in a window does it tell anything:
// later it could belong to the next one.
func (l *limiter) mayProbe(now, free time.Time) bool {
	if l.sentOff > 0 || l.paced {
		return l.sentOff < l.step && !l.paced
	}
	return l.sound >= max(l.limit, l.quiet) && !now.Before(l.tryAt) && free.Sub(now) > l.window/2
}

// sent records that a request, of a read or of a token, was sent. It returns the instant by which answered and refused
// know the request: no two have the same.
func (l *limiter) sent(now time.Time) time.Time {
	if !now.After(l.last) {
		now = l.last.Add(1)
	}
	if l.until.After(l.last) {
		l.busy += l.until.Sub(l.last)
		l.last = l.until
	}
	l.busy += min(now.Sub(l.last), idle)
	l.last = now
	if l.resumed.IsZero() {
		l.resumed = now
	}
	if !l.paced && l.free().After(now) {
		l.sentOff++
		l.probes = append(l.probes, now)
	}
	if len(l.log) >= mostLogged {
		l.log = slices.Delete(l.log, 0, mostLogged/2)
	}
	l.log = append(l.log, now)
	return now
}

// answered records an answer that is no 429, or a fault, to the request that was sent at sentAt.
func (l *limiter) answered(sentAt time.Time) {
	if l.few > 0 {
		l.few++
	}
	if l.sound++; l.limit > 0 && l.sound >= l.limit {
		l.proven = true
	}
	if sentAt.After(l.refusal.came) {
		l.passed++
		l.total++
		if l.crawls() {
			l.top *= slowStartGain
		}
	}
	i := slices.Index(l.probes, sentAt)
	if i < 0 {
		return
	}
	l.probes = slices.Delete(l.probes, i, i+1)
	if l.proved++; l.proved >= l.step {
		// The whole round was let through: it belongs to the allowance, and twice as many may follow.
		l.limit += l.step
		l.step, l.sentOff, l.proved, l.patience = min(2*l.step, mostProbes), 0, 0, l.firstPatience()
		if l.confirmed {
			l.step, l.sound = min(l.step, mostConfirmedProbes), 0
		}
	}
}

// refused records a 429 to the request that was sent at sentAt. wait is what the service named, or, where it named
// nothing, the back-off that the caller chose. The request does not count at the service.
func (l *limiter) refused(sentAt, now time.Time, wait time.Duration, named bool) {
	if i, counted := slices.BinarySearchFunc(l.log, sentAt, time.Time.Compare); counted {
		l.log = slices.Delete(l.log, i, i+1)
	}
	if until := now.Add(wait); until.After(l.until) {
		l.until = until
	}
	if r := &l.refusal; sentAt.After(r.came) {
		r.open, r.sentAt, r.came, r.wait, r.short = true, sentAt, now, wait, !named || wait <= time.Second
		if l.last.After(now) {
			r.came = l.last // those of this instant belong to the burst
		}
	}
}

// learn draws the lesson of the last refusal.
func (l *limiter) learn() {
	r := &l.refusal
	r.open = false
	switch {
	case l.proven && !r.short && r.wait > l.window:
		// It says that the window is longer, and the allowance has held for long: once is no proof.
		l.proven, l.sound = false, 0
	case l.limit == 0, l.paced && !r.short:
		l.guess()
	case l.paced:
		l.slowDown()
	default:
		l.shrink()
	}
	l.step, l.sentOff, l.proved, l.probes = 1, 0, 0, l.probes[:0]
	l.resumed, l.passed = time.Time{}, 0
	if l.paced {
		// The service has none left, so it is as if the last ones had been sent evenly. A process that crawls tries again
		// at once: it would miss its turn for long.
		l.curve = l.until
		l.setPace(l.until)
		last := r.sentAt
		if l.crawls() {
			last = last.Add(-l.window / time.Duration(l.limit))
		}
		l.log = l.log[:0]
		for k := range l.limit {
			l.log = append(l.log, last.Add(-l.window*time.Duration(l.limit-1-k)/time.Duration(l.limit)))
		}
	}
}

// guess takes the first refusal, or the first that contradicts a rate, for what it is worth: what was let through
// since the last pause is the limit. The window began with it where it is one that slides, and before it where it is
// fixed, so that this is never too long for a window of whole seconds.
func (l *limiter) guess() {
	let := l.countSince(l.resumed)
	if !l.warned && let < fewToLearn {
		// One refusal after a handful of requests may be a stray one. It is waited out, and the next one tells.
		l.warned, l.few = true, 1
		return
	}
	l.few, l.sound, l.proven, l.confirmed, l.paced = 1, 0, false, false, l.refusal.short
	l.limit, l.window = max(let, 1), l.whole()
	l.top = float64(l.limit) / l.window.Seconds()
	l.slow = let < 4
	l.total, l.busy = 0, 0
	l.retreat(0)
}

// slowDown lowers a rate that was refused.
func (l *limiter) slowDown() {
	r := &l.refusal
	// More than twice what the last second let through is no rate that was ever used.
	rate := min(l.rate(r.came), 2*float64(max(l.countSince(r.sentAt.Add(-time.Second)), 1)))
	if !l.proven && l.total > 0 {
		rate = min(rate, float64(l.total)/max(l.busy.Seconds(), 0.1))
	}
	if l.slow = l.passed == 0; l.slow {
		rate *= starvedShare
	}
	l.top, l.few, l.sound = rate, max(1, l.few/2), 0
}

// shrink fits the limit and the window to a refusal that came within them, or of a probe.
func (l *limiter) shrink() {
	r := &l.refusal
	if !r.short && r.wait > l.window {
		l.window = l.whole()
	}
	held := l.countSince(r.sentAt.Add(max(r.wait-time.Second, 0) - l.window))
	held = max(held, min(l.limit, int(l.window/leastGap)), 1)
	l.confirmed = true
	switch {
	case l.sentOff > 0:
		l.limit = held
		l.retreat(min(20, 12+l.limit))
		l.patience = min(2*l.patience, 4*l.firstPatience())
		return
	case r.short && held >= l.limit-1:
		// Hardly anything is missing: the window is longer by a little, or the requests did not take equally long.
		l.window += min(l.window/8, time.Second)
	default:
		// Others may have taken what is missing, and be refused in the next window.
		l.limit = min(max(held, l.limit/2), l.limit)
	}
	l.few = 1
	l.patience = 0
	l.retreat(0)
}

// retreat puts the next probe off.
func (l *limiter) retreat(quiet int) {
	l.sound, l.quiet = 0, quiet
	l.patience = max(l.patience, l.firstPatience())
	l.tryAt = l.refusal.came.Add(l.patience)
}

// firstPatience is how long no probe is sent after a refusal: a pause of a second may not cost more than a twentieth.
func (l *limiter) firstPatience() time.Duration { return max(l.window, 20*time.Second) }

// countSince is how many requests of the log were sent at that instant or later.
func (l *limiter) countSince(t time.Time) int {
	i, _ := slices.BinarySearchFunc(l.log, t, time.Time.Compare)
	return len(l.log) - i
}

// whole is the one number of whole seconds that agrees with a window which began when the process resumed, and with
// Retry-After, which is rounded up.
func (l *limiter) whole() time.Duration {
	r := &l.refusal
	return min(r.sentAt.Sub(l.resumed), r.wait).Truncate(time.Second) + r.wait
}

// rate is the curve of CUBIC, in requests a second.
func (l *limiter) rate(now time.Time) float64 {
	plateau := min(max(plateauRequests/l.top, shortPlateau.Seconds()), longPlateau.Seconds())
	x := max(now.Sub(l.curve).Seconds(), 0)/plateau - 1
	steep := 1.0 // beyond the plateau the allowance has grown, or others have ended
	if x < 0 {
		steep = 1 - keptShare
	}
	rate := max(l.top*(1+steep*x*x*x), 1/leastGap.Seconds())
	if l.tokenLife > 0 {
		rate = max(rate, 2.5/l.tokenLife.Seconds())
	}
	return rate
}

// crawls tells whether the rate is far too low, and so low that a request in vain costs a turn.
func (l *limiter) crawls() bool { return l.slow && l.top < slowStartRate }

// setPace makes limit and window of the rate: what a second lets through, and two at least.
func (l *limiter) setPace(now time.Time) {
	if !l.paced {
		return
	}
	rate := min(l.rate(now), mostLogged/2)
	l.limit = max(2, int(math.Ceil(rate-0.01)))
	l.window = time.Duration(float64(l.limit) / rate * float64(time.Second))
}

// pausedUntil is the end of the last pause, zero where there never was one.
func (l *limiter) pausedUntil() time.Time { return l.until }

// String is the allowance as it is known, for the log.
func (l *limiter) String() string {
	switch {
	case l.limit == 0:
		return "any number of requests"
	case l.paced:
		return fmt.Sprintf("about %.2g requests a second", l.top)
	default:
		return fmt.Sprintf("at most %d requests in %s", l.limit, l.window)
	}
}
