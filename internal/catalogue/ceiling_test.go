package catalogue_test

import (
	"testing"
	"time"
)

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

// The request for a token counts: if max_requests does not leave time for a read after it, nothing is sent.
func TestATokenCountsUnderTheCeiling(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{}
		c := over(t, s, atMost(1, 10*sec), readTimeout(5*sec))
		a := theGroup.read(t, c)
		expectEnd(t, []readResult{a}, ending{Cause: ceilingTooLow, Wait: 10 * sec})
		s.expectCounts(t, 0, 0)
	})
}

// If its answer does not leave time for a read, the read fails then, and is told the ceiling.
func TestATokenThatLeavesNoTimeUnderTheCeiling(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		const late = sec / 1000
		s := &service{token: func(n int) reply {
			return issue(n, 0).in(late)
		}}
		c := over(t, s, atMost(1, 5*time.Minute), readTimeout(5*time.Minute))
		a := theGroup.read(t, c)
		expectEnd(t, []readResult{a}, ending{Cause: ceilingTooLow, Wait: 5 * time.Minute})
		s.expectCounts(t, 1, 0)
		if a.took != late {
			t.Errorf("it took %s", a.took)
		}
	})
}

// A request for a token that failed is made again before all reads. A read without time for that fails at once,
// anywhere in the queue.
func TestATokenThatFailedCountsUnderTheCeiling(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{token: func(n int) reply {
			if n == 1 {
				return answered(503).in(sec)
			}
			return issue(n, 0)
		}}
		c := over(t, s, atMost(1, 10*sec), readTimeout(25*sec))
		next := group("next").start(t, c)
		last := group("last").start(t, c).end()
		expectKind(t, []readResult{last}, kindCeiling)
		if last.took != sec {
			t.Errorf("it took %s", last.took)
		}
		expectAllRead(t, []readResult{next.end()})
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
		if first.took != 14*sec { // at 3 s the token counts as answered, though it is not
			t.Errorf("it took %s", first.took)
		}
		expectAllRead(t, []readResult{first})
		expectEnd(t, []readResult{readers[1].end()}, ending{Cause: ceilingTooLow, Wait: 10 * sec})
	})
}
