//go:build unix && !race

package catalogue

import (
	"syscall"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// A thousand waiting callers cost a tenth of a second in all. That differs by machine, so the test checks that the cost
// grows with the square of their number: an event may look at every question, but not at every pair.
func TestAThousandCallers(t *testing.T) {
	const few, many, square, cube = 250, 1_000, 16, 64
	for name, ceiling := range map[string]pace.Limit{
		"a pause for each": {},
		"a ceiling":        {Requests: 100, Per: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			least := func(callers int) time.Duration {
				least := time.Hour
				for range 5 { // other processes may disturb some measurements, but not all
					s, before := newStepped(ceiling), cpu(t)
					s.run(callers, callers)
					least = min(least, cpu(t)-before)
				}
				return least
			}
			if one, all := least(few), least(many); all > (square+cube)/2*one {
				t.Errorf("%d callers cost %s, and %d cost %s", few, one, many, all)
			} else {
				t.Logf("%d callers cost %s", many, all)
			}
		})
	}
}

// cpu returns the CPU time of this process so far.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Skip(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
