package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// 429s and renewals are no attempts that max_retries counts.
func TestWaitsUseUpNoRetries(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 401, Times: 1})
		service.Inject(limited(sandbox.RouteGroup, "3", 4))
		service.Inject(status(503, "", 1))
		e := inMemory(t, service, arguments{argMaxRetries: 1})
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 7})
	})
}

// TestFinalAnswersThatLookTransient: none of them is asked for twice.
func TestFinalAnswersThatLookTransient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault   sandbox.Fault
		at      string
		summary string
	}{
		"a redirect to nowhere": {
			fault:   sandbox.Fault{Route: sandbox.RouteGroup, Status: 302, Header: http.Header{"Location": {"http://[::1/%zz"}}},
			summary: summaryRedirect,
		},
		"404 with a code of the token endpoint": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Status: 404, Body: `{"code":"temporarily_unavailable","message":"No."}`},
			at:    "id", summary: summaryGroupNotFound,
		},
		"200 labelled gzip that is not": {
			fault:   sandbox.Fault{Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Encoding": {"gzip"}}, Body: `{"id":"x"}`},
			summary: summaryUnexpected,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				e := inMemory(t, service, nil)
				_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
				expectError(t, diagnostics, test.at, test.summary)
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
			})
		})
	}
}

// Where the service is down, reads that begin after one gave up make one
// attempt each, so that a plan of many blocks takes little longer than ten.
func TestAnOutageIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandbox.Fault{
		"reads fail":      {Route: sandbox.RouteGroup, Status: 503},
		"tokens fail":     {Route: sandbox.RouteToken, Status: 503},
		"nothing answers": {Kind: sandbox.Reset},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				took := func(blocks int) time.Duration {
					service := sandbox.New(manyGroups(t, blocks))
					service.Inject(fault)
					e := inMemory(t, service, nil)
					began := time.Now()
					for i, a := range e.readAll(t, 10, eachGroup(0, blocks)) {
						if a.state != nil {
							t.Errorf("read %d succeeded", i)
						}
					}
					return time.Since(began)
				}
				// The jitter of two runs differs by a quarter at most.
				ten, many := took(10), took(300)
				if t.Logf("10 blocks: %s, 300 blocks: %s", ten, many); many > ten*13/10 {
					t.Errorf("300 blocks took %s, 10 took %s", many, ten)
				}
			})
		})
	}
}

func TestAServiceThatComesBackLosesNoRead(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 100))
		remove := service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 503})
		time.AfterFunc(14*sec, remove) // within the retries of the first
		e := inMemory(t, service, nil)
		expectAllRead(t, e.readAll(t, 10, eachGroup(0, 100)))
	})
}

func TestAnOutageEndsWithTheFirstGoodAnswer(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 10))
		remove := service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 503})
		e := inMemory(t, service, nil)
		read := func(i int) bool {
			state, _ := e.read(t.Context(), t, "model_group", arguments{"id": groupID(i)})
			return state != nil
		}
		if read(0) || service.Count(sandbox.RouteGroup) != 5 {
			t.Errorf("%d attempts of the first, want 5", service.Count(sandbox.RouteGroup))
		}
		if read(1) || service.Count(sandbox.RouteGroup) != 6 {
			t.Errorf("%d attempts of the second, want 1", service.Count(sandbox.RouteGroup)-5)
		}
		remove()
		if !read(2) {
			t.Error("a good answer was not taken")
		}
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 503, Times: 2})
		if !read(3) {
			t.Error("after a good answer a read has its retries again")
		}
	})
}

// What the process learns of the allowance is logged when it changes.
func TestChangesOfThePaceAreLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		allowance := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 20, Per: 10 * sec}
		service := sandbox.New(manyGroups(t, 60), sandbox.WithAllowance(allowance))
		e := inMemory(t, service, nil)
		var written logs
		ctx := written.in(t.Context())
		for i := range 60 {
			_, diagnostics := e.read(ctx, t, "model_group", arguments{"id": groupID(i)})
			expectNone(t, diagnostics)
		}
		if said := written.String(); !strings.Contains(said, "The pace is now at most 20 requests in ") {
			t.Error("no line tells of the allowance of 20 requests")
		}
	})
}

// The log says of each wait why it is, in a sentence.
func TestWaitsAreLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "3", 1))
		service.Inject(status(503, `{"code":"DOWN","message":"Down."}`, 1))
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 401, Times: 1})
		e := inMemory(t, service, nil)
		var written logs
		_, diagnostics := e.read(written.in(t.Context()), t, "model_group", arguments{"id": mainGroup})
		expectNone(t, diagnostics)
		var said []string
		for _, line := range written.lines(t) {
			if message, ok := line["@message"].(string); ok {
				said = append(said, message)
			}
		}
		for _, want := range []string{
			"A token is asked for: there is none yet",
			"POST /v1/auth/token 200 in 0 ms, attempt 1",
			"GET " + mainPath + " 429 in 0 ms, attempt 1",
			"was answered with 429: every request waits 3s",
			"503 in 0 ms, attempt 2",
			"because it failed",
			"was answered with 401: the token is not used again",
			"A token is asked for: the last one was refused",
			"GET " + mainPath + " 200 in 0 ms, attempt 4",
		} {
			if !slices.ContainsFunc(said, func(message string) bool { return strings.Contains(message, want) }) {
				t.Errorf("no line says %q:\n%s", want, fmt.Sprint(said))
			}
		}
	})
}
