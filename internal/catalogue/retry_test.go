package catalogue_test

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// After each 429 without a Retry-After, the next wait is twice as long. The second 429 and each later one make a gap
// as well.
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

// The failures of the token endpoint are forgotten once no read waits for a token, and their errors count its requests.
func TestAnOutageOfTheTokenEndpoint(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{token: func(int) reply {
			return reply{err: errDropped, after: 1 * sec}
		}}
		c := over(t, s, maxRetries(2))
		together := readAll(t, c, 10, eachGroup(0, 10))
		expectEnd(t, together, ending{Cause: retriesUsedUp, Attempts: 3})
		later := readAll(t, c, 1, eachGroup(10, 20))
		expectEnd(t, later, ending{Cause: serviceDown, Attempts: 1})
		s.expectCounts(t, 13, 0)
	})
}

// A read that came after a pause and waited for room is told that it waited for room.
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
