package pace

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The service counts a request on its arrival, at any moment until its answer begins. No period of the ceiling's length
// contains more requests than the ceiling, and the first ones come in a burst.
func TestTheCeilingHoldsAsTheServiceCounts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 1))
		limit := Limit{
			Requests: 1 + draw.IntN(5),
			Per:      time.Duration(1+draw.IntN(4)) * sec,
		}
		service := &counting{run: &run{T: t, Pace: Pace{Ceiling: limit}, now: start}, draw: draw}
		for len(service.arrived) < 40 && !t.Failed() {
			service.step()
		}
		if t.Failed() {
			t.Fatalf("seed %d, %v", seed, limit)
		}
	}
}

// counting is a run over a service that answers each request on its arrival, and records when that is.
type counting struct {
	*run
	draw     *rand.Rand
	arrived  []time.Time
	underWay []int // the indexes of those without an answer yet; a number of the pace is one more
}

// step answers a request or sends one.
func (c *counting) step() {
	at := c.next()
	if len(c.underWay) > 0 && (at.After(c.now) || c.draw.IntN(2) == 0) {
		i := c.underWay[0]
		c.underWay = c.underWay[1:]
		if c.arrived[i].After(c.now) {
			c.now = c.arrived[i]
		}
		c.Answered(i+1, c.now)
		return
	}
	c.now = at
	sent := c.Sent(c.now)
	latency := time.Duration(c.draw.IntN(2500)) * time.Millisecond
	c.arrived = append(c.arrived, c.now.Add(latency))
	c.underWay = append(c.underWay, sent-1)
	earlier := sent - 1 - c.Ceiling.Requests
	switch {
	case earlier >= 0 && c.now.After(c.arrived[earlier]) &&
		c.now.Sub(c.arrived[earlier]) < c.Ceiling.Per:
		c.Errorf("request %d is sent %v after request %d arrived", sent, c.now.Sub(c.arrived[earlier]), earlier+1)
	case earlier < 0 && len(c.underWay) == sent && c.now.After(start):
		c.Errorf("request %d of the first burst is held back", sent)
	}
}

func TestCeilingAfter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		ceiling Limit
		sent    int           // at once, when the run begins
		answer  time.Duration // after which each is answered, or 0
		before  int
		at      time.Duration // how long after that moment one more may be sent
	}{
		{"no ceiling", Limit{}, 100, 0, 100, 0},
		{"room", Limit{3, 10 * sec}, 2, sec, 0, 0},
		{"room for less", Limit{3, 10 * sec}, 2, sec, 1, 10 * sec},
		{"full", Limit{3, 10 * sec}, 3, sec, 0, 10 * sec},
		{"no answer yet counts after 3 s", Limit{3, 10 * sec}, 3, 0, 0, 13 * sec},
		{"an answer after 3 s as well", Limit{3, 10 * sec}, 3, 5 * sec, 0, 8 * sec},
		{"a round of others before it", Limit{3, 10 * sec}, 3, sec, 3, 20 * sec},
		{"a round of others before it, with room", Limit{3, 10 * sec}, 2, sec, 3, 10 * sec},
		{"a round and one", Limit{3, 10 * sec}, 2, sec, 4, 20 * sec},
		{"three rounds", Limit{3, 10 * sec}, 0, 0, 9, 30 * sec},
		{"an even pace", Limit{1, 2 * sec}, 0, 0, 5, 10 * sec},
	} {
		r := &run{T: t, Pace: Pace{Ceiling: test.ceiling}, now: start}
		numbers := r.send(test.sent)
		r.now = r.now.Add(test.answer)
		for _, number := range numbers {
			if test.answer > 0 {
				r.Answered(number, r.now)
			}
		}
		got := r.CeilingAfter(test.before, r.now).Sub(r.now)
		if got != test.at {
			t.Errorf("%s: %v, want %v", test.name, got, test.at)
		}
	}
}

// A pause does not prolong the time for which earlier requests count against the ceiling.
func TestTheCeilingAfterAPause(t *testing.T) {
	r := newRun(t, Limit{2, 10 * sec})
	sent := r.send(2)
	r.Limited(sent[0], r.now, sec)
	r.now = r.now.Add(sec / 2)
	r.Answered(sent[1], r.now)
	got := r.CeilingAfter(1, r.now).Sub(r.now)
	if got != 10*sec {
		t.Errorf("the second slot comes after %v, want 10s", got)
	}
}
