package catalogue_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestATokenIsRefusedOnce: all readers are refused with the same token, at once or one after another.
func TestATokenIsRefusedOnce(t *testing.T) {
	eachOnFakeClock(t, map[string]func(i int) time.Duration{
		"together":          func(int) time.Duration { return sec },
		"one after another": func(i int) time.Duration { return time.Duration(i+1) * 100 * time.Millisecond },
	}, func(t *testing.T, delay func(int) time.Duration) {
		service := sandbox.New(manyGroups(t, 21))
		for i := range 20 {
			service.Inject(sandbox.Fault{Path: "/v1/model-group/" + groupID(i), Delay: delay(i)})
		}
		c := connect(t, service)
		expectAllRead(t, readAll(t, c, 1, eachGroup(20, 21)))
		service.DropTokens()
		expectAllRead(t, readAll(t, c, 20, eachGroup(0, 20)))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 1 + 20 + 20})
	})
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
		expectAllRead(t, readAll(t, connect(t, service), 20, eachGroup(0, blocks)))
		refused, sent := 0, map[string]int{}
		for _, r := range service.Requests() {
			if r.Status == http.StatusUnauthorized {
				refused++
			}
			if sent[r.Path]++; sent[r.Path] > 2 {
				t.Errorf("%s was asked for more than twice", r.Path)
			}
		}
		// All that are under way when the token is dropped: no more than may be.
		if refused < 1 || refused > 20 {
			t.Errorf("%d reads were refused, want 1 to 20", refused)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: blocks + refused})
	})
}

func TestATokenIsRenewedBeforeItsEnd(t *testing.T) {
	type row struct {
		life, every time.Duration
		expiresIn   any // as the service sends it, nil for not at all, "" for as it is
		reads       int
		renewals    []int // the reads that ask for a token
		refused     int
	}
	eachOnFakeClock(t, map[string]row{
		"3600":           {3600 * sec, 60 * sec, "", 121, []int{0, 60, 120}, 0},
		"3600.9":         {3600 * sec, 60 * sec, json.RawMessage("3600.9"), 121, []int{0, 60, 120}, 0},
		"3600, a string": {3600 * sec, 60 * sec, "3600", 121, []int{0, 60, 120}, 0},
		// Margins of 1.2 s and 1 s: served until 10.8 s and 9 s.
		"12":                         {12 * sec, 1 * sec, "", 30, []int{0, 11, 22}, 0},
		"10":                         {10 * sec, 1 * sec, "", 30, []int{0, 9, 18, 27}, 0},
		"9, which counts as absent":  {12 * sec, 1 * sec, 9, 30, []int{0, 12, 24}, 2},
		"absent, it does not expire": {0, time.Hour, "", 100, []int{0}, 0},
		"null, it does not expire":   {0, time.Hour, json.RawMessage("null"), 100, []int{0}, 0},
		"0, it does not expire":      {0, time.Hour, 0, 100, []int{0}, 0},
		"absent, it expires":         {12 * sec, 1 * sec, nil, 30, []int{0, 12, 24}, 2},
		"longer than it lives":       {12 * sec, 1 * sec, 3600, 30, []int{0, 12, 24}, 2},
	}, func(t *testing.T, test row) {
		options := []sandbox.Option{sandbox.WithTokenLife(test.life)}
		if test.expiresIn != "" {
			options = append(options, sandbox.WithExpiresIn(test.expiresIn))
		}
		service := sandbox.New(sandbox.Default(), options...)
		c := connect(t, service, afresh())
		var renewals []int
		for i := range test.reads {
			before := service.Count(sandbox.RouteToken)
			theGroup.mustRead(t, c)
			if service.Count(sandbox.RouteToken) > before {
				renewals = append(renewals, i)
			}
			time.Sleep(test.every)
		}
		if !slices.Equal(renewals, test.renewals) {
			t.Errorf("a token was asked for by the reads %v, want %v", renewals, test.renewals)
		}
		requests := map[sandbox.Route]int{sandbox.RouteToken: len(test.renewals), sandbox.RouteGroup: test.reads + test.refused}
		expectRequests(t, service, requests)
	})
}

func TestATokenRefusedForGoodEndsTheRun(t *testing.T) {
	eachOnFakeClock(t, map[string]int{"one reader": 1, "20 readers": 20}, func(t *testing.T, parallelism int) {
		service := sandbox.New(manyGroups(t, 40))
		refusal := sandbox.Refuse(sandbox.RouteGroup, "UNAUTHORIZED", "Your token is no good here.")
		refusal.Delay = sec
		service.Inject(refusal)
		c := connect(t, service)
		answers := readAll(t, c, parallelism, eachGroup(0, parallelism))
		requests := map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 2 * parallelism}
		expectRequests(t, service, requests)

		began := time.Now()
		answers = append(answers, readAll(t, c, 20, append(eachGroup(20, 40), groups(""), latestModel("x")))...)
		if took := time.Since(began); took != 0 {
			t.Errorf("later reads took %s", took)
		}
		expectRequests(t, service, requests)
		expectAllTold(t, answers, toldRejected, "401 Unauthorized (UNAUTHORIZED): Your token is no good here.")
	})
}
