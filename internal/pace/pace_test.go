package pace

import (
	"slices"
	"testing"
	"time"
)

const sec = time.Second

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// run drives a Pace by hand.
type run struct {
	*testing.T
	Pace
	now time.Time
}

func newRun(t *testing.T, ceiling Limit) *run {
	t.Helper()
	t.Parallel()
	return &run{
		T:    t,
		Pace: Pace{Ceiling: ceiling},
		now:  start,
	}
}

// next returns when the next request may be sent.
func (r *run) next() time.Time {
	ends := []time.Time{
		r.now,
		r.PausedUntil(),
		r.GapUntil(),
		r.CeilingAfter(0, r.now),
		r.RoomAt(r.now),
	}
	return slices.MaxFunc(ends, time.Time.Compare)
}

// send sends n requests, each as soon as it may be sent.
func (r *run) send(n int) (numbers []int) {
	for range n {
		r.now = r.next()
		numbers = append(numbers, r.Sent(r.now))
	}
	return numbers
}

// answer lets n requests through, one after the other, each at once.
func (r *run) answer(n int) {
	for range n {
		number := r.send(1)[0]
		r.Answered(number, r.now)
	}
}

// limit sends n requests at once, and has all of them limited.
func (r *run) limit(n int, wait time.Duration) {
	for _, number := range r.send(n) {
		r.Limited(number, r.now, wait)
	}
}

// expect fails unless the next request waits that long.
func (r *run) expect(want time.Duration) {
	r.Helper()
	if got := r.next().Sub(r.now); got != want {
		r.Errorf("the next request waits %v, want %v", got, want)
	}
}

// expectWindow fails unless a number of requests may be sent together after the pause, and no more until one is answered
// or slow.
func (r *run) expectWindow(want int) (sent []int) {
	r.Helper()
	r.now = r.next()
	began := r.now
	sent = r.send(want)
	if !r.now.Equal(began) {
		r.Errorf("%d requests are let go in %v, want them at once", want, r.now.Sub(began))
	}
	r.expect(Slow)
	return sent
}

func TestNothingIsSentInAPause(t *testing.T) {
	r := newRun(t, Limit{})
	sent := r.send(3)
	r.Limited(sent[0], r.now, 10*sec)
	r.now = r.now.Add(sec)
	r.Limited(sent[1], r.now, 20*sec)
	r.Limited(sent[2], r.now, 5*sec)
	r.expect(20 * sec)
	for at, want := range map[time.Duration]time.Duration{
		3 * sec:   3 * sec,
		time.Hour: 21 * sec,
	} {
		got := r.TotalPause(start.Add(at))
		if got != want {
			t.Errorf("after %v pauses took %v, want %v", at, got, want)
		}
	}
}

// After a pause half as many may be in flight as before it, and one more for every sixteen let through. A burst counts
// once.
func TestTheCongestionWindow(t *testing.T) {
	r := newRun(t, Limit{})
	r.limit(9, sec)
	for _, window := range []int{4, 5, 6} {
		for _, number := range r.expectWindow(window) {
			r.Answered(number, r.now)
		}
		r.answer(perGrowth - window)
	}
	r.limit(1, sec)
	r.expectWindow(1)
}

// Only requests in flight count, not slow ones or those from before the last pause.
func TestWhatIsHalved(t *testing.T) {
	r := newRun(t, Limit{})
	r.send(4)
	r.now = r.now.Add(Slow)
	r.limit(8, sec)
	r.Limited(r.expectWindow(4)[0], r.now, sec)
	r.expectWindow(2)
}

// After a pause of 3 s or more at most two are in flight at first, whichever 429s of a burst make up the pause.
func TestTheRestartWindow(t *testing.T) {
	for _, test := range []struct {
		name   string
		sent   int
		waits  []time.Duration
		window int
	}{
		{"short", 8, []time.Duration{sec, 2999 * time.Millisecond}, 4},
		{"long", 8, []time.Duration{3 * sec, sec}, 2},
		{"the last of a burst is long", 8, []time.Duration{sec, sec, 53 * sec}, 2},
		{"two that are long together", 8, []time.Duration{2 * sec, 2 * sec}, 2},
		{"it widens nothing", 3, []time.Duration{time.Minute}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRun(t, Limit{})
			sent := r.send(test.sent)
			for i, wait := range test.waits {
				r.Limited(sent[i], r.now, wait)
				r.now = r.now.Add(sec)
			}
			for _, number := range sent[len(test.waits):] {
				r.Answered(number, r.now)
			}
			r.expectWindow(test.window)
		})
	}
}

func TestASlowRequestKeepsNoOtherFromBeingSent(t *testing.T) {
	r := newRun(t, Limit{})
	hanging := r.send(2)
	r.limit(1, 2*sec)
	r.expectWindow(1)
	r.now = r.now.Add(Slow - 1)
	r.expect(1)
	for range perGrowth {
		r.Answered(hanging[0], r.now)
	}
	if r.Window() != 1 {
		t.Error("answers to a request from before the pause widen the window")
	}
}

// The gap counts from the 429. A request that is let through ends it.
func TestTheGapGrowsWhileNothingIsLetThrough(t *testing.T) {
	r := newRun(t, Limit{})
	for _, gap := range []time.Duration{0, sec, 2 * sec, 4 * sec, 8 * sec, 8 * sec} {
		r.limit(1, sec)
		r.expect(max(sec, gap))
	}
	r.answer(1)
	r.limit(1, sec)
	r.expect(sec)
	r.limit(1, 5*sec)
	r.expect(5 * sec)
}
