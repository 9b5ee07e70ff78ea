package catalogue_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// The pace of a process, replayed by package pace from the requests. Its own tests show that the package keeps the
// contract, and these rules that the client obeys the package.

// simPace is the pace after an event: a request is sent, its header comes, or it ends without one.
type simPace struct {
	at    time.Duration
	x     *request
	sends int           // 1 if it is sent
	gap   time.Duration // the end of the last gap
	until time.Duration // when the next request may be sent, unless another event comes before
}

// paces returns the pace after each event. unnamed is the length of a pause if a 429 leaves that to the client.
func (c *simCheck) paces(unnamed time.Duration) (all []simPace) {
	for _, x := range c.requests {
		answered := max(min(x.headerAt, x.endAt), x.sentAt+1)
		all = append(all, simPace{at: x.sentAt, x: x, sends: 1}, simPace{at: answered, x: x})
	}
	slices.SortStableFunc(all, func(a, b simPace) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.sends, b.sends))
	})
	p := pace.Pace{Ceiling: c.plan.ceiling}
	for i, e := range all {
		now, number := c.service.began.Add(e.at), e.x.number+1
		switch until, named := e.x.waits(); {
		case e.sends == 1 && e.x.endAt > e.at:
			p.Sent(now)
		case e.sends == 1: // its reader left at the same moment
			p.Ended(p.Sent(now), now)
		case e.x.status == 0:
			p.Ended(number, now)
		case !e.x.limited():
			p.Answered(number, now)
		case named:
			p.Limited(number, now, until-e.at)
		default:
			p.Limited(number, now, unnamed)
		}
		ends := []time.Time{p.PausedUntil(), p.GapUntil(), p.CeilingAfter(0, now), p.RoomAt(now)}
		all[i].gap = p.GapUntil().Sub(c.service.began)
		all[i].until = slices.MaxFunc(ends, time.Time.Compare).Sub(c.service.began)
	}
	return all
}

// asThePaceLets: nothing is sent in a pause or a gap, above the ceiling or outside of the congestion window.
func (c *simCheck) asThePaceLets() {
	for i, p := range c.paced[min(1, len(c.paced)):] {
		if before := c.paced[i]; p.sends == 1 && p.at < before.until {
			c.fail("request %d was sent at %s, and since %s the pace lets none be sent until %s", p.x.number, p.at, before.at, before.until)
		}
	}
}

// heldByPace returns the longest times without a request by the pace.
func (c *simCheck) heldByPace() (held []simSpan) {
	all := append(c.paces(longestBackOff), simPace{at: never})
	for i, p := range all[:len(all)-1] {
		held = append(held, simSpan{p.at, min(p.until, all[i+1].at)})
	}
	return held
}

// gapAfter returns the end of the last gap that had begun by a moment.
func (c *simCheck) gapAfter(at time.Duration) (gap time.Duration) {
	for _, p := range c.paced {
		if p.at <= at {
			gap = p.gap
		}
	}
	return gap
}
