package provider

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestOneTokenServesAnyNumberOfBlocks(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 100))
		service.Inject(sandbox.Fault{Route: sandbox.RouteToken, Delay: sec})
		e := inMemory(t, service, nil)
		expectAllRead(t, e.readAll(t, 20, eachGroup(0, 100)))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 100})
	})
}

// TestATokenIsRefusedOnce: all readers are refused with the same token, at once
// or one after another.
func TestATokenIsRefusedOnce(t *testing.T) {
	t.Parallel()
	for name, delay := range map[string]func(i int) time.Duration{
		"together":          func(int) time.Duration { return sec },
		"one after another": func(i int) time.Duration { return time.Duration(i+1) * 100 * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 21))
				for i := range 20 {
					service.Inject(sandbox.Fault{Path: "/v1/model-group/" + groupID(i), Delay: delay(i)})
				}
				e := inMemory(t, service, nil)
				expectAllRead(t, e.readAll(t, 1, eachGroup(20, 21)))
				service.DropTokens()
				expectAllRead(t, e.readAll(t, 20, eachGroup(0, 20)))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 1 + 20 + 20})
			})
		})
	}
}

func TestATokenIsDroppedInTheMiddleOfARun(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		const blocks = 60
		service := sandbox.New(manyGroups(t, blocks))
		var seen atomic.Int32
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Delay: 100 * time.Millisecond, OnRequest: func(*http.Request) {
			if seen.Add(1) == blocks/2 {
				service.DropTokens()
			}
		}})
		e := inMemory(t, service, nil)
		expectAllRead(t, e.readAll(t, 20, eachGroup(0, blocks)))
		refused, sent := 0, map[string]int{}
		for _, r := range service.Requests() {
			if r.Status == http.StatusUnauthorized {
				refused++
			}
			sent[r.Path]++
		}
		// All that are under way when the token is dropped: no more than may be.
		if refused < 1 || refused > 20 {
			t.Errorf("%d reads were refused, want 1 to 20", refused)
		}
		for path, times := range sent {
			if times > 2 {
				t.Errorf("%s was asked for %d times", path, times)
			}
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: blocks + refused})
	})
}

func TestATokenIsRenewedBeforeItsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		life    time.Duration
		options []sandbox.Option
		every   time.Duration
		reads   int
		asked   []int // the reads that ask for a token
		refused int
	}{
		"3600": {life: 3600 * sec, every: 60 * sec, reads: 121, asked: []int{0, 60, 120}},
		"3600.9": {
			life: 3600 * sec, options: []sandbox.Option{sandbox.WithExpiresIn(json.RawMessage("3600.9"))}, every: 60 * sec, reads: 121,
			asked: []int{0, 60, 120},
		},
		"3600, a string": {
			life: 3600 * sec, options: []sandbox.Option{sandbox.WithExpiresIn("3600")}, every: 60 * sec, reads: 121, asked: []int{0, 60, 120},
		},
		// Margins of 1.2 s and 0.8 s: served until 10.8 s and 7.2 s.
		"12":                         {life: 12 * sec, every: 1 * sec, reads: 30, asked: []int{0, 11, 22}},
		"8":                          {life: 8 * sec, every: 1 * sec, reads: 30, asked: []int{0, 8, 16, 24}},
		"1":                          {life: 1 * sec, every: 100 * time.Millisecond, reads: 30, asked: []int{0, 9, 18, 27}},
		"absent, it does not expire": {life: 0, every: time.Hour, reads: 100, asked: []int{0}},
		"null, it does not expire": {
			life: 0, options: []sandbox.Option{sandbox.WithExpiresIn(json.RawMessage("null"))}, every: time.Hour, reads: 100, asked: []int{0},
		},
		"0, it does not expire": {
			life: 0, options: []sandbox.Option{sandbox.WithExpiresIn(0)}, every: time.Hour, reads: 100, asked: []int{0},
		},
		"absent, it expires": {
			life: 12 * sec, options: []sandbox.Option{sandbox.WithExpiresIn(nil)}, every: 1 * sec, reads: 30, asked: []int{0, 12, 24}, refused: 2,
		},
		"longer than it lives": {
			life: 12 * sec, options: []sandbox.Option{sandbox.WithExpiresIn(3600)}, every: 1 * sec, reads: 30, asked: []int{0, 12, 24}, refused: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default(), append([]sandbox.Option{sandbox.WithTokenLife(test.life)}, test.options...)...)
				e := inMemory(t, service, arguments{argSnapshot: false})
				var asked []int
				for i := range test.reads {
					before := service.Count(sandbox.RouteToken)
					e.mustRead(t, "model_group", arguments{"id": mainGroup})
					if service.Count(sandbox.RouteToken) > before {
						asked = append(asked, i)
					}
					time.Sleep(test.every)
				}
				if !slices.Equal(asked, test.asked) {
					t.Errorf("a token was asked for by the reads %v, want %v", asked, test.asked)
				}
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: len(test.asked), sandbox.RouteGroup: test.reads + test.refused})
			})
		})
	}
}

func TestATokenRefusedForGoodEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, parallelism := range map[string]int{"one reader": 1, "20 readers": 20} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 40))
				refusal := sandbox.Refuse(sandbox.RouteGroup, "UNAUTHORIZED", "Your token is no good here.")
				refusal.Delay = sec
				service.Inject(refusal)
				e := inMemory(t, service, nil)
				first := e.readAll(t, parallelism, eachGroup(0, parallelism))
				requests := map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 2 * parallelism}
				expectRequests(t, service, requests)

				began := time.Now()
				later := append(
					e.readAll(t, 20, eachGroup(20, 40)),
					e.readAll(t, 1, []reading{{"model_groups", nil}, {"latest_model", arguments{"model_group_id": "x"}}})...,
				)
				if took := time.Since(began); took != 0 {
					t.Errorf("later reads took %s", took)
				}
				expectRequests(t, service, requests)
				expectOneCause(t, append(first, later...), summaryRejected,
					"The service said: Your token is no good here.",
					"Status 401 Unauthorized, code UNAUTHORIZED, for GET http://localhost/v1/model-group/group-0", "client_id and client_secret",
					"Every other read with these credentials fails")
			})
		})
	}
}
