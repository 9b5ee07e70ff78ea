package catalogue_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A 429 is waited for as long as it says, or for the back-off if it says nothing that can be used.
func TestRetryAfterOfA429(t *testing.T) {
	type row struct {
		header string
		wait   time.Duration
		date   string
	}
	const inFiveSeconds = "Sat, 01 Jan 2000 00:00:05 GMT" // bubbles begin in 2000
	eachOnFakeClock(t, map[string]row{
		"seconds":           {"3", 3 * sec, ""},
		"a fraction":        {"1.5", 1500 * time.Millisecond, ""},
		"a small fraction":  {"0.25", 250 * time.Millisecond, ""},
		"a date":            {inFiveSeconds, 5 * sec, ""},
		"its own date":      {inFiveSeconds, 7 * sec, "Fri, 31 Dec 1999 23:59:58 GMT"},
		"a date long ago":   {"Fri, 01 Jan 1999 00:00:00 GMT", 1 * sec, ""},
		"nothing":           {"", 1 * sec, ""},
		"zero":              {"0", 1 * sec, ""},
		"a negative number": {"-3", 1 * sec, ""},
		"a word":            {"soon", 1 * sec, ""},
	}, func(t *testing.T, r row) {
		limited := retryAfter(429, r.header)
		limited.header.Set("Date", r.date)
		s := first(1, limited)
		c := over(t, s, maxRetries(0))
		theGroup.mustRead(t, c)
		s.expectTimes(t, false, 0, r.wait)
		if got := c.TotalPause(); got != r.wait {
			t.Errorf("reads were paused for %s, want %s", got, r.wait)
		}
	})
}

// After each 429 that names no wait, the next wait is twice as long. From the second 429 on there is a gap as well.
func TestA429ThatNamesNoWaitBacksOff(t *testing.T) {
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

// A pause that outlasts a read's time fails it at once, wherever it waits: just limited, in the queue, in its back-off,
// or when it comes. Its error has the 429.
func TestAPauseThatDoesNotFit(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(_ int, r *http.Request) reply {
			switch r.URL.Path {
			case "/v1/model-group/backs-off":
				return answered(503)
			case "/v1/model-group/limited":
				return retryAfter(429, "600").in(sec / 2)
			}
			return found
		}}
		c := over(t, s, atMost(3, 10*sec))
		var readers []*pending
		for _, id := range []string{"backs-off", "limited", "queued"} {
			readers = append(readers, group(id).start(t, c))
		}
		limited := readers[1].end().took
		readers = append(readers, theGroup.start(t, c)) // it comes in the pause
		for i, want := range []struct {
			attempts int
			took     time.Duration
		}{{1, limited}, {1, limited}, {0, limited}, {0, 0}} {
			a := readers[i].end()
			expectKind(t, []readResult{a}, kindLimited, "429")
			expectEnd(t, []readResult{a}, ending{Cause: waitTooLong, Attempts: want.attempts, Wait: 600 * sec})
			if a.took != want.took {
				t.Errorf("read %d took %s, want %s", i, a.took, want.took)
			}
		}
		time.Sleep(600 * sec) // the allowance is used up: no later read waits for the pause
		theGroup.mustRead(t, c)
		s.expectCounts(t, 1, 3)
	})
	t.Run("for ages", func(t *testing.T) {
		onFakeClock(t, func(t *testing.T) {
			s := always(retryAfter(429, "99999999999999999999"))
			expectKind(t, []readResult{theGroup.read(t, over(t, s))}, kindLimited)
			s.expectCounts(t, 1, 1)
		})
	})
}

// A read whose turn under the ceiling comes after its time fails at once; the others are read.
func TestACeilingThatIsTooLow(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{}
		answers := readAll(t, over(t, s, atMost(1, 10*sec), readTimeout(25*sec)), 10, eachGroup(0, 10))
		late := filter(answers, func(a readResult) bool {
			return a.err != nil
		})
		expectKind(t, late, kindCeiling)
		for _, a := range late {
			end, _ := endOf(a.err)
			if a.took > 0 || end.Wait <= end.Remaining || end.Attempts != 0 {
				t.Errorf("after %s: %+v", a.took, end)
			}
		}
		if len(late) != 8 { // the token at 0 s, reads at 10 s and 20 s
			t.Errorf("%d of 10 reads were late, want 8", len(late))
		}
		s.expectCounts(t, 1, 2)
	})
}

// A read has no time if that is so once its request for a token is counted: nothing is sent for it. If the first answer
// shows it, the read fails then, and is told the ceiling.
func TestATokenCountsUnderTheCeiling(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{token: func(n int) reply { return issue(n, 0).in(sec / 1000) }}
		a := theGroup.read(t, over(t, s, atMost(1, 10*sec), readTimeout(5*sec)))
		expectEnd(t, []readResult{a}, ending{Cause: ceilingTooLow, Wait: 10 * sec})
		s.expectCounts(t, 0, 0)

		a = theGroup.read(t, over(t, s, atMost(1, 5*time.Minute), readTimeout(5*time.Minute)))
		expectEnd(t, []readResult{a}, ending{Cause: ceilingTooLow, Wait: 5 * time.Minute})
		s.expectCounts(t, 1, 0)
		if a.took != sec/1000 {
			t.Errorf("it took %s", a.took)
		}
	})
}

