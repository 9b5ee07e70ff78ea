//go:build unix && !race

package catalogue

import (
	"syscall"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// A thousand waiting callers cost a tenth of a second in all.
func TestAThousandCallers(t *testing.T) {
	const callers, budget = 1_000, time.Second / 10
	for name, test := range map[string]struct {
		ceiling pace.Limit
		limited int
	}{
		"nothing in the way": {},
		"a pause for each":   {limited: callers},
		"a ceiling":          {ceiling: pace.Limit{Requests: 100, Per: time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			least := time.Hour
			for range 10 { // other processes may disturb a measurement, and not each
				s := newStepped(test.ceiling)
				before := cpu(t)
				s.run(callers, test.limited)
				if least = min(least, cpu(t)-before); least <= budget {
					t.Logf("%s", least)
					return
				}
			}
			t.Errorf("%d callers cost %s, want %s at most", callers, least, budget)
		})
	}
}

// cpu returns the CPU time that this process has used so far.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Skip(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
