package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// expectSpacing wants no two requests closer than apart: what a ceiling of so
// much a second comes to. The limiter rounds up to a nanosecond.
func expectSpacing(t *testing.T, service *sandbox.Sandbox, apart time.Duration) {
	t.Helper()
	requests := service.Requests()
	for i := range requests[1:] {
		if got := requests[i+1].At.Sub(requests[i].At); got < apart {
			t.Errorf("request %d came %s after the one before it, want at least %s", i+1, got, apart)
		}
	}
}

// A token that ends while reads wait releases none of them early.
func TestTheCeilingHoldsWhileTokensEnd(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]sandbox.Option{
		"life known":     {sandbox.WithTokenLife(8 * sec)},
		"life not known": {sandbox.WithTokenLife(8 * sec), sandbox.WithExpiresIn(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 60), options...)
				service.Inject(sandbox.Fault{Delay: 200 * time.Millisecond})
				e := inMemory(t, service, arguments{argMaxRequestsPerSecond: 1})
				expectAllRead(t, e.readAll(t, 30, eachGroup(0, 60)))
				expectSpacing(t, service, sec)
			})
		})
	}
}

func TestACeilingBelowOneInTenSecondsIsKept(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 8))
		refusal := limited(sandbox.RouteGroup, "3", 2)
		service.Inject(refusal)
		e := inMemory(t, service, arguments{argMaxRequestsPerSecond: 0.02, argReadTimeout: "20m"})
		expectAllRead(t, e.readAll(t, 8, eachGroup(0, 8)))
		expectSpacing(t, service, 50*sec)
	})
}

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
				e := inMemory(t, service, nil)
				expectAllRead(t, e.readAll(t, 10, eachGroup(0, test.blocks)))
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
		e := inMemory(t, service, arguments{argMaxRequestsPerSecond: 5})
		answers := e.readAll(t, 20, eachGroup(0, 40))
		requests := service.Requests()
		refusals := 0
		for _, r := range requests {
			if r.Status == http.StatusUnauthorized {
				refusals++
			}
		}
		rejected := 0
		for _, a := range answers {
			if len(a.diagnostics) == 1 && a.diagnostics[0].Summary == summaryRejected {
				rejected++
			}
		}
		// The 401, the new token, its refusal; at 5 a second no other was under way.
		if last := requests[len(requests)-1]; refusals != 2 || last.Status != http.StatusUnauthorized {
			t.Errorf("%d refusals, want 2; the last request got %d, want 401", refusals, last.Status)
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

// Reads are sent in the order in which they came, whatever makes them wait.
func TestReadsAreSentInTheOrderInWhichTheyCame(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ceiling int
		life    time.Duration
	}{
		"under a ceiling":      {ceiling: 2, life: time.Hour},
		"with tokens that end": {ceiling: 2, life: 8 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				const blocks = 100
				service := sandbox.New(manyGroups(t, blocks), sandbox.WithTokenLife(test.life))
				service.Inject(sandbox.Fault{Delay: 100 * time.Millisecond})
				e := inMemory(t, service, arguments{argMaxRequestsPerSecond: test.ceiling})
				var readers []*reader
				for _, r := range eachGroup(0, blocks) {
					readers = append(readers, e.start(t, r))
					synctest.Wait()
				}
				for _, r := range readers {
					<-r.done
					expectAllRead(t, []answer{r.answer})
				}
				var sent []string
				for _, r := range service.Requests() {
					if r.Route == sandbox.RouteGroup && r.Status == http.StatusOK {
						sent = append(sent, r.Path)
					}
				}
				if !slices.IsSorted(sent) {
					t.Errorf("not in order: %v", sent)
				}
			})
		})
	}
}

// 300 reads at 60 a minute take four minutes: first come, first served, none
// fails for lack of time.
func TestAnAllowanceOfSixtyAMinuteStarvesNobody(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 300), sandbox.WithAllowance(sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 60, Per: time.Minute}))
		service.Inject(sandbox.Fault{Delay: 50 * time.Millisecond})
		e := inMemory(t, service, arguments{argReadTimeout: "3m"})
		expectAllRead(t, e.readAll(t, 30, eachGroup(0, 300)))
	})
}

// A pause that outlasts the time of who waits fails it at once, wherever it
// waits: in the queue, or in its back-off.
func TestAPauseThatDoesNotFitFailsWhoeverWaits(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 3))
		at := func(i int, fault sandbox.Fault) {
			fault.Path = "/v1/model-group/" + groupID(i)
			service.Inject(fault)
		}
		// The token at 0 s, the first read at 2 s, the second at 4 s. When that is
		// refused, the first is in its back-off and the third in the queue.
		at(0, sandbox.Fault{Status: 503, Delay: 2900 * time.Millisecond})
		refusal := limited(sandbox.RouteGroup, "600", 0)
		refusal.Delay = 1500 * time.Millisecond
		at(1, refusal)
		e := inMemory(t, service, arguments{argMaxRequestsPerSecond: 0.5})
		began := time.Now()
		var readers []*reader
		for _, r := range eachGroup(0, 3) {
			readers = append(readers, e.start(t, r))
			synctest.Wait()
		}
		for i, r := range readers {
			<-r.done
			expectError(t, r.answer.diagnostics, "", summaryRateLimited, "asked to wait 10m0s")
			if took := time.Since(began); took != 5500*time.Millisecond {
				t.Errorf("reader %d ended after %s", i, took)
			}
		}
	})
}

