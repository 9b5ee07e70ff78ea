package catalogue_test

import "testing"

// Questions that differ in their query are different ones.
func TestAHorizonIsAnotherQuestion(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{}
		c := over(t, s)
		for range 2 {
			groups("").mustRead(t, c)
			groups("day_ahead").mustRead(t, c)
		}
		s.expectCounts(t, 1, 2)
	})
}

// Without snapshot nothing is shared or kept.
func TestEachReadsAfresh(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := always(found.in(sec))
		c := over(t, s, afresh())
		one := theGroup.start(t, c)
		two := theGroup.start(t, c)
		expectAllRead(t, []readResult{one.end(), two.end()})
		theGroup.mustRead(t, c)
		s.expectCounts(t, 1, 3)
	})
}
