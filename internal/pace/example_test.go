package pace_test

import (
	"fmt"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

func Example() {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := pace.Pace{Ceiling: pace.Limit{Requests: 2, Per: time.Second}}
	for range 2 {
		number := p.Sent(now)
		p.Answered(number, now)
	}
	fmt.Println("the ceiling:", p.CeilingAfter(0, now).Sub(now))

	now = now.Add(time.Second)
	number := p.Sent(now)
	p.Limited(number, now, time.Minute)
	fmt.Println("the pause:", p.PausedUntil().Sub(now))
	fmt.Println("in flight after it:", p.Window())
	// Output:
	// the ceiling: 1s
	// the pause: 1m0s
	// in flight after it: 1
}