// A 429 counts from its header on, whatever becomes of its body.
func TestARefusalCountsBeforeItsBodyHasEnded(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		inner := sandbox.New(manyGroups(t, 20))
		service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/model-group/"+groupID(0) || inner.Count(sandbox.RouteGroup) > 5 {
				inner.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Retry-After", "20")
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(http.StatusTooManyRequests)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done() // the body never comes
		})
		e := inMemory(t, service, nil)
		began := time.Now()
		var readers []*reader
		for i, r := range eachGroup(0, 20) {
			readers = append(readers, e.start(t, r))
			if i > 0 {
				time.Sleep(500 * time.Millisecond)
			}
			synctest.Wait()
		}
		time.Sleep(5 * sec)
		for _, r := range inner.Requests() {
			if at := r.At.Sub(began); r.Route == sandbox.RouteGroup && at < 20*sec {
				t.Errorf("%s was sent %s after the refusal", r.Path, at)
			}
		}
		readers[0].cancel()
		for _, r := range readers {
			<-r.done
		}
	})
}

// A read that never got its turn because of refusals is told of these.
func TestAReadWithoutATurnIsToldWhy(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 40), sandbox.WithAllowance(sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 5, Per: 20 * sec}))
		e := inMemory(t, service, arguments{argReadTimeout: "50s"})
		answers := e.readAll(t, 40, eachGroup(0, 40))
		late := 0
		for _, a := range answers {
			if a.state == nil {
				expectError(t, a.diagnostics, "", summaryRateLimited, "429 Too Many Requests")
				late++
			}
		}
		if late == 0 || late == 40 {
			t.Errorf("%d of 40 had no turn", late)
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
				e := inMemory(t, service, nil)
				_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": groupID(0)})
				if len(diagnostics) != 1 {
					t.Fatalf("%v", diagnostics)
				}
				if tokens := inner.Count(sandbox.RouteToken); reads != test.reads || tokens != test.tokens {
					t.Errorf("%d reads and %d tokens, want %d and %d", reads, tokens, test.reads, test.tokens)
				}
			})
		})
	}
}

// The back-off of a 429 without a header goes on doubling while other reads
// succeed.
func TestTheBackOffOfARefusalIsItsOwn(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 30))
		refusal := limited(sandbox.RouteGroup, "-", 3)
		refusal.Path = "/v1/model-group/" + groupID(0)
		service.Inject(refusal)
		e := inMemory(t, service, nil)
		first := e.start(t, eachGroup(0, 1)[0])
		for _, r := range eachGroup(1, 30) {
			time.Sleep(400 * time.Millisecond)
			e.start(t, r)
		}
		<-first.done
		expectAllRead(t, []answer{first.answer})
		var at []time.Time
		for _, r := range service.Requests() {
			if r.Path == refusal.Path {
				at = append(at, r.At)
			}
		}
		for i, least := range []time.Duration{1 * sec, 2 * sec, 4 * sec} {
			if got := at[i+1].Sub(at[i]); got < least {
				t.Errorf("wait %d took %s, want at least %s", i+1, got, least)
			}
		}
		time.Sleep(time.Minute)
	})
}

// A token's life counts from when it was asked for: an answer that takes long
// leaves less of it.
func TestATokenAgesOnItsWay(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default(), sandbox.WithTokenLife(20*sec))
		service.Inject(sandbox.Fault{Route: sandbox.RouteToken, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
			time.Sleep(15 * sec) // issued, then slow on its way
			return status, header, body
		}})
		e := inMemory(t, service, arguments{argSnapshot: false})
		for range 4 {
			e.mustRead(t, "model_group", arguments{"id": mainGroup})
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
	for name, option := range map[string]sandbox.Option{
		"415":                    sandbox.WithTokenRefusal(sandbox.RefuseMediaType),
		"invalid_request":        sandbox.WithTokenRefusal(sandbox.RefuseInvalidRequest),
		"unsupported_grant_type": sandbox.WithTokenRefusal(sandbox.RefuseGrantType),
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 20), sandbox.WithTokenFormat(sandbox.TokenJSON), option, sandbox.WithTokenLife(10*sec))
				e := inMemory(t, service, nil)
				expectAllRead(t, e.readAll(t, 20, eachGroup(0, 10)))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 10})
				time.Sleep(20 * sec)
				expectAllRead(t, e.readAll(t, 20, eachGroup(10, 20)))
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
		e := inMemory(t, service, arguments{argReadTimeout: "60s", argRequestTimeout: "10m", argSnapshot: true})
		first := e.start(t, mainReading)
		time.Sleep(10 * sec)
		var later []*reader
		for range 20 {
			later = append(later, e.start(t, mainReading))
		}
		<-first.done
		for _, r := range later {
			<-r.done
			expectAllRead(t, []answer{r.answer})
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2})
	})
}

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
			"A token is asked for: there is none yet.",
			"POST /v1/auth/token 200 in 0 ms, attempt 1",
			"GET " + mainPath + " 429 in 0 ms, attempt 1",
			"was answered with 429: every request waits 3s.",
			"503 in 0 ms, attempt 2",
			"because it failed",
			"was answered with 401: the token is not used again.",
			"A token is asked for: the last one was refused.",
			"GET " + mainPath + " 200 in 0 ms, attempt 4",
		} {
			if !slices.ContainsFunc(said, func(message string) bool { return strings.Contains(message, want) }) {
				t.Errorf("no line says %q:\n%s", want, fmt.Sprint(said))
			}
		}
	})
}
