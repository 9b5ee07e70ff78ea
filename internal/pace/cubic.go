package pace

import (
	"time"
)

const (
	// beta is what remains of a rate that was refused.
	beta = 0.75
	// plateau is how long the rate takes to come back to where it was refused.
	shortPlateau, longPlateau = 14 * time.Second, 30 * time.Second
	plateauRequests           = 22
	// leastGap is the longest time between two requests of a process: at this pace
	// each of ten readers gets an answer in two minutes.
	leastGap = 12 * time.Second
	// burst is for how long a rate may be saved up.
	burst = 250 * time.Millisecond
)

// cubic is a rate that comes back from a refusal along the curve of CUBIC
// (RFC 9438): fast at first, slowly near wMax, and faster again beyond it.
type cubic struct {
	wMax  float64   // the rate, in requests a second, at which the last refusal came
	epoch time.Time // when it began to come back
	least float64   // it never falls below
	next  time.Time // when the next request is due where all are sent evenly
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
	return time.Duration(float64(time.Second) / min(c.rate(now), 1e6))
}

// free is when n more may be sent.
func (c *cubic) free(n int, now time.Time) time.Time {
	interval := c.interval(now)
	due := c.next
	// What was saved up is one request at least, and all of a burst.
	if earliest := now.Add(-max(burst-interval, time.Duration(n-1)*interval)); due.Before(earliest) {
		due = earliest
	}
	return due.Add(time.Duration(n-1) * interval)
}

func (c *cubic) record(now time.Time) {
	c.next = c.free(1, now).Add(c.interval(now))
}

// refuse begins a new epoch after a request that was sent then was refused at that rate.
func (c *cubic) refuse(rate float64, sent, until time.Time) {
	c.wMax, c.epoch = rate, until
	c.next = later(until, sent.Add(2*c.interval(until)/2))
}
