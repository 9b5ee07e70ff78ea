package catalogue

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// found is the answer to a read.
var found = reply{body: `{"id":"a","revision":1}`}

func expectCounts(t *testing.T, s *script, tokens, reads int) {
	t.Helper()
	if gotTokens, gotReads := s.counts(); gotTokens != tokens || gotReads != reads {
		t.Errorf("%d tokens and %d reads, want %d and %d", gotTokens, gotReads, tokens, reads)
	}
}

// expectNoRejection takes any error but that the credentials are rejected.
func expectNoRejection(t *testing.T, failures []error) {
	t.Helper()
	for _, err := range failures {
		if _, rejected := errors.AsType[*RejectedError](err); rejected {
			t.Fatal(err)
		}
	}
}

// readTwo reads a group, and after a while another one.
func readTwo(t *testing.T, c *Client, later time.Duration) (first, second error) {
	t.Helper()
	var all sync.WaitGroup
	all.Go(func() { _, first = c.LatestModel(t.Context(), "a") })
	time.Sleep(later)
	_, second = c.LatestModel(t.Context(), "b")
	all.Wait()
	return first, second
}

// A token that was asked for because the last one ended is no replacement, even
// where a 401 comes before it does: a restart of the service rejects nobody.
func TestATokenIsAReplacementFromWhenItIsAskedFor(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{
			token: func(n int) reply { return issue(n, 10*time.Second).in(time.Second) },
			read: func(_ int, r *http.Request) reply {
				switch r.Header.Get("Authorization") {
				case "Bearer bearer-1": // refused while the next one is asked for
					return refuse(401).in(9500 * time.Millisecond)
				case "Bearer bearer-2": // forgotten by the restart
					return refuse(401)
				}
				return found
			},
		}
		first, second := readTwo(t, over(s, nil), 10200*time.Millisecond)
		expectRead(t, []error{first, second})
	})
}

// Where no token tells its life and each comes too late to be sure of it, the third refusal of one read is the proof.
func TestRefusalsWithoutAProofEnd(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{
			token: func(n int) reply { return issue(n, 0).in(3 * time.Second) },
			read:  func(int, *http.Request) reply { return refuse(401).in(50 * time.Millisecond) },
		}
		for _, err := range readAll(t, over(s, nil), 20) {
			if rejected, ok := errors.AsType[*RejectedError](err); !ok || !rejected.Issued {
				t.Fatalf("%v, want a rejection of tokens that were issued", err)
			}
		}
		if tokens, reads := s.counts(); tokens != 3 || reads > 60 {
			t.Errorf("%d tokens and %d reads, want 3 and at most 60", tokens, reads)
		}
	})
}

// Tokens of a second that do not tell it run out while reads wait for their turn:
// that rejects nobody whose tokens serve reads.
func TestShortTokensThatTellNoLifeRejectNobody(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		issued := map[string]time.Time{}
		s := &script{
			token: func(n int) reply {
				issued[fmt.Sprintf("Bearer bearer-%d", n)] = time.Now()
				return issue(n, 0)
			},
			read: func(_ int, r *http.Request) reply {
				if time.Since(issued[r.Header.Get("Authorization")]) >= time.Second {
					return refuse(401)
				}
				return found
			},
		}
		c := over(s, func(cfg *Config) { cfg.Ceiling = pace.Limit{Requests: 3, Per: 2500 * time.Millisecond} })
		expectNoRejection(t, readAll(t, c, 30))
	})
}

// A read that comes late in an outage of the token endpoint has all its retries.
func TestFailuresForATokenCountFromWhenAReadCame(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		began := time.Now()
		c := over(&script{token: func(n int) reply {
			if time.Since(began) < 20*time.Second {
				return refuse(503)
			}
			return issue(n, time.Hour)
		}}, nil)
		early, late := readTwo(t, c, 14*time.Second)
		if gaveUp, ok := errors.AsType[*GaveUpError](early); !ok || gaveUp.Attempts != 5 {
			t.Errorf("the early read: %v, want one that gave up after 5 attempts", early)
		}
		expectRead(t, []error{late})
	})
}

// Where the token endpoint takes longer than a token lives, each token serves one read. Nothing asks without end.
func TestATokenThatIsOverWhenItComesServesOneRead(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{token: func(n int) reply { return issue(n, 5*time.Second).in(6 * time.Second) }}
		expectRead(t, readAll(t, over(s, nil), 5))
		expectCounts(t, s, 5, 5)
	})
}

// A ceiling keeps the read from following its token, and the token is over by then.
func TestTokensThatServeNoReadEndInAnError(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{token: func(n int) reply { return issue(n, time.Second).in(2 * time.Second) }}
		c := over(s, func(cfg *Config) { cfg.Ceiling = pace.Limit{Requests: 1, Per: 8 * time.Second} })
		_, err := c.LatestModel(t.Context(), "a")
		if problem, ok := errors.AsType[*TokenError](err); !ok || !strings.Contains(problem.Problem, "over before it came") {
			t.Errorf("%v, want an error about tokens that are over", err)
		}
		expectCounts(t, s, 3, 0)
	})
}

// One instance behind a load balancer refuses whatever it is sent.
func TestAStrayInstanceRejectsNobody(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		for plan := range 50 {
			s := &script{
				token: func(n int) reply { return issue(n, time.Hour) },
				read: func(n int, _ *http.Request) reply {
					if (n*7919+plan*104729)%20 == 0 {
						return refuse(401).in(20 * time.Millisecond)
					}
					return found.in(20 * time.Millisecond)
				},
			}
			c := over(s, nil)
			for range 10 {
				expectNoRejection(t, readAll(t, c, 10))
			}
		}
	})
}

