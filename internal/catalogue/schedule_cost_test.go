//go:build unix && !race

// The race detector ends a program of so many goroutines; the tests on the newest Go run
// without it.

package catalogue

import (
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// TestTheCostOfADecisionDoesNotGrowWithTheQueue compares the CPU of ten times as many
// callers: where a decision looked at all who wait, it would be a hundred times as much.
func TestTheCostOfADecisionDoesNotGrowWithTheQueue(t *testing.T) {
	const few, many, most = 1_000, 10_000, 30
	for name, test := range map[string]struct {
		ceiling pace.Limit
		read    func(n int) reply
		token   func(n int) reply
	}{
		"nothing in the way": {},
		"a ceiling of 10/s":  {ceiling: pace.Limit{Requests: 10, Per: time.Second}},
		"a ceiling of 100/s": {ceiling: pace.Limit{Requests: 100, Per: time.Second}},
		"a burst of 429": {read: func(n int) reply {
			if n <= few {
				return limitedFor(5)
			}
			return reply{body: `{"id":"a","revision":1}`}
		}},
		"all are 503":    {read: func(int) reply { return refuse(503) }},
		"tokens are 503": {token: func(int) reply { return refuse(503) }},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(callers int) (took time.Duration) {
				synctest.Test(t, func(t *testing.T) {
					s := &script{token: test.token}
					if test.read != nil {
						s.read = func(n int, _ *http.Request) reply { return test.read(n) }
					}
					before := cpu(t)
					readAll(t, over(s, func(cfg *Config) { cfg.Ceiling = test.ceiling }), callers)
					took = cpu(t) - before
				})
				return took
			}
			cost(few) // a warm-up
			small, large := cost(few), cost(many)
			t.Logf("%d callers: %s of CPU, %d: %s", few, small, many, large)
			if large > most*max(small, 10*time.Millisecond) {
				t.Errorf("ten times as many callers cost %.0f times as much, want at most %d", float64(large)/float64(small), most)
			}
		})
	}
}

// cpu is what this process has used so far.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Skip(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
