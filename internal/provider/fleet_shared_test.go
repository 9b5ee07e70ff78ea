package provider

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// slowly serves with answers that take 20 to 180 ms, half of it on the way there.
func slowly(service http.Handler, seed uint64) http.Handler {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 15))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		half := 10*time.Millisecond + time.Duration(random.Int64N(int64(80*time.Millisecond)))
		mu.Unlock()
		time.Sleep(half)
		service.ServeHTTP(w, r)
		time.Sleep(half)
	})
}

// Runs that share one allowance would each use it up with one burst if their fleets went on asking 32 at once: some
// question would wait for longer than its read_timeout, and its block would be lost. Of 6 runs, which need nine minutes
// together, one in twenty loses a block with the rule, and one in three without it.
func TestFleetsOfSeveralRunsShareAnAllowance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ runs, groups, seeds, most int }{
		{runs: 4, groups: 200, seeds: 6, most: 0},
		{runs: 6, groups: 100, seeds: 24, most: 4},
	} {
		t.Run(fmt.Sprintf("%d runs of %d groups", test.runs, test.groups), func(t *testing.T) {
			t.Parallel()
			var lost []string
			for seed := range uint64(test.seeds) {
				synctest.Test(t, func(t *testing.T) {
					if loses := shareAnAllowance(t, test.runs, test.groups, seed); loses != "" {
						lost = append(lost, loses)
					}
				})
			}
			if len(lost) > test.most {
				t.Errorf("%d of %d lose a block, want at most %d: %s", len(lost), test.seeds, test.most, lost[0])
			}
		})
	}
}

// shareAnAllowance runs several plans at once on 60 requests a minute. It returns a failure of one,
// "" where none fails.
func shareAnAllowance(t *testing.T, runs, groups int, seed uint64) string {
	t.Helper()
	ids := make([]any, groups)
	for i := range ids {
		ids[i] = groupID(i)
	}
	allowance := sandbox.Allowance{Kind: sandbox.Bucket, Requests: 60, Per: time.Minute}
	service := slowly(sandbox.New(manyGroups(t, groups), sandbox.WithAllowance(allowance)), seed)
	var all sync.WaitGroup
	var failure atomic.Pointer[string]
	for range runs {
		e := inMemory(t, service, nil)
		all.Go(func() {
			if _, diagnostics := e.read(t.Context(), t, "latest_models", arguments{"model_group_ids": ids}); failed(diagnostics) {
				text := diagnostics[0].Summary + ": " + diagnostics[0].Detail
				failure.Store(&text)
			}
		})
	}
	all.Wait()
	if text := failure.Load(); text != nil {
		return *text
	}
	return ""
}
