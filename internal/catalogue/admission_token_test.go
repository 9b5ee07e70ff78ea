package catalogue_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Where tokens run out without notice and reads wait for the allowance, a
// refused token proves nothing.
func TestValidCredentialsAreNeverCalledRejected(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		allowance sandbox.Allowance
		life      time.Duration
		blocks    int
	}{
		"60 a minute, tokens of 30 s": {
			allowance: sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 60, Per: time.Minute}, life: 30 * sec, blocks: 300,
		},
		"a bucket of 60 a minute, tokens of 8 s": {
			allowance: sandbox.Allowance{Kind: sandbox.Bucket, Requests: 60, Per: time.Minute}, life: 8 * sec, blocks: 200,
		},
		"20 in 4 s, tokens of 3 s": {
			allowance: sandbox.Allowance{Kind: sandbox.SlidingWindow, Requests: 20, Per: 4 * sec}, life: 3 * sec, blocks: 200,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, test.blocks),
					sandbox.WithAllowance(test.allowance), sandbox.WithTokenLife(test.life), sandbox.WithExpiresIn(nil))
				service.Inject(sandbox.Fault{Delay: 100 * time.Millisecond})
				c := connect(t, service)
				expectAllRead(t, readAll(t, c, 10, eachGroup(0, test.blocks)))
			})
		})
	}
}

// After the credentials were rejected, who waits anywhere sends nothing more:
// in the queue, in a pause or in a back-off.
func TestNothingIsSentAfterARejection(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 40))
		// One read is in its back-off when the credentials are rejected.
		service.Inject(sandbox.Fault{Path: "/v1/model-group/" + groupID(0), Status: 503})
		refusal := sandbox.Refuse(sandbox.RouteGroup, "UNAUTHORIZED", "No.")
		refusal.Skip, refusal.Delay = 6, 100*time.Millisecond
		service.Inject(refusal)
		c := connect(t, service, atMost(1, sec/5))
		answers := readAll(t, c, 20, eachGroup(0, 40))
		requests := service.Requests()
		refusals := 0
		for _, r := range requests {
			if r.Status == http.StatusUnauthorized {
				refusals++
			}
		}
		rejected := 0
		for _, a := range answers {
			if kindOf(a.err) == toldRejected {
				rejected++
			}
		}
		// The 401, and two replacements that were refused as well, because a token has
		// served before; at 5 a second no other was under way.
		if last := requests[len(requests)-1]; refusals != 3 || last.Status != http.StatusUnauthorized {
			t.Errorf("%d refusals, want 3; the last request got %d, want 401", refusals, last.Status)
		}
		if rejected != 34 {
			t.Errorf("%d reads were told of the rejection, want 34", rejected)
		}
		time.Sleep(10 * time.Minute)
		if later := len(service.Requests()); later != len(requests) {
			t.Errorf("%d more requests later", later-len(requests))
		}
	})
}

// 401 and 429 in turns end: one read has the token renewed twice at most.
func TestRefusedTokensAndPausesInTurnsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options       []sandbox.Option
		reads, tokens int
	}{
		// The second token was within its life when it was refused: a proof.
		"life known":     {options: nil, reads: 3, tokens: 2},
		"life not known": {options: []sandbox.Option{sandbox.WithExpiresIn(nil)}, reads: 5, tokens: 3},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				inner, reads := sandbox.New(manyGroups(t, 1), test.options...), 0
				service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						inner.ServeHTTP(w, r)
						return
					}
					if reads++; reads%2 == 1 {
						w.WriteHeader(http.StatusUnauthorized)
						return
					}
					w.Header().Set("Retry-After", "5")
					w.WriteHeader(http.StatusTooManyRequests)
				})
				c := connect(t, service)
				err := group(groupID(0)).read(t, c).err
				if err == nil {
					t.Fatal("it was read")
				}
				if tokens := inner.Count(sandbox.RouteToken); reads != test.reads || tokens != test.tokens {
					t.Errorf("%d reads and %d tokens, want %d and %d", reads, tokens, test.reads, test.tokens)
				}
			})
		})
	}
}

// A token's life counts from when it was asked for: an answer that takes long
// leaves less of it.
func TestATokenAgesOnItsWay(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default(), sandbox.WithTokenLife(20*sec))
		slowly := func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
			time.Sleep(15 * sec) // issued, then slow on its way
			return status, header, body
		}
		service.Inject(sandbox.Fault{Route: sandbox.RouteToken, Mutate: slowly})
		c := connect(t, service, afresh())
		for range 4 {
			group(mainGroup).mustRead(t, c)
			time.Sleep(2 * sec)
		}
		for _, r := range service.Requests() {
			if r.Status == http.StatusUnauthorized {
				t.Error("a read was sent with a token whose life was over")
			}
		}
	})
}

func TestTheTokenFormatIsFoundAndKept(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{"415", "invalid_request", "unsupported_grant_type"} {
		t.Run(refusal, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 20), sandbox.WithTokenFormat(sandbox.TokenJSON), sandbox.WithTokenLife(10*sec))
				if refusal != "415" {
					fault := sandbox.RefuseToken(refusal, "Not so.")
					fault.Times = 1
					service.Inject(fault)
				}
				c := connect(t, service)
				expectAllRead(t, readAll(t, c, 20, eachGroup(0, 10)))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 10})
				time.Sleep(20 * sec)
				expectAllRead(t, readAll(t, c, 20, eachGroup(10, 20)))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 3, sandbox.RouteGroup: 20})
			})
		})
	}
}

// Whoever shares a call that had no time left asks again in one request.
func TestThoseWhoShareACallAskAgainTogether(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang, Times: 1})
		c := connect(t, service, readTimeout(60*sec), requestTimeout(65*sec))
		first := theGroup.start(t, c)
		time.Sleep(10 * sec)
		var later []*reader
		for range 20 {
			later = append(later, theGroup.start(t, c))
		}
		<-first.done
		for _, r := range later {
			<-r.done
			expectAllRead(t, []answer{r.answer})
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2})
	})
}
