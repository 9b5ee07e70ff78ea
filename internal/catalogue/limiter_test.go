package catalogue

import (
	"math"
	"testing"
	"time"
)

// TestTheCeilingHoldsInEveryStretch sends as soon as it may: k requests take
// at least (k-1)/ceiling seconds, so no stretch of T holds more than ceiling × T + 1.
func TestTheCeilingHoldsInEveryStretch(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, ceiling := range []float64{1e-300, 1e-12, 0.02, 0.3, 1, 2, 7, 1e9, 1e12, 1e300, math.Inf(1)} {
		l := newLimiter(ceiling)
		now := start
		for k := range 5 {
			at, why, ok := l.next(now, 0, false)
			if !ok || at.Before(now) {
				t.Fatalf("ceiling %v, request %d: %v %v %v", ceiling, k, at, why, ok)
			}
			if k > 0 && !math.IsInf(ceiling, 1) {
				if gap := at.Sub(now).Seconds(); gap < min(1/ceiling, 1e8) && now.Before(at) || why != waitsForCeiling {
					t.Errorf("ceiling %v: %v s after the one before, %v", ceiling, gap, why)
				}
			}
			now = at
			l.answered(l.sent(now))
		}
	}
}

// limiterRun drives a limiter by hand, with answers that come at once.
type limiterRun struct {
	*testing.T
	l   *limiter
	now time.Time
}

func newLimiterRun(t *testing.T) *limiterRun {
	t.Helper()
	return &limiterRun{T: t, l: newLimiter(0), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// send sends n requests as soon as they may be sent.
func (r *limiterRun) send(n int) (sent []time.Time) {
	for range n {
		at, why, ok := r.l.next(r.now, 0, false)
		if !ok {
			r.Fatalf("it waits for an answer, and none is under way: %v", why)
		}
		if at.After(r.now) {
			r.now = at
			r.l.next(r.now, 0, false)
		}
		sent = append(sent, r.l.sent(r.now))
	}
	return sent
}

// answer lets n requests through, one after the other.
func (r *limiterRun) answer(n int) {
	for range n {
		for _, at := range r.send(1) {
			r.l.answered(at)
		}
	}
}

// TestNothingIsSentInAPause shortens a pause and lengthens it: the longest counts.
func TestNothingIsSentInAPause(t *testing.T) {
	t.Parallel()
	r := newLimiterRun(t)
	sent := r.send(3)
	start := r.now
	r.l.refused(sent[0], start, 10*time.Second, true)
	r.l.refused(sent[1], start, 5*time.Second, true)
	r.l.refused(sent[2], start.Add(time.Second), 20*time.Second, true)
	end := start.Add(21 * time.Second)
	at, why, ok := r.l.next(start.Add(2*time.Second), 0, false)
	if !ok || !at.Equal(end) || why != waitsForPause || !r.l.pausedUntil().Equal(end) {
		t.Errorf("%v %v %v, paused until %v, want %v", at, why, ok, r.l.pausedUntil(), end)
	}
}

// TestABurstTeachesOneLesson has 15 of 20 requests let through: the five refusals are one, and say 15 in 30 s.
func TestABurstTeachesOneLesson(t *testing.T) {
	t.Parallel()
	r := newLimiterRun(t)
	sent := r.send(20)
	r.l.refused(sent[15], r.now, 30*time.Second, true)
	for _, at := range sent[:15] {
		r.l.answered(at)
	}
	for _, at := range sent[16:] {
		r.l.refused(at, r.now.Add(time.Second), 29*time.Second, true)
	}
	r.answer(1)
	if at, why, ok := r.l.next(r.now, 1, false); !ok || at.After(r.now.Add(1)) {
		t.Errorf("the second after the pause: %v %v %v", at, why, ok)
	}
	if at, why, ok := r.l.next(r.now, 2, false); ok || why != waitsForAnswer {
		t.Errorf("slow start lets three be under way after one answer: %v %v", at, why)
	}
	r.answer(14)
	if r.l.limit != 15 || r.l.window != 30*time.Second {
		t.Errorf("%d in %v", r.l.limit, r.l.window)
	}
	r.now = r.now.Add(time.Millisecond)
	probe := r.send(1)
	if at, why, ok := r.l.next(r.now, 1, false); !ok || why != waitsForAllowance || !at.After(r.now.Add(time.Second)) {
		t.Errorf("a second probe before the first is answered: %v %v %v", at, why, ok)
	}
	r.l.refused(probe[0], r.now, 30*time.Second, true)
	r.answer(15)
	if at, why, ok := r.l.next(r.now, 0, false); !ok || why != waitsForAllowance || at.Before(r.now.Add(28*time.Second)) {
		t.Errorf("after a probe was refused the next one follows at once: %v %v %v", at, why, ok)
	}
	if r.l.limit != 15 || r.l.window != 30*time.Second {
		t.Errorf("a refused probe changed it to %d in %v", r.l.limit, r.l.window)
	}
}

// TestAStrayRefusalTeachesNothing has one refusal after the allowance has held for long.
func TestAStrayRefusalTeachesNothing(t *testing.T) {
	t.Parallel()
	r := newLimiterRun(t)
	sent := r.send(11)
	for _, at := range sent[:10] {
		r.l.answered(at)
	}
	r.l.refused(sent[10], r.now, 4*time.Second, true)
	r.answer(25)
	limit, window := r.l.limit, r.l.window
	r.l.refused(r.send(1)[0], r.now, 30*time.Second, true)
	r.answer(1)
	if r.l.limit != limit || r.l.window != window {
		t.Errorf("%d in %v became %d in %v", limit, window, r.l.limit, r.l.window)
	}
}

// TestNoneIsShutOut has a process that lost its whole share of a minute to others, again and again: it gives up half
// of what it had each time, and keeps one request in 12 s.
func TestNoneIsShutOut(t *testing.T) {
	t.Parallel()
	r := newLimiterRun(t)
	sent := r.send(31)
	for _, at := range sent[:30] {
		r.l.answered(at)
	}
	r.l.refused(sent[30], r.now, time.Minute, true)
	r.answer(30)
	for _, want := range []int{15, 7, 5, 5} {
		refused := r.send(1)[0]
		r.l.refused(refused, r.now, time.Minute, true)
		if at, why, _ := r.l.next(r.now, 0, false); why != waitsForPause {
			t.Fatalf("%v %v", at, why)
		}
		r.now = r.l.pausedUntil()
		r.l.next(r.now, 0, false)
		if r.l.limit != want {
			t.Errorf("%d in %v, want %d", r.l.limit, r.l.window, want)
		}
	}
}
