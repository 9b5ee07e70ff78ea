package catalogue_test

import (
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

var sixtyAMinute = sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 60, Per: time.Minute}

// mostSeeds is for how many seeds each of these runs is made.
const mostSeeds = 5

// within makes the runs of a cell: no read may fail, and none may take longer than that.
func (c allowanceCell) within(t *testing.T, most time.Duration) {
	t.Helper()
	for seed := range uint64(mostSeeds) {
		run := c.run(t, seed)
		if run.failure != nil {
			t.Errorf("%s, seed %d: %v", c.name(), seed, run.failure)
		}
		if run.took > most {
			t.Errorf("%s, seed %d: it took %v, want at most %v; the least is %v", c.name(), seed, run.took, most, run.least)
		}
	}
}

// A window that began before the run did was taken for a shorter one: up to 4.2 times the least, at some phase.
func TestARunMayBeginAtAnyPhaseOfAWindow(t *testing.T) {
	for tenths := 1; tenths < 10; tenths++ {
		allowanceCell{
			allowance: sixtyAMinute, processes: 1, groups: 300, parallelism: 10, tokenLife: time.Hour, latency: evenAnswers, tenths: tenths,
		}.within(t, 6*time.Minute+15*time.Second)
	}
}

// After others had taken the allowance for 2 min 20 s, 50 reads took 22 min 36 s and 14 failed.
func TestAfterOthersHaveTakenTheAllowance(t *testing.T) {
	for _, a := range minuteOf(allowances()) {
		allowanceCell{
			allowance: a, processes: 1, groups: 50, parallelism: 10, tokenLife: time.Hour, latency: quickAnswers,
			trouble: trouble{others: 140 * time.Second},
		}.within(t, 6*time.Minute)
	}
}

// With slow answers now and then a fleet of 300 failed whole in some runs, with default settings.
func TestAFleetIsReadWithinAnAllowance(t *testing.T) {
	for _, a := range minuteOf(allowances()) {
		allowanceCell{
			allowance: a, processes: 1, groups: 300, parallelism: 32, fleet: true, tokenLife: time.Hour, latency: tailedAnswers,
		}.within(t, 8*time.Minute)
	}
}

// Where a token serves no longer than the allowance needs for one request, nothing was sent but tokens.
func TestReadsGoOnWhereTokensLiveForSeconds(t *testing.T) {
	for _, life := range []time.Duration{20 * time.Second, 5 * time.Second, 3 * time.Second} {
		allowanceCell{
			allowance: sandbox.Allowance{Kind: sandbox.Bucket, Requests: 10, Per: time.Minute},
			processes: 1, groups: 30, parallelism: 10, tokenLife: life, latency: quickAnswers,
		}.within(t, 10*time.Minute)
	}
	t.Run("after two stray refusals", func(t *testing.T) {
		for seed := range uint64(mostSeeds) {
			run := allowanceCell{
				allowance: sandbox.Allowance{Kind: sandbox.SlidingWindow, Requests: 10_000, Per: time.Second},
				processes: 1, groups: 60, parallelism: 10, tokenLife: time.Second, latency: quickAnswers,
				trouble: trouble{strays: []int{20, 40}, strayWait: time.Second},
			}.run(t, seed)
			if run.failure != nil || run.tokens > 30 {
				t.Errorf("seed %d: %d tokens for 60 reads, %v", seed, run.tokens, run.failure)
			}
		}
	})
}

// Ten a second shared by 4 to 8 processes took 2.2 to 2.6 times the least from 0.6 s of latency on.
func TestTenASecondAreShared(t *testing.T) {
	for _, a := range secondOf(allowances()) {
		for _, processes := range []int{4, 8} {
			r := allowanceCell{
				allowance: a, processes: processes, groups: 100, parallelism: 10, tokenLife: time.Hour, latency: evenAnswers,
			}.measure(t, mostSeeds)
			if r.failed > 0 || r.beyond > boundOfSeveral {
				t.Errorf("%s: %.2f of the least time, %v", r.name(), r.excess, r.failure)
			}
		}
	}
}
