package catalogue_test

import (
	"net/http"
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
		c := connect(t, service, maxRetries(1))
		group(mainGroup).mustRead(t, c)
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 7})
	})
}

// TestFinalAnswersThatLookTransient: none of them is asked for twice.
func TestFinalAnswersThatLookTransient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault sandbox.Fault
		at    string
		kind  simTold
	}{
		"a redirect to nowhere": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Status: 302, Header: http.Header{"Location": {"http://[::1/%zz"}}},
			kind:  toldStatus,
		},
		"404 with a code of the token endpoint": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Status: 404, Body: `{"code":"temporarily_unavailable","message":"No."}`},
			at:    "id", kind: toldStatus,
		},
		"200 labelled gzip that is not": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Encoding": {"gzip"}}, Body: `{"id":"x"}`},
			kind:  toldUnusable,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				c := connect(t, service)
				err := group(mainGroup).read(t, c).err
				expectError(t, err, test.kind)
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
					c := connect(t, service)
					began := time.Now()
					for i, a := range readAll(t, c, 10, eachGroup(0, blocks)) {
						if a.err == nil {
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
		c := connect(t, service)
		expectAllRead(t, readAll(t, c, 10, eachGroup(0, 100)))
	})
}

func TestAnOutageEndsWithTheFirstGoodAnswer(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 10))
		remove := service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 503})
		c := connect(t, service)
		read := func(i int) bool {
			return group(groupID(i)).read(t, c).err == nil
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
