package pace

import (
	"fmt"
	"strings"
	"time"
)

// Limit is the largest number of requests in any period of a given length. The zero Limit allows any number.
type Limit struct {
	Requests int
	Per      time.Duration
}

// String returns a limit in the form of max_requests, such as 60/1m, or "any number of requests" for the zero Limit.
func (l Limit) String() string {
	if l.Requests == 0 {
		return "any number of requests"
	}
	per := strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(l.Per.String())
	return fmt.Sprintf("%d/%s", l.Requests, per)
}
