package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// minute returns a service with some groups and an allowance of 60 requests a minute.
func minute(t *testing.T, groups int) *sandbox.Sandbox {
	t.Helper()
	allowance := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 60, Per: time.Minute}
	return sandbox.New(manyGroups(t, groups), sandbox.WithAllowance(allowance))
}

// TestOneWarningOfPauses: a plan with pauses of a minute in total has one warning, for one waiting block or many. It
// comes with the last of the concurrent blocks.
func TestOneWarningOfPauses(t *testing.T) {
	t.Parallel()
	failing := arguments{"model_group_ids": append(idsOf(150), "nowhere")}
	for name, test := range map[string]struct {
		blocks      []reading
		parallelism int
		pauses      time.Duration // in the warning
	}{
		"300 blocks":              {eachGroup(0, 300), 10, 5 * time.Minute},
		"300 blocks, one by one":  {eachGroup(0, 300), 1, time.Minute},
		"one block of 300 groups": {[]reading{{"latest_models", nil}}, 10, 5 * time.Minute},
		"blocks and a fleet":      {append(eachGroup(0, 100), reading{"latest_models", nil}), 10, 6 * time.Minute},
		"a fleet that fails":      {[]reading{{"latest_models", failing}}, 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				e := inMemory(t, minute(t, 300), nil)
				var warnings []*tfprotov6.Diagnostic
				for _, a := range e.readAll(t, test.parallelism, test.blocks) {
					for _, d := range a.diagnostics {
						if d.Severity == tfprotov6.DiagnosticSeverityWarning {
							warnings = append(warnings, d)
						}
					}
				}
				if test.pauses == 0 {
					expectNone(t, warnings)
					return
				}
				said := fmt.Sprintf("have held back the reads of this run for %s so far.", explain.Duration(test.pauses))
				expectWarning(t, warnings, "", explain.SummaryHeldBack, said, "set max_requests to it", `such as "1/1s"`)
			})
		})
	}
}

// The first block waits for the next one, which begins half a second later, and leaves the warning to it. After the
// warning no block waits.
func TestTheWarningOfPausesComesWithTheLastBlock(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "70", 1))
		e := inMemory(t, service, nil)
		var first []*tfprotov6.Diagnostic
		var began sync.WaitGroup
		began.Go(func() { first = e.reports(t, oneGroup.name, oneGroup.config) })
		time.Sleep(70*sec + sec/2)
		last := e.reports(t, oneGroup.name, oneGroup.config)
		began.Wait()
		expectNone(t, first)
		expectWarning(t, last, "", explain.SummaryHeldBack, "for 1m10s so far.")
		warned := time.Now()
		e.mustRead(t, oneGroup.name, oneGroup.config)
		if waited := time.Since(warned); waited != 0 {
			t.Errorf("a later block waits %s", waited)
		}
	})
}

// TestTheLogSaysHowFarAWaitingProcessIs: one line when each long wait begins, for a pause and for max_requests alike,
// as one block and as blocks. A token and 300 reads under 60 a minute wait five times.
func TestTheLogSaysHowFarAWaitingProcessIs(t *testing.T) {
	t.Parallel()
	const pause, ceiling = "the pause that the service asked for", `max_requests \(60/1m\)`
	for name, test := range map[string]struct {
		blocks  []reading
		ceiling any
		want    string // a regular expression of each line
	}{
		"one block, a pause":          {[]reading{{"latest_models", nil}}, nil, `^\d+ of 300 groups read, waiting 1m0s for ` + pause},
		"one block, and max_requests": {[]reading{{"latest_models", nil}}, "60/1m", `^\d+ of 300 groups read, waiting 1m0s for ` + ceiling},
		"blocks, a pause":             {eachGroup(0, 300), nil, `^\d+ blocks read, \d+ under way, waiting 1m0s for ` + pause},
		"blocks, and max_requests":    {eachGroup(0, 300), "60/1m", `^\d+ blocks read, \d+ under way, waiting 1m0s for ` + ceiling},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				var written logs
				inMemory(t, minute(t, 300), arguments{argMaxRequests: test.ceiling}).
					readAllIn(written.in(t.Context()), t, 10, test.blocks)
				var waits []string
				for _, line := range written.messages(t, "info") {
					if strings.Contains(strings.ToLower(line), "waiting") {
						waits = append(waits, line)
					}
				}
				odd := slices.ContainsFunc(waits, func(line string) bool { return !regexp.MustCompile(test.want).MatchString(line) })
				if len(waits) != 5 || odd {
					t.Errorf("%q, want five of %q", waits, test.want)
				}
			})
		})
	}
}
