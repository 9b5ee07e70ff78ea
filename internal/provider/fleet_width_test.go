package provider

import (
	"context"
	"strings"
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
	if before := width.may(fewAtOnce); !before {
		t.Error("none may start")
	}
	refused = true
	if width.may(fewAtOnce) || !width.may(fewAtOnce-1) {
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

func TestProgressCountsWhatWasRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		read, done int
		want       string
	}{
		{read: 8, done: 8, want: "8 of 8 groups read"},
		{read: 7, done: 8, want: "8 of 8 groups asked for, 7 of them read"},
		{read: 0, done: 0, want: "0 of 8 groups read"},
	} {
		if got := (progress{read: test.read}).line(test.done, 8); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	e, _ := sandboxEngine(t) // of its 8 groups one has no models
	var written logs
	if _, diagnostics := e.read(written.in(t.Context()), t, "latest_models", nil); failed(diagnostics) {
		t.Fatal(diagnostics[0].Summary)
	}
	if !strings.Contains(written.String(), "8 of 8 groups asked for, 7 of them read") {
		t.Error("the log counts a group that was left out")
	}
}
