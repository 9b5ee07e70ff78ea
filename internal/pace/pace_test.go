package pace

import (
	"math"
	"testing"
	"time"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// run drives a pace by hand.
type run struct {
	*testing.T
	*Pace
	now time.Time
}

func newRun(t *testing.T, ceiling Limit) *run {
	t.Helper()
	return &run{T: t, Pace: New(ceiling), now: start}
}

// send sends n requests as soon as they may be sent.
func (r *run) send(n int) (numbers []int) {
	for range n {
		if at, _ := r.Next(r.now, false); at.After(r.now) {
			r.now = at
		}
		numbers = append(numbers, r.Sent(r.now))
	}
	return numbers
}

// answer lets n requests through, one after the other, at once.
func (r *run) answer(n int) {
	for range n {
		r.Answered(r.send(1)[0], r.now)
	}
}

// refuse has the next request refused.
func (r *run) refuse(wait time.Duration) { r.Refused(r.send(1)[0], r.now, wait, true) }

func (r *run) expect(now time.Time, token bool, at time.Time, why Reason) {
	r.Helper()
	if got, reason := r.Next(now, token); !got.Equal(at) || reason != why {
		r.Errorf("%v, %v; want %v, %v", got.Sub(start), reason, at.Sub(start), why)
	}
}

func TestTheCeilingHoldsInEveryStretch(t *testing.T) {
	t.Parallel()
	for _, limit := range []Limit{
		{1, 2 * time.Second}, {60, time.Minute}, {3, time.Nanosecond}, {1, math.MaxInt64 / 2}, {100_000, time.Hour},
	} {
		r := newRun(t, limit)
		var sent []time.Time
		for i := range min(3*limit.Requests, 250_000) {
			r.answer(1)
			sent = append(sent, r.now)
			if before := i - limit.Requests; before >= 0 && sent[i].Sub(sent[before]) < limit.Per {
				t.Fatalf("%v: request %d came %v after request %d", limit, i, sent[i].Sub(sent[before]), before)
			}
		}
		if n := min(limit.Requests, len(sent)) - 1; sent[n].After(start) {
			t.Errorf("%v: a burst of so many is held back until %v", limit, sent[n].Sub(start))
		}
		if got, most := len(r.ceiling.log), 2*max(limit.Requests, maxLogged); got > most {
			t.Errorf("%v: %d instants are remembered, want at most %d", limit, got, most)
		}
	}
}

func TestNothingIsSentInAPause(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	sent := r.send(3)
	r.Refused(sent[0], start, 10*time.Second, true)
	r.Refused(sent[1], start.Add(time.Second), 20*time.Second, true)
	r.Refused(sent[2], start.Add(time.Second), 5*time.Second, true)
	end := start.Add(21 * time.Second)
	r.expect(start.Add(2*time.Second), false, end, Pause)
	if !r.PausedUntil().Equal(end) || r.Refusals() != 3 {
		t.Errorf("until %v after %d refusals", r.PausedUntil(), r.Refusals())
	}
}

// After a pause as many may be in flight as were let through since, and one; a slow one counts for some seconds only
// (item 1 of what was found).
func TestASlowAnswerKeepsNoOthersFromBeingSent(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	r.answer(1000) // so that the rate learned is no obstacle
	hanging := r.send(4)
	r.refuse(time.Second)
	r.now = r.PausedUntil()
	slow := r.send(1)
	r.expect(r.now, false, r.now.Add(young), InFlight)
	r.expect(r.now.Add(young), false, r.now.Add(young), Nothing)
	r.Answered(slow[0], r.now)
	r.send(1)
	oldest := r.now
	r.send(1)
	r.expect(r.now, false, oldest.Add(young), InFlight)
	r.Answered(hanging[0], r.now) // sent before the pause: it neither counts nor lets more be sent
	r.expect(r.now, false, oldest.Add(young), InFlight)
}

func TestABurstTeachesOneLesson(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	sent := r.send(20)
	for _, n := range sent[:15] {
		r.Answered(n, r.now)
	}
	for _, n := range sent[15:] {
		r.Refused(n, r.now, 30*time.Second, true)
	}
	if got := r.learned.Limit; got != (Limit{15, 30 * time.Second}) {
		t.Errorf("%v", got)
	}
	r.answer(16) // a probe confirms nothing while it goes through
	if got := r.learned.Requests; got < 16 {
		t.Errorf("%d: a guess that a stray refusal may have taught is not probed at once", got)
	}
	r.refuse(30 * time.Second)
	if got := r.learned.Requests; got != 16 {
		t.Errorf("%d, want what fitted", got)
	}
	r.now = r.PausedUntil()
	r.answer(16) // a confirmed limit is probed after two windows, and by one
	r.expect(r.now, false, r.now.Add(30*time.Second), Allowance)
	r.now = r.now.Add(30 * time.Second)
	r.answer(17)
	r.expect(r.now, false, r.now.Add(30*time.Second), Allowance)
}

func TestAStrayRefusalTeachesNothing(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"a window": 4 * time.Second, "a rate": time.Second} {
		r := newRun(t, Limit{})
		r.answer(10)
		r.refuse(wait)
		r.now = r.PausedUntil()
		r.answer(10)
		r.refuse(wait)
		r.now = r.PausedUntil()
		r.answer(60)
		before := r.String()
		r.refuse(30 * time.Second)
		if got := r.String(); got != before {
			t.Errorf("%s: %s became %s", name, before, got)
		}
	}
}

