package pace_test

import (
	"fmt"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

func Example() {
	p, now := pace.New(pace.Limit{Requests: 2, Per: time.Second}), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	next := func() {
		at, why := p.Next(now)
		fmt.Printf("in %v: %v\n", at.Sub(now), why)
	}
	for range 2 {
		p.Answered(p.Sent(now), now)
	}
	next()
	now = now.Add(time.Second)
	p.Limited(p.Sent(now), now, time.Minute)
	next()
	// Output:
	// in 1s: max_requests
	// in 1m0s: the pause that the service asked for
}
