package catalogue_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var strayPlans = flag.Int("stray-plans", 10, "how many plans TestStrays makes of each row")

// takesQuick returns the time of requests to a service nearby.
func takesQuick(random *rand.Rand) func(*request) (there, back time.Duration) {
	var mu sync.Mutex
	return func(*request) (there, back time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		all := quick.draw(random)
		return all / 2, all / 2
	}
}

// mostStrays returns the most reads lost to strays, with five rejections each. Reads share their tokens, so the mean is
// twice that of chance alone. The bound is six standard deviations and six reads above it: a Poisson distribution exceeds
// that less than once in ten million runs. With one stray of two instances, a whole run may end, too.
func mostStrays(reads, oneIn int) int {
	if oneIn == 2 {
		return reads / 5
	}
	mean := 2 * float64(reads) * math.Pow(1/float64(oneIn), maxRejections+1)
	return int(mean + 6*math.Sqrt(mean) + 6)
}

// A stray is one of several instances, and rejects every token. A plan of 300 reads, ten at the same time, loses a read
// after five rejections, so only with many strays. The run goes on.
func TestStrays(t *testing.T) {
	const reads, atOnce = 300, 10
	for _, oneIn := range []int{2, 3, 5, 10, 20, 50} {
		t.Run(fmt.Sprint("one in ", oneIn), func(t *testing.T) {
			t.Parallel()
			lost := 0
			for seed := range *strayPlans {
				synctest.Test(t, func(t *testing.T) {
					s := &service{takes: takesQuick(rand.New(rand.NewPCG(uint64(seed), 9)))}
					instances := rand.New(rand.NewPCG(uint64(seed), 10))
					s.read = func(int, *http.Request) reply {
						if instances.IntN(oneIn) == 0 {
							return answered(http.StatusUnauthorized)
						}
						return found
					}
					answers := readAll(t, over(t, s), atOnce, eachGroup(0, reads))
					lost += len(filter(answers, func(a readResult) bool { return a.err != nil }))
				})
			}
			all := *strayPlans * reads
			t.Logf("%d of %d reads are lost", lost, all)
			if most := mostStrays(all, oneIn); lost > most {
				t.Errorf("%d of %d reads are lost, want %d at most", lost, all, most)
			}
		})
	}
}
