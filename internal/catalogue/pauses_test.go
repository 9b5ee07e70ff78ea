package catalogue_test

import (
	"net/http"
	"testing"
	"time"
)

// A 429 is waited for as long as it says, or for the back-off if it says nothing that can be used.
func TestRetryAfterOfA429(t *testing.T) {
	type row struct {
		header string
		wait   time.Duration
	}
	inFiveSeconds := time.Date(2000, 1, 1, 0, 0, 5, 0, time.UTC).Format(http.TimeFormat) // bubbles begin in 2000
	eachOnFakeClock(t, map[string]row{
		"seconds":           {"3", 3 * sec},
		"a fraction":        {"1.5", 1500 * time.Millisecond},
		"a small fraction":  {"0.25", 250 * time.Millisecond},
		"a date":            {inFiveSeconds, 5 * sec},
		"a date long ago":   {"Fri, 01 Jan 1999 00:00:00 GMT", 1 * sec},
		"nothing":           {"", 1 * sec},
		"zero":              {"0", 1 * sec},
		"a negative number": {"-3", 1 * sec},
		"a word":            {"soon", 1 * sec},
	}, func(t *testing.T, r row) {
		s := first(1, retryAfter(429, r.header))
		c := over(t, s, maxRetries(0))
		theGroup.mustRead(t, c)
		s.expectTimes(t, false, 0, r.wait)
		if got := c.Paused(); got != r.wait {
			t.Errorf("reads were paused for %s, want %s", got, r.wait)
		}
	})
}

// Refusals that say nothing are waited for twice as long each time, and from the second on with a gap beside.
func TestRefusalsThatSayNothingBackOff(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := first(3, answered(429))
		theGroup.mustRead(t, over(t, s, maxRetries(0)))
		at := s.times(false)
		for i, least := range []time.Duration{1 * sec, 2 * sec, 4 * sec} {
			if got := at[i+1] - at[i]; got < least || got > least+8*sec {
				t.Errorf("wait %d took %s, want %s and a gap of 8s at most", i+1, got, least)
			}
		}
	})
}

// A pause counts from its header on, whatever becomes of the body, for reads and for tokens, and those who come in it
// wait as well.
func TestEveryRequestWaitsForAPause(t *testing.T) {
	stalled := retryAfter(429, "10")
	stalled.stall = ages
	whole := retryAfter(429, "10")
	eachOnFakeClock(t, map[string]reply{"whole": whole, "without its body": stalled}, func(t *testing.T, r reply) {
		s := first(1, r)
		s.token = func(n int) reply { // the first one to be renewed in the pause
			return issue(n, map[int]time.Duration{1: 10 * sec}[n])
		}
		c := over(t, s)
		readers := []*reader{theGroup.start(t, c)}
		for _, r := range eachGroup(0, 19) {
			time.Sleep(400 * time.Millisecond)
			readers = append(readers, r.start(t, c))
		}
		for _, r := range readers {
			expectAllRead(t, []answer{r.end()})
		}
		s.expectCounts(t, 2, 21)
		for _, x := range s.sent[2:] {
			if x.sentAt < 10*sec {
				t.Errorf("%s was sent at %s, in the pause", x.path, x.sentAt)
			}
		}
	})
	t.Run("of the token endpoint", func(t *testing.T) {
		onFakeClock(t, func(t *testing.T) {
			s := &service{token: func(n int) reply {
				if n == 1 {
					return retryAfter(429, "7")
				}
				return issue(n, 0)
			}}
			expectAllRead(t, readAll(t, over(t, s, maxRetries(0)), 20, eachGroup(0, 20)))
			s.expectTimes(t, true, 0, 7*sec)
		})
	})
}

// A pause that outlasts a read's time fails it at once, wherever it waits: just refused, in the queue, in its
// back-off, or when it comes. It is told what it waited for.
func TestAPauseThatDoesNotFit(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(_ int, r *http.Request) reply {
			switch r.URL.Path {
			case "/v1/model-group/backs-off":
				return answered(503)
			case "/v1/model-group/refused":
				return retryAfter(429, "600").in(sec / 2)
			}
			return found
		}}
		c := over(t, s, atMost(3, 10*sec))
		backsOff, refused := group("backs-off").start(t, c), group("refused").start(t, c)
		queued := group("queued").start(t, c)
		answers := []answer{backsOff.end(), refused.end(), queued.end(), theGroup.read(t, c)}
		expectAllTold(t, answers, toldLimited, "429")
		for i, want := range []ending{{Attempts: 1}, {Attempts: 1}, {}, {}} {
			end, _ := endOf(answers[i].err)
			if end.Cause != waitTooLong || end.Wait != 600*sec || end.Attempts != want.Attempts || end.Remaining != 5*time.Minute-answers[i].took {
				t.Errorf("read %d: %+v", i, end)
			}
		}
		if refused, queued := answers[1].took, answers[2].took; refused != queued || answers[0].took != refused || answers[3].took != 0 {
			t.Errorf("they took %s, %s and %s, want as long as the refusal: %s", answers[0].took, queued, answers[3].took, refused)
		}
		time.Sleep(400 * sec) // what is left of the pause fits
		theGroup.mustRead(t, c)
		s.expectCounts(t, 1, 3)
	})
	t.Run("for ages", func(t *testing.T) {
		onFakeClock(t, func(t *testing.T) {
			s := always(retryAfter(429, "99999999999999999999"))
			expectAllTold(t, []answer{theGroup.read(t, over(t, s))}, toldLimited)
			s.expectCounts(t, 1, 1)
		})
	})
}