// An answer can bring the ceiling's next turn forward, so a read that would fit then does not fail at once.
func TestAReadThatMayFitUnderTheCeilingWaits(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := always(found.in(sec / 10))
		c := over(t, s, atMost(2, 2*sec), readTimeout(4*sec))
		one := group("a").start(t, c)
		two := group("b").start(t, c)
		time.Sleep(sec / 20)
		three := group("c").read(t, c)
		answers := []readResult{three, one.end(), two.end()}
		expectAllRead(t, answers)
	})
}

// A read that might have fitted, and did not, is told the ceiling, and how long its own turn is away.
func TestAReadThatDidNotFitUnderTheCeiling(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := always(found.in(sec))
		s.token = func(n int) reply {
			return issue(n, 0).in(5 * sec)
		}
		c := over(t, s, atMost(1, 10*sec), readTimeout(23*sec+sec/2))
		readers := []*pending{
			group("a").start(t, c),
			group("b").start(t, c),
		}
		first := readers[0].end()
		if first.took != 14*sec { // the token counts from 3 s on, when it had not been answered
			t.Errorf("it took %s", first.took)
		}
		expectAllRead(t, []readResult{first})
		expectEnd(t, []readResult{readers[1].end()}, ending{Cause: ceilingTooLow, Wait: 10 * sec})
	})
}

// The errors of reads that the service limits do not blame max_requests.
func TestTheCeilingIsNoCauseOfALimit(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := always(retryAfter(429, "1"))
		c := over(t, s, atMost(60, time.Minute))
		for _, a := range readAll(t, c, 150, eachGroup(0, 150)) {
			if kindOf(a.err) == kindCeiling {
				t.Fatalf("after %s: %v", a.took, a.err)
			}
		}
	})
}

// Of two 429s of one burst the error has the longer wait, whichever body comes first.
func TestTheLongerPauseIsReported(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(_ int, r *http.Request) reply {
			if strings.HasSuffix(r.URL.Path, "long") {
				return retryAfter(429, "200").in(sec)
			}
			short := retryAfter(429, "190").in(2 * sec)
			short.stall = 20 * sec
			return short
		}}
		c := over(t, s, readTimeout(4*time.Minute))
		readers := []*pending{group("long").start(t, c), group("short").start(t, c)}
		time.Sleep(100 * sec)
		ctx, cancel := context.WithTimeout(t.Context(), 20*sec)
		defer cancel()
		_, err := c.ModelGroup(ctx, "third")
		if end, _ := endOf(err); end.Wait != 101*sec || !strings.Contains(fmt.Sprintf("%+v", end.Err), "long") {
			t.Errorf("%+v", end)
		}
		for _, r := range readers {
			r.cancel()
			r.end()
		}
	})
}

// A read whose time is over is told the request that it waited for, and not an earlier 429 whose pause was over by then.
func TestAnEarlierPauseIsNotTheCause(t *testing.T) {
	type row struct {
		token    reply // in place of the first, which ends in the pause
		read     reply
		attempts int
		fragment string
	}
	hangs := reply{after: ages}
	eachOnFakeClock(t, map[string]row{
		"a request for a token hangs": {hangs, found, 1, "POST http://localhost/v1/auth/token: no whole answer"},
		"its own request hangs":       {issue(2, 0), hangs, 2, "GET http://localhost/v1/model-group/the-group: no whole answer"},
	}, func(t *testing.T, r row) {
		tokens := []reply{issue(1, 10*sec), r.token}
		reads := []reply{retryAfter(429, "15"), r.read}
		s := &service{
			token: func(n int) reply {
				return tokens[n-1]
			},
			read: func(n int, _ *http.Request) reply {
				return reads[n-1]
			},
		}
		a := theGroup.read(t, over(t, s, readTimeout(40*sec)))
		expectKind(t, []readResult{a}, kindTimeout, r.fragment)
		expectEnd(t, []readResult{a}, ending{Cause: timeOver, Attempts: r.attempts})
	})
}

// A read that came after a pause and waited for room is told what it waited for.
func TestAPauseBeforeAReadIsNotItsCause(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(n int, _ *http.Request) reply {
			if n == 1 {
				return retryAfter(429, "1")
			}
			return found.in(10 * sec)
		}}
		c := over(t, s)
		slow := theGroup.start(t, c)
		time.Sleep(2 * sec) // it is in flight since the end of the pause, as the only one that may be
		ctx, cancel := context.WithTimeout(t.Context(), sec)
		defer cancel()
		_, err := c.ModelGroup(ctx, "later")
		end, _ := endOf(err)
		if end.Cause != timeOver || end.Err != nil || end.WaitingFor != "answers to the requests in flight" {
			t.Errorf("%+v", end)
		}
		expectAllRead(t, []readResult{slow.end()})
	})
}
