package pace

import "time"

// young is for how long a request without the header of an answer counts: a slow
// one may not keep others from being sent.
const young = 3 * time.Second

// congestion is how many requests may be in flight after a pause (slow start):
// those let through since, and some to begin with.
type congestion struct {
	window   int // 0: any number
	inFlight log // those sent since the pause
}

// free is when one more may be in flight: at the latest when the youngest that is
// in its way counts no longer.
func (c *congestion) free() time.Time {
	if c.window == 0 || len(c.inFlight) < c.window {
		return time.Time{}
	}
	return c.inFlight.nth(c.window).sent.Add(young)
}

// accept widens the window by a request that was let through.
func (c *congestion) accept() {
	if c.window > 0 {
		c.window++
	}
}

// restart begins again with so many, after a pause: those in flight count no longer.
func (c *congestion) restart(window int) {
	c.window = window
	c.inFlight = c.inFlight[:0]
}
