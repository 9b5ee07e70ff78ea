package pace

import "time"

// young is for how long a request without the header of an answer counts: a slow one may not keep others from being
// sent.
const young = 3 * time.Second

// congestion is the congestion window: after a pause no more requests may be in flight than were let through since
// (slow start), and some to begin with. Only those sent since the pause count, and only while they are young.
type congestion struct {
	window int // 0: any number, as there was no pause yet
	since  log // those in flight that were sent since the pause
}

// free is when one more may be sent: at the latest when the youngest in its way counts no longer.
func (c *congestion) free() time.Time {
	if c.window == 0 || len(c.since) < c.window {
		return time.Time{}
	}
	return c.since[len(c.since)-c.window].sent.Add(young)
}

func (c *congestion) inFlight() int { return len(c.since) }

func (c *congestion) record(r request) { c.since = append(c.since, r) }

func (c *congestion) remove(number int) { c.since.remove(number) }

func (c *congestion) accept() {
	if c.window > 0 {
		c.window++
	}
}

// restart begins a slow start with so many.
func (c *congestion) restart(window int) {
	c.window, c.since = window, c.since[:0]
}
