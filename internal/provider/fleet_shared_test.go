package provider

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
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
// question would wait for longer than its read_timeout, and its block would be lost.
func TestFleetsOfSeveralRunsShareAnAllowance(t *testing.T) {
	t.Parallel()
	const runs, groups, seeds = 6, 100, 15
	ids := make([]any, groups)
	for i := range ids {
		ids[i] = groupID(i)
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				allowance := sandbox.Allowance{Kind: sandbox.Bucket, Requests: 60, Per: time.Minute}
				service := slowly(sandbox.New(manyGroups(t, groups), sandbox.WithAllowance(allowance)), seed)
				var all sync.WaitGroup
				for range runs {
					e := inMemory(t, service, nil)
					all.Go(func() {
						_, diagnostics := e.read(t.Context(), t, "latest_models", arguments{"model_group_ids": ids})
						if failed(diagnostics) {
							t.Error(diagnostics[0].Summary, diagnostics[0].Detail)
						}
					})
				}
				all.Wait()
			})
		})
	}
}
