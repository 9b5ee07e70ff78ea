package pace

import (
	"testing"
	"time"
)

// What each refusal teaches, in the words of the log.
func TestLessons(t *testing.T) {
	t.Parallel()
	// In each step so many are let through, one every so often, before a request is refused with such a wait.
	type step struct {
		accepted    int
		every, wait time.Duration
		want        string
	}
	const ms, sec = time.Millisecond, time.Second
	for name, steps := range map[string][]step{
		"a handful teaches nothing": {
			{fewToLearn - 1, 0, sec, "any number of requests"},
			{1, 0, sec, "about 10 requests a second"},
		},
		"a window": {{60, 0, 60 * sec, "at most 60 requests in 1m"}},
		"a guess is no longer than twice the wait": {
			{60, sec, 5 * sec, "at most 6 requests in 10s"},
		},
		"what was refused counts half at least": {
			{40, 0, 60 * sec, "at most 40 requests in 1m"},
			{1, 0, 60 * sec, "at most 20 requests in 1m"},
		},
		"never less than one in 12 s": {
			{12, 0, 60 * sec, "at most 12 requests in 1m"},
			{1, 0, 60 * sec, "at most 6 requests in 1m"},
			{1, 0, 60 * sec, "at most 5 requests in 1m"},
		},
		"nor where the window is no multiple of 12 s": {
			{12, 0, 23 * sec, "at most 12 requests in 23s"},
			{1, 0, 23 * sec, "at most 6 requests in 23s"},
			{1, 0, 23 * sec, "at most 3 requests in 23s"},
			{1, 0, 23 * sec, "at most 2 requests in 23s"},
			{1, 0, 23 * sec, "at most 2 requests in 23s"},
		},
		"more than a minute is what one wait says": {
			{12, 0, 50 * sec, "at most 12 requests in 50s"},
			{1, 66 * sec, 44 * sec, "at most 6 requests in 1m"},
			{1, 0, 90 * sec, "at most 8 requests in 1m30s"},
		},
		"a window is longer by a little where hardly anything is missing": {
			{20, 0, 4 * sec, "at most 20 requests in 4s"},
			{20, 100 * ms, sec, "at most 21 requests in 4.5s"},
			{20, 100 * ms, sec, "at most 21 requests in 5.0625s"},
			{20, 100 * ms, sec, "at most 20 requests in 5.0625s"},
		},
		"a rate": {{20, 100 * ms, sec, "about 10 requests a second"}},
		"a rate of the last second after a slow start": {
			{20, 50 * ms, sec, "about 20 requests a second"},
		},
		"a rate that was refused is no more than what was let through, and a fifth": {
			{40, 100 * ms, sec, "about 10 requests a second"},
			{10, sec, sec, "about 1.2 requests a second"},
		},
		"a rate that was refused is no more than the rate in use": {
			{40, 100 * ms, sec, "about 10 requests a second"},
			{8, 0, sec, "about 8 requests a second"},
		},
		"a rate becomes a window": {
			{40, 100 * ms, sec, "about 10 requests a second"},
			{2, 0, 30 * sec, "at most 3 requests in 30s"},
		},
		"a guess that a short wait contradicts was none": {
			{40, 0, 30 * sec, "at most 40 requests in 30s"},
			{20, 100 * ms, sec, "about 10 requests a second"},
		},
		"a contradiction counts the second time": {
			{20, 0, 4 * sec, "at most 20 requests in 4s"},
			{60, 200 * ms, 30 * sec, "at most 20 requests in 4s"},
			{60, 200 * ms, 30 * sec, "at most 10 requests in 30s"},
		},
	} {
		r := newRun(t, Limit{})
		for i, s := range steps {
			for range s.accepted {
				r.answer(1)
				r.now = r.now.Add(s.every)
			}
			r.refuse(s.wait)
			if got := r.String(); got != s.want {
				t.Errorf("%s, step %d: %s, want %s", name, i+1, got, s.want)
			}
			r.now = r.PausedUntil()
		}
	}
}

// A burst lowers a limit to half at most, and a rate begins with what was in flight when slow start ended.
func TestLessonsOfBursts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wait time.Duration
		want string
	}{{time.Minute, "at most 30 requests in 1m"}, {time.Second, "about 70 requests a second"}} {
		r := newRun(t, Limit{})
		if r.answer(fewToLearn); c.wait > time.Second {
			r.answer(60 - fewToLearn)
			r.refuse(c.wait)
			r.now = r.PausedUntil().Add(time.Minute)
		}
		sent := make([]int, 61)
		for i := range sent {
			sent[i] = r.Sent(r.now)
		}
		for _, n := range sent[1:] {
			r.Refused(n, r.now, c.wait, true)
		}
		if got := r.String(); got != c.want {
			t.Errorf("%v: %s, want %s", c.wait, got, c.want)
		}
	}
}

// A limit that nobody confirmed is raised by 1, 2 and 4 as soon as it has gone through, a confirmed one by 1.
func TestProbes(t *testing.T) {
	t.Parallel()
	r := newRun(t, Limit{})
	r.answer(60)
	r.refuse(time.Minute)
	r.now = r.PausedUntil()
	began := r.now
	if r.answer(66); !r.now.Equal(began) {
		t.Errorf("66 requests took %v", r.now.Sub(began))
	}
	r.refuse(time.Minute)
	r.now = r.PausedUntil().Add(2 * time.Minute)
	began = r.now
	limit := r.learned.Requests
	for range limit {
		r.answer(1)
	}
	if r.learned.Requests != limit+1 || !r.now.Equal(began) {
		t.Errorf("%d after %v, want %d and one more", r.learned.Requests, r.now.Sub(began), limit)
	}
	if r.answer(2); r.now.Equal(began) {
		t.Error("a confirmed limit is raised twice at once")
	}
}