// A window that began before the process did is longer than the first Retry-After says (item 9).
func TestAWindowBegunEarlierIsMeasured(t *testing.T) {
	t.Parallel()
	for wait := 5 * time.Second; wait < time.Minute; wait += 7 * time.Second {
		r := newRun(t, Limit{})
		r.answer(60)
		r.refuse(wait)
		r.now = r.PausedUntil()
		window := r.now
		for range 3 {
			for range 60 {
				r.answer(1)
			}
			if at, _ := r.Next(r.now, false); at.Sub(window) < time.Minute {
				r.now = at
				r.refuse(window.Add(time.Minute).Sub(at).Round(time.Second))
			}
			r.now, _ = r.Next(r.now, false)
			window = r.now
		}
		if got := r.learned.Per; got != time.Minute {
			t.Errorf("%v left of the first window: %v", wait, got)
		}
	}
}

// What others took for a while comes back at once when they end (item 10).
func TestAProcessThatWasCrowdedOutComesBack(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	for range 3 {
		r.refuse(time.Minute)
		r.now = r.PausedUntil()
	}
	if got := r.learned.Requests; got != 5 {
		t.Errorf("%d in a minute, want one in %v", got, maxGap)
	}
	began := r.now
	r.answer(50)
	if took := r.now.Sub(began); took > time.Minute {
		t.Errorf("50 requests took %v", took)
	}
}

func TestNoneIsShutOut(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	r.answer(30)
	r.refuse(time.Minute)
	for _, want := range []int{30, 15, 7, 5, 5} {
		if got := r.learned.Requests; got != want {
			t.Errorf("%d, want %d", got, want)
		}
		r.now = r.PausedUntil()
		r.refuse(time.Minute)
	}
}

// A token is asked for when a read can follow it (item 12): two requests need two intervals.
func TestATokenWaitsUntilAReadCanFollow(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	r.answer(10)
	r.refuse(6 * time.Second)
	for range 5 { // a bucket of 10 a minute has one in 6 s
		r.now = r.PausedUntil()
		r.answer(1)
		r.refuse(6 * time.Second)
	}
	r.TokenLife(5*time.Second, true)
	r.now = r.PausedUntil()
	r.answer(1)
	at, why := r.Next(r.now, true)
	if want := r.now.Add(12*time.Second - 2500*time.Millisecond); why != Allowance || !at.Equal(want) {
		t.Fatalf("%v, %v", at.Sub(r.now), why)
	}
	r.now = at
	r.answer(1)
	if at, _ := r.Next(r.now, false); at.Sub(r.now) > 2500*time.Millisecond {
		t.Errorf("the read follows after %v", at.Sub(r.now))
	}
}

