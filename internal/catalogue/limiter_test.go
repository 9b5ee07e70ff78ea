package catalogue

import (
	"math"
	"testing"
	"time"
)

// TestTheCeilingHoldsInEveryStretch sends as soon as it may: k requests take
// at least (k-1)/ceiling seconds, so no stretch of T holds more than ceiling × T + 1.
func TestTheCeilingHoldsInEveryStretch(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, ceiling := range []float64{1e-300, 1e-12, 0.02, 0.3, 1, 2, 7, 1e9, 1e12, 1e300, math.Inf(1)} {
		l := newLimiter(ceiling)
		now := start
		for k := range 5 {
			at, why, ok := l.next(now, 0)
			if !ok || at.Before(now) {
				t.Fatalf("ceiling %v, request %d: %v %v %v", ceiling, k, at, why, ok)
			}
			if k > 0 && !math.IsInf(ceiling, 1) {
				if gap := at.Sub(now).Seconds(); gap < min(1/ceiling, 1e8) && now.Before(at) || why != waitsForCeiling {
					t.Errorf("ceiling %v: %v s after the one before, %v", ceiling, gap, why)
				}
			}
			now = at
			l.sent(now)
			l.answered(now, now)
		}
	}
}
