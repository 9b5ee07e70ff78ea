package catalogue_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var strayPlans = flag.Int("stray-plans", 10, "how many plans TestStrays makes of each row")

// takesQuick returns the way of requests to a service nearby.
func takesQuick(random *rand.Rand) func(*request) (there, back time.Duration) {
	var mu sync.Mutex
	return func(*request) (there, back time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		all := quick.draw(random)
		return all / 2, all / 2
	}
}

// mostStrays returns how many of some reads may be lost to strays: those that are rejected five times. Reads share their
// tokens, so twice as many as chance alone would have it. The bound is six standard deviations and six reads above that,
// which a Poisson distribution exceeds less than once in ten million runs. With one of two a whole run may end, too.
func mostStrays(reads, oneIn int) int {
	if oneIn == 2 {
		return reads / 5
	}
	mean := 2 * float64(reads) * math.Pow(1/float64(oneIn), maxRenewals+1)
	return int(mean + 6*math.Sqrt(mean) + 6)
}

// A stray is one of several instances that rejects every token. Plans of 300 reads, ten at once, lose a read only if
// strays are many: one that is rejected five times. The run goes on.
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

// Tokens that live for seconds are renewed in time, whatever holds reads back, and no more often than they end.
func TestShortTokens(t *testing.T) {
	type limits struct {
		service simAllowance
		ceiling setting
		reads   int
	}
	all := map[string]limits{
		"no limit":           {reads: 300},
		"60/1m, fixed":       {service: simAllowance{kind: "fixed", requests: 60, per: time.Minute}, reads: 150},
		"60/1m, sliding":     {service: simAllowance{kind: "sliding", requests: 60, per: time.Minute}, reads: 150},
		"60/1m, bucket":      {service: simAllowance{kind: "bucket", requests: 60, per: time.Minute}, reads: 150},
		"20/4s, sliding":     {service: simAllowance{kind: "sliding", requests: 20, per: 4 * sec}, reads: 150},
		"max_requests 60/1m": {ceiling: atMost(60, time.Minute), reads: 150},
		"max_requests 1/1s":  {ceiling: atMost(1, sec), reads: 100},
		"max_requests 1/4s":  {ceiling: atMost(1, 4*sec), reads: 40},
	}
	type cell struct {
		limits
		life time.Duration
	}
	cells := map[string]cell{}
	for name, l := range all {
		for _, life := range []time.Duration{10 * sec, 12 * sec, 15 * sec, 20 * sec, 30 * sec, 60 * sec} {
			cells[fmt.Sprintf("%s, %s", name, life)] = cell{l, life}
		}
	}
	eachOnFakeClock(t, cells, func(t *testing.T, c cell) {
		counter := simCounter{simAllowance: c.service}
		issued := map[string]time.Duration{}
		s := &service{takes: takesQuick(rand.New(rand.NewPCG(1, 1)))}
		rejected := 0
		s.answer = func(x *request, _ *http.Request) reply {
			if wait := counter.admit(s.now()); wait > 0 {
				return retryAfter(http.StatusTooManyRequests, strconv.Itoa(int((wait+sec-1)/sec)))
			}
			bearer := "bearer-" + strconv.Itoa(s.tokens)
			switch {
			case x.token:
				issued[bearer] = s.now()
				return issue(s.tokens, c.life)
			case s.now() >= issued[x.bearer]+c.life:
				rejected++
				return answered(http.StatusUnauthorized)
			}
			return found
		}
		settings := []setting{readTimeout(time.Hour)}
		if c.ceiling != nil {
			settings = append(settings, c.ceiling)
		}
		expectAllRead(t, readAll(t, over(t, s, settings...), 10, eachGroup(0, c.reads)))
		most := 1 + int(s.now()/(c.life-c.life/10-sec))
		if rejected > 0 || s.tokens > most {
			t.Errorf("%d reads rejected and %d tokens in %s, want none and %d at most", rejected, s.tokens, s.now(), most)
		}
	})
}
