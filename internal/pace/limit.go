package pace

import (
	"fmt"
	"time"
)

// Limit is at most so many requests in any stretch of that length. The zero Limit
// allows any number.
type Limit struct {
	Requests int
	Per      time.Duration
}

// String spells a limit as the provider's max_requests takes it, such as 60/1m.
func (l Limit) String() string {
	if l.Requests == 0 {
		return "any number of requests"
	}
	return fmt.Sprintf("%d/%s", l.Requests, shortly(l.Per))
}

// shortly spells a duration without the units that are zero: 1m, and not 1m0s.
func shortly(d time.Duration) string {
	switch {
	case d > 0 && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d > 0 && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}