// Revoked while a run is under way: two replacements in a row, with the back-off between them, then nothing more.
func TestARevocationInTheMiddleIsProvenByTwoReplacements(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{
			token: func(n int) reply { return issue(n, time.Hour) },
			read: func(n int, _ *http.Request) reply {
				if n > 1 {
					return refuse(401)
				}
				return found
			},
		}
		c := over(s, nil)
		expectRead(t, readAll(t, c, 1))
		began := time.Now()
		_, err := c.LatestModel(t.Context(), "b")
		if _, rejected := errors.AsType[*RejectedError](err); !rejected {
			t.Fatalf("%v, want a rejection", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %s, want the back-off of 1s", took)
		}
		for _, group := range []string{"c", "group-0"} { // the second has been read
			_, err := c.LatestModel(t.Context(), group)
			if _, rejected := errors.AsType[*RejectedError](err); !rejected {
				t.Errorf("%s after the end: %v", group, err)
			}
		}
		expectCounts(t, s, 3, 4)
	})
}

// An access token is the only one there is: nothing is asked for, and one 401 is final.
func TestAGivenAccessTokenIsTheOnlyOne(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{read: func(n int, r *http.Request) reply {
			switch {
			case r.Header.Get("Authorization") != "Bearer given-token":
				return refuse(500)
			case n > 3:
				return refuse(401)
			}
			return found
		}}
		c := over(s, func(cfg *Config) { cfg.ClientID, cfg.ClientSecret, cfg.AccessToken = "", "", "given-token" })
		expectRead(t, readAll(t, c, 3))
		for range 3 {
			_, err := c.LatestModel(t.Context(), "d")
			if rejected, ok := errors.AsType[*RejectedError](err); !ok || !rejected.Given {
				t.Fatalf("%v, want a rejection of the token that was given", err)
			}
		}
		expectCounts(t, s, 0, 4)
	})
}

func TestWhatProvesARejection(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	second := func(change func(*token)) *token {
		issued := &token{requestedAt: at, replacement: true}
		change(issued)
		return issued
	}
	as := func(*token) {}
	minute := func(t *token) { t.life = time.Minute }
	for name, test := range map[string]struct {
		last    *token
		after   time.Duration // it was asked for
		earlier []*token      // refused to the same read
		tokens  tokens
		want    bool
	}{
		"sent at once":                            {second(as), 0, nil, tokens{}, true},
		"of unknown life, sent after a second":    {second(as), time.Second, nil, tokens{}, false},
		"within its life":                         {second(minute), 59 * time.Second, nil, tokens{}, true},
		"its life was over":                       {second(minute), time.Minute, nil, tokens{}, false},
		"it was over when it came":                {second(func(t *token) { t.over = true }), 0, nil, tokens{}, false},
		"it served a read":                        {second(func(t *token) { t.served = true }), 0, nil, tokens{}, false},
		"asked for because the last one ended":    {second(func(t *token) { t.replacement = false }), 0, nil, tokens{}, false},
		"asked for before the read's own refusal": {second(func(t *token) { t.requestedAt = at.Add(-time.Second) }), 0, nil, tokens{}, false},
		"the third, none served":                  {second(as), time.Hour, []*token{{}}, tokens{}, true},
		"the third, one served":                   {second(as), time.Hour, []*token{{served: true}}, tokens{}, false},
		"tokens have served, the first in a row":  {second(as), 0, nil, tokens{served: true, refused: 1}, false},
		"tokens have served, the second in a row": {second(as), 0, nil, tokens{served: true, refused: 2}, true},
		"given by the configuration":              {&token{given: true, served: true}, 0, nil, tokens{}, true},
	} {
		refused := refusals{tokens: append(append([]*token{{}}, test.earlier...), test.last), first: at}
		if got := test.tokens.provesRejection(refused, test.last, at.Add(test.after)); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestWhenATokenServes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for life, want := range map[time.Duration]time.Duration{
		time.Hour: time.Hour - 10*time.Second, 100 * time.Second: 90 * time.Second,
		12 * time.Second: 10800 * time.Millisecond, 8 * time.Second: 7200 * time.Millisecond, time.Second: 900 * time.Millisecond,
	} {
		issued := tokens{current: &token{requestedAt: at, life: life}}
		if !issued.serve(at.Add(want-1)) || issued.serve(at.Add(want)) {
			t.Errorf("a life of %s: it does not serve until %s", life, want)
		}
	}
	if endless := (tokens{current: &token{requestedAt: at}}); !endless.serve(at.Add(1000 * time.Hour)) {
		t.Error("a token of unknown life serves until it is refused")
	}
	if (&tokens{}).serve(at) {
		t.Error("no token serves")
	}
}

// Where tokens have served, two replacements in a row have to be refused. A token that is
// asked for because the last one ended is none, and ends the row.
func TestARowOfReplacementsEndsWithATokenThatIsNone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	known := tokens{served: true, current: &token{refused: true}}
	known.drop(known.requested(at), at)
	if known.refused != 1 {
		t.Fatalf("a replacement was refused: %d in a row", known.refused)
	}
	known.requested(at)
	if known.refused != 1 {
		t.Errorf("its replacement is asked for: %d in a row", known.refused)
	}
	known.current = &token{}
	known.requested(at)
	if known.refused != 0 {
		t.Errorf("a token is asked for that is no replacement: %d in a row", known.refused)
	}
}