func TestALifeLearnedFrom401IsFourSecondsAtLeast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		life   time.Duration
		stated bool
		want   time.Duration
	}{{time.Second, true, time.Second}, {time.Second, false, minTokenLife}, {time.Minute, false, time.Minute}} {
		p := New(Limit{})
		p.TokenLife(c.life, c.stated)
		if got := p.learned.tokenLife; got != c.want {
			t.Errorf("%v, stated %v: %v", c.life, c.stated, got)
		}
	}
}

func TestTheRateComesBackAlongTheCurve(t *testing.T) {
	t.Parallel()
	c := cubic{}
	c.refuse(10, refusal{until: start})
	for after, want := range map[time.Duration]float64{0: 7.5, shortPlateau: 10, 2 * shortPlateau: 20} {
		if got := c.rate(start.Add(after)); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
	c.refuse(0.001, refusal{until: start})
	if got := c.interval(start); got != maxGap {
		t.Errorf("one in %v", got)
	}
	// As many as were in flight may be in flight after the pause (item 13).
	r := newRun(t, Limit{})
	r.answer(20)
	r.refuse(time.Second)
	r.now = r.PausedUntil().Add(time.Minute)
	r.answer(30)
	var sent []int
	for range 7 {
		sent = append(sent, r.Sent(r.now))
	}
	r.Refused(sent[6], r.now, time.Second, true)
	if got := r.epoch.start; got != 6 {
		t.Errorf("%d, want 6 as before", got)
	}
}

// A rate falls to what was let through lately, time without requests says nothing, and it never falls below what a
// token's life needs.
func TestHowFarARateFalls(t *testing.T) {
	t.Parallel()
	const short = 2 * time.Second
	for name, test := range map[string]struct {
		idle, life time.Duration
		least      float64 // requests a second
	}{
		"all the time busy":    {0, 0, 1},
		"idle for ten minutes": {10 * time.Minute, 0, 1},
		"with short tokens":    {0, short, minInALife / short.Seconds()},
	} {
		r := newRun(t, Limit{})
		r.answer(40)
		r.refuse(time.Second)
		if test.life > 0 {
			r.TokenLife(test.life, true)
			for range 30 {
				r.answer(1)
				r.refuse(time.Second)
			}
		} else {
			r.now = r.PausedUntil()
			r.answer(1)
			r.now = r.now.Add(test.idle)
			r.answer(20)
			r.refuse(time.Second)
		}
		if got := r.learned.rate.rate(r.PausedUntil()); got < test.least {
			t.Errorf("%s: %.2f requests a second, want at least %.2f", name, got, test.least)
		}
	}
}

// TestManyInFlightCostLittle has 10,000 sent in a burst, of which 100 are let through.
func TestManyInFlightCostLittle(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{Requests: 1_000_000, Per: time.Hour})
	sent, began := r.send(10_000), time.Now()
	for i, n := range sent {
		if i < 100 {
			r.Answered(n, r.now)
		} else {
			r.Refused(n, r.now, time.Minute, true)
		}
		r.Next(r.now, false)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("%v", took)
	}
	if got := r.learned.Requests; got != 100 {
		t.Errorf("%d", got)
	}
}

// Where everything is refused, a request is sent after 1, 2, 4, 8, 16 and then 20 s, and from the fifth refusal on nothing
// more is learned.
func TestWhoIsCrowdedOutTriesEverLater(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	r.answer(50)
	r.refuse(time.Second)
	learned, before := "", r.now
	gaps := []time.Duration{time.Second, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, longestTry}
	for i, want := range gaps {
		r.refuse(time.Second)
		if got := r.now.Sub(before); got < want || got > want+250*time.Millisecond {
			t.Errorf("refusal %d came after %v, want %v", i+2, got, want)
		}
		if i == crowdedOut-2 {
			learned = r.String()
		}
		before = r.now
	}
	if got := r.String(); got != learned {
		t.Errorf("%s became %s", learned, got)
	}
	r.now, _ = r.Next(r.now, false)
	began := r.now
	r.answer(50)
	if took := r.now.Sub(began); took > time.Minute {
		t.Errorf("50 requests took %v when others had ended", took)
	}
	r.refuse(time.Second)
	before = r.now
	if r.refuse(time.Second); r.now.Sub(before) > 2*time.Second {
		t.Errorf("%v after requests were let through", r.now.Sub(before))
	}
}
