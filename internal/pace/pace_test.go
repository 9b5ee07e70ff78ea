package pace

import (
	"math/rand/v2"
	"testing"
	"time"
)

const sec = time.Second

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// run drives a Pace by hand.
type run struct {
	*testing.T
	*Pace
	now time.Time
}

func newRun(t *testing.T, ceiling Limit) *run {
	t.Helper()
	return &run{T: t, Pace: New(ceiling), now: start}
}

// send sends n requests, each as soon as it may be sent.
func (r *run) send(n int) (numbers []int) {
	for range n {
		r.now, _ = r.Next(r.now)
		numbers = append(numbers, r.Sent(r.now))
	}
	return numbers
}

// answer lets n requests through, one after the other, each at once.
func (r *run) answer(n int) {
	for range n {
		r.Answered(r.send(1)[0], r.now)
	}
}

func (r *run) expect(in time.Duration, why Reason) {
	r.Helper()
	if at, reason := r.Next(r.now); at.Sub(r.now) != in || reason != why {
		r.Errorf("the next request waits %v for %v; want %v for %v", at.Sub(r.now), reason, in, why)
	}
}

// The service counts a request when it arrives, at any moment until its answer begins. No stretch of the ceiling's
// length has more than the ceiling allows, and as many come in a burst.
func TestTheCeilingHoldsAsTheServiceCounts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 1))
		limit := Limit{Requests: 1 + draw.IntN(5), Per: time.Duration(1+draw.IntN(4)) * sec}
		r := newRun(t, limit)
		type request struct {
			number  int
			arrives time.Time
		}
		var arrived []time.Time
		var underWay []request
		for len(arrived) < 40 {
			at, _ := r.Next(r.now)
			if len(underWay) > 0 && (at.After(r.now) || draw.IntN(2) == 0) {
				next := underWay[0]
				underWay = underWay[1:]
				r.now = latest(r.now, next.arrives)
				r.Answered(next.number, r.now)
				continue
			}
			r.now = at
			latency := time.Duration(draw.IntN(2500)) * time.Millisecond
			underWay = append(underWay, request{number: r.Sent(r.now), arrives: r.now.Add(latency)})
			arrived = append(arrived, underWay[len(underWay)-1].arrives)
			if n := len(arrived) - 1 - limit.Requests; n >= 0 && r.now.Sub(arrived[n]) < limit.Per && r.now.After(arrived[n]) {
				t.Fatalf("seed %d, %v: request %d is sent %v after request %d arrived", seed, limit, len(arrived), r.now.Sub(arrived[n]), n+1)
			}
			if len(arrived) <= limit.Requests && len(underWay) == len(arrived) && r.now.After(start) {
				t.Fatalf("seed %d, %v: request %d of the first burst is held back", seed, limit, len(arrived))
			}
		}
	}
}

func TestCeilingAfter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		ceiling Limit
		sent    int           // at once, when the run begins
		answer  time.Duration // after which each is answered, 0 for none
		before  int
		at      time.Duration // how long after that moment one more may be sent
	}{
		{"no ceiling", Limit{}, 100, 0, 100, 0},
		{"room", Limit{3, 10 * sec}, 2, sec, 0, 0},
		{"room for less", Limit{3, 10 * sec}, 2, sec, 1, 10 * sec},
		{"full", Limit{3, 10 * sec}, 3, sec, 0, 10 * sec},
		{"no answer yet counts from 3 s on", Limit{3, 10 * sec}, 3, 0, 0, 13 * sec},
		{"an answer after 3 s as well", Limit{3, 10 * sec}, 3, 5 * sec, 0, 8 * sec},
		{"a round of others before it", Limit{3, 10 * sec}, 3, sec, 3, 20 * sec},
		{"three rounds", Limit{3, 10 * sec}, 0, 0, 9, 30 * sec},
		{"an even pace", Limit{1, 2 * sec}, 0, 0, 5, 10 * sec},
	} {
		r := newRun(t, test.ceiling)
		numbers := r.send(test.sent)
		r.now = r.now.Add(test.answer)
		for _, n := range numbers {
			if test.answer > 0 {
				r.Answered(n, r.now)
			}
		}
		if got := r.CeilingAfter(test.before, r.now).Sub(r.now); got != test.at {
			t.Errorf("%s: %v, want %v", test.name, got, test.at)
		}
	}
}

func TestNothingIsSentInAPause(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	sent := r.send(3)
	r.Limited(sent[0], r.now, 10*sec)
	r.now = r.now.Add(sec)
	r.Limited(sent[1], r.now, 20*sec)
	r.Limited(sent[2], r.now, 5*sec)
	r.expect(20*sec, Pause)
	r.now = r.now.Add(2 * sec)
	if !r.PausedUntil().Equal(start.Add(21*sec)) || r.Paused(r.now) != 3*sec || r.Paused(start.Add(time.Hour)) != 21*sec {
		t.Errorf("until %v, %v by now", r.PausedUntil().Sub(start), r.Paused(r.now))
	}
}

// After a pause half as many may be in flight as there were, and one more for every eight that are let through. A
// burst counts once.
func TestTheCongestionWindow(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	for _, n := range r.send(9) {
		r.Limited(n, r.now, sec)
	}
	for _, want := range []int{4, 5, 6} {
		r.now = latest(r.now, r.PausedUntil())
		sent := r.send(want)
		r.expect(Slow, InFlight)
		for _, n := range sent {
			r.Answered(n, r.now)
		}
		if r.answer(8 - want); r.Window() != want+1 {
			t.Errorf("the window is %d after %d answers, want %d", r.Window(), r.accepted, want+1)
		}
	}
	r.Limited(r.send(1)[0], r.now, sec)
	if r.Window() != 1 {
		t.Errorf("the window is %d after a 429 to the only request in flight", r.Window())
	}
}

// A pause does not prolong for how long the requests before it count against the ceiling.
func TestTheCeilingAfterAPause(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{2, 10 * sec})
	sent := r.send(2)
	r.Limited(sent[0], r.now, sec)
	r.now = r.now.Add(sec / 2)
	r.Answered(sent[1], r.now)
	if got := r.CeilingAfter(1, r.now).Sub(r.now); got != 10*sec {
		t.Errorf("the second slot comes after %v, want 10s", got)
	}
}

func TestASlowRequestKeepsNoOtherFromBeingSent(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	hanging := r.send(2)
	r.Limited(r.send(1)[0], r.now, Slow)
	r.now = r.PausedUntil()
	r.send(1)
	r.expect(Slow, InFlight)
	r.now = r.now.Add(Slow)
	r.expect(0, Nothing)
	r.Answered(hanging[0], r.now)
	if r.accepted != 0 {
		t.Error("an answer to a request from before the pause widens the window")
	}
}

func TestTheGapGrowsWhileNothingIsLetThrough(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	for _, gap := range []time.Duration{0, sec, 2 * sec, 4 * sec, 8 * sec, 8 * sec} {
		r.Limited(r.send(1)[0], r.now, sec)
		r.now = r.PausedUntil()
		if reason := map[bool]Reason{false: Nothing, true: Gap}[gap > 0]; true {
			r.expect(gap, reason)
		}
	}
	r.answer(1)
	r.expect(0, Nothing)
	r.Limited(r.send(1)[0], r.now, sec)
	r.now = r.PausedUntil()
	r.expect(0, Nothing)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
