package pace

import "time"

// maxRemembered bounds the memory of a ceiling.
const maxRemembered = 1 << 14

// ceiling is the operator's limit: at most so many in any stretch of that length.
// Of a large one it remembers the instant of every n-th request only, which lets
// through fewer than n too few.
type ceiling struct {
	Limit
	every int         // n
	sent  int         // how many were sent
	times []time.Time // when each n-th of them was sent, beginning with the first
	gone  int         // how many times were forgotten
}

func newCeiling(l Limit) ceiling {
	return ceiling{Limit: l, every: max(1, (l.Requests+maxRemembered-1)/maxRemembered)}
}

// free is when one more may be sent.
func (c *ceiling) free() time.Time {
	if c.Requests <= 0 || c.sent < c.Requests {
		return time.Time{}
	}
	// The request that is Requests before the next one, or one a little later.
	i := (c.sent-c.Requests+c.every-1)/c.every - c.gone
	return c.times[min(i, len(c.times)-1)].Add(c.Per)
}

func (c *ceiling) record(now time.Time) {
	if c.Requests <= 0 {
		return
	}
	if c.sent%c.every == 0 {
		if len(c.times) > 2*maxRemembered {
			c.gone += copy(c.times, c.times[maxRemembered-1:])
			c.times = c.times[:maxRemembered]
		}
		c.times = append(c.times, now)
	}
	c.sent++
}
