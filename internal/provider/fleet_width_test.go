package provider

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// Where the service limits requests, a fleet asks no more at once than an engine
// does, from the first refusal on.
func TestHowManyQuestionsMayBeUnderWay(t *testing.T) {
	t.Parallel()
	const quick, slow = sec, 6 * sec
	type step struct {
		took    time.Duration
		refused bool
		want    int // how many may be under way after it
	}
	repeated := func(n int, s step) (steps []step) {
		for range n {
			steps = append(steps, s)
		}
		return steps
	}
	for name, steps := range map[string][]step{
		"two more with each prompt answer": {{took: quick, want: 12}, {took: quick, want: 14}, {took: quick, want: 16}},
		"32 at most":                       append(repeated(11, step{took: quick, want: -1}), repeated(3, step{took: quick, want: 32})...),
		"few after a slow one":             {{took: quick, want: 12}, {took: slow, want: 10}, {took: quick, want: 12}},
		"few after a refusal":              {{took: quick, want: 12}, {took: quick, refused: true, want: 10}},
		"few from the first on":            repeated(20, step{took: quick, refused: true, want: 10}),
	} {
		refused := false
		width := fleetWidth{now: fewAtOnce, refused: func() bool { return refused }}
		for i, s := range steps {
			refused = s.refused
			width.answer(s.took)
			most := 0
			for width.may(most) {
				most++
			}
			if s.want >= 0 && most != s.want {
				t.Errorf("%s: %d may be under way after answer %d, want %d", name, most, i+1, s.want)
			}
		}
	}
	// A refusal counts at once, before another answer comes.
	refused := false
	width := fleetWidth{now: manyAtOnce, refused: func() bool { return refused }}
	before := width.may(fewAtOnce)
	if refused = true; !before || width.may(fewAtOnce) || !width.may(fewAtOnce-1) {
		t.Error("a refusal does not count at once")
	}
}

// The loop itself keeps to it: after 40 answers the service begins to refuse.
func TestAFleetNarrowsAtTheFirstRefusal(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		var mu sync.Mutex
		var answered, running, most, mostRefused int
		refused := func() bool {
			mu.Lock()
			defer mu.Unlock()
			return answered >= 40
		}
		questions := make([]question, 200)
		_, fault := readFleet(t.Context(), refused, questions, func(context.Context, string) (bool, error) {
			mu.Lock()
			running++
			most = max(most, running)
			if answered >= 80 { // those that were under way at the refusal have ended
				mostRefused = max(mostRefused, running)
			}
			mu.Unlock()
			time.Sleep(sec)
			mu.Lock()
			defer mu.Unlock()
			running--
			answered++
			return true, nil
		})
		if most <= fewAtOnce || mostRefused != fewAtOnce || answered != len(questions) || fault != nil {
			t.Errorf("%d at once, and %d after the refusal; %d answered, %v", most, mostRefused, answered, fault)
		}
	})
}

// A group that has no models is not read.
func TestProgressCountsWhatWasRead(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]struct{ read, done int }{
		"8 of 8 groups read": {8, 8}, "8 of 8 groups asked for, 7 of them read": {7, 8}, "0 of 8 groups read": {0, 0},
	} {
		if got := (progress{read: p.read}).line(p.done, 8); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	e, _ := sandboxEngine(t) // of its 8 groups one has no models
	var written logs
	_, diagnostics := e.read(written.in(t.Context()), t, "latest_models", nil)
	expectNone(t, diagnostics)
	if said := written.messages(t, "info"); !slices.Contains(said, "8 of 8 groups asked for, 7 of them read") {
		t.Errorf("%q", said)
	}
}
