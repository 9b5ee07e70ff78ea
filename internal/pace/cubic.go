package pace

import "time"

const (
	// beta is what remains of a rate that was refused.
	beta = 0.75
	// plateauRequests is how many requests the rate takes to come back to where it was refused, within these times:
	// a slow rate would be refused too often in seconds, and a shared one would come back too slowly in requests.
	plateauRequests           = 22
	shortPlateau, longPlateau = 14 * time.Second, 40 * time.Second
	// saved is for how long a rate may be saved up.
	saved = 250 * time.Millisecond
	// leastInALife is how many requests are sent in a token's life at least: with fewer than two there would be
	// nothing but tokens.
	leastInALife = 2.5
)

// cubic is a rate that comes back from a refusal along the curve of CUBIC (RFC 9438): fast at first, slowly near
// wMax, and faster again beyond it. Requests are sent evenly, because a burst would be refused by a service that
// counts by the second.
type cubic struct {
	wMax  float64   // the rate, in requests a second, at which the last refusal came; 0: none is known
	epoch time.Time // when it began to come back
	least float64   // below which it never falls
	next  time.Time // when the next request is due
}

// rate is in requests a second.
func (c *cubic) rate(now time.Time) float64 {
	plateau := min(max(plateauRequests/c.wMax, shortPlateau.Seconds()), longPlateau.Seconds())
	x := max(now.Sub(c.epoch).Seconds(), 0)/plateau - 1
	steep := 1.0 // beyond wMax the allowance has grown, or others have ended
	if x < 0 {
		steep = 1 - beta
	}
	return max(c.wMax*(1+steep*x*x*x), c.least, 1/leastGap.Seconds())
}

func (c *cubic) interval(now time.Time) time.Duration {
	return time.Duration(float64(time.Second) / c.rate(now))
}

// free is when one more may be sent after so many others.
func (c *cubic) free(others int, now time.Time) time.Time {
	interval := c.interval(now)
	before := time.Duration(others) * interval
	return later(c.next, now.Add(-max(saved-interval, before))).Add(before)
}

func (c *cubic) record(now time.Time) {
	c.next = c.free(0, now).Add(c.interval(now))
}

// refuse begins a new epoch. The service has none left, so the next request is due as if the refused one had been
// the last that it let through.
func (c *cubic) refuse(rate float64, r refusal) {
	c.wMax, c.epoch = rate, r.until
	c.next = later(r.until, r.sent.Add(c.interval(r.until)))
}
