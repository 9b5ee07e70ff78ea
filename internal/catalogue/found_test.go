package catalogue_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// paged is an answer with a next page.
func paged(body string, next int) reply {
	return reply{body: body, header: http.Header{"Link": {fmt.Sprintf(`<?page=%d>; rel="next"`, next)}}}
}

// A list whose first page is under way when the run ends does not ask for the second.
func TestAListEndsWithTheRun(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(_ int, r *http.Request) reply {
			if strings.HasSuffix(r.URL.Path, "/models") {
				return paged("[]", 2).in(2 * sec)
			}
			return reply{status: 403, body: `{"code":"ORGANISATION_DISABLED","message":"No."}`, after: sec}
		}}
		c := over(t, s)
		list, disabled := models("listed").start(t, c), group("disabled").start(t, c)
		disabled.end()
		if l := list.end(); l.took != 2*sec || kindOf(l.err) != toldDisabled {
			t.Errorf("the list ended after %s: %v", l.took, l.err)
		}
	})
}

// A page that was let through shows that its token serves, so one token in its place that is rejected proves nothing.
func TestAPageShowsThatATokenServes(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(n int, _ *http.Request) reply {
			return []reply{paged("[]", 2), answered(401), answered(401), {body: "[]"}}[n-1]
		}}
		if a := models("g").read(t, over(t, s)); a.err != nil {
			t.Error(a.err)
		}
	})
}

// The back-off of the ninth page is that of a first failure.
func TestEachPageBacksOffForItself(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		limited := false
		s := &service{read: func(n int, _ *http.Request) reply {
			switch {
			case n == 9 && !limited:
				limited = true
				return answered(429)
			case n == 12:
				return reply{body: "[]"}
			}
			return paged("[]", n+1)
		}}
		if a := models("g").read(t, over(t, s)); a.err != nil || a.took > 3*sec {
			t.Errorf("after %s: %v", a.took, a.err)
		}
	})
}

// An answer can bring the ceiling's next turn forward, so a read that would fit then does not fail at once.
func TestAReadThatMayFitUnderTheCeilingWaits(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		c := over(t, always(found.in(sec/10)), atMost(2, 2*sec), readTimeout(4*sec))
		one := group("a").start(t, c)
		time.Sleep(sec / 20)
		expectAllRead(t, []answer{group("b").read(t, c), one.end()})
	})
}

// Reads that the service limits are not told that max_requests kept them.
func TestTheCeilingIsNoCauseOfALimit(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(int, *http.Request) reply { return retryAfter(429, "1") }}
		for _, a := range readAll(t, over(t, s, atMost(60, time.Minute)), 150, eachGroup(0, 150)) {
			if kindOf(a.err) == toldCeiling {
				t.Fatalf("after %s: %v", a.took, a.err)
			}
		}
	})
}

// Of two 429s of one burst the longer wait is told.
func TestTheLongerPauseIsTold(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(_ int, r *http.Request) reply {
			if strings.HasSuffix(r.URL.Path, "long") {
				return retryAfter(429, "200").in(sec)
			}
			return retryAfter(429, "2").in(2 * sec)
		}}
		c := over(t, s, readTimeout(4*time.Minute))
		readers := []*reader{group("long").start(t, c), group("short").start(t, c)}
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
