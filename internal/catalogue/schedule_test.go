package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// reply is what a scripted service answers, after a while.
type reply struct {
	status int // 0 for 200
	header http.Header
	body   string
	after  time.Duration
}

// script is a service as a transport, without a network: it runs on the fake clock
// and keeps what arrived.
type script struct {
	token func(n int) reply // the n-th request for a token, from 1
	read  func(n int, r *http.Request) reply

	mu            sync.Mutex
	tokens, reads int
	arrived       []time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.arrived = append(s.arrived, time.Now())
	var answer reply
	if r.Method == http.MethodPost {
		s.tokens++
		answer = issue(s.tokens, 0)
		if s.token != nil {
			answer = s.token(s.tokens)
		}
	} else {
		s.reads++
		answer = reply{body: `{"id":"a","revision":1}`}
		if s.read != nil {
			answer = s.read(s.reads, r)
		}
	}
	s.mu.Unlock()
	if answer.status == 0 {
		answer.status = http.StatusOK
	}
	if answer.header == nil {
		answer.header = http.Header{}
	}
	select {
	case <-time.After(answer.after):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{
		StatusCode: answer.status, Header: answer.header, Body: io.NopCloser(strings.NewReader(answer.body)), ContentLength: -1, Request: r,
	}, nil
}

func (s *script) counts() (tokens, reads int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens, s.reads
}

// issue is the n-th token; a life of 0 is not told.
func issue(n int, life time.Duration) reply {
	expires := ""
	if life > 0 {
		expires = fmt.Sprintf(`,"expires_in":%d`, int(life.Seconds()))
	}
	return reply{body: fmt.Sprintf(`{"access_token":"bearer-%d","token_type":"bearer"%s}`, n, expires)}
}

func (r reply) in(after time.Duration) reply { r.after = after; return r }

func refuse(status int) reply { return reply{status: status, body: `{"code":"X","message":"No."}`} }

func limitedFor(seconds int) reply {
	r := refuse(http.StatusTooManyRequests)
	r.header = http.Header{"Retry-After": {fmt.Sprint(seconds)}}
	return r
}

// over makes a client of the script.
func over(s *script, change func(*Config)) *Client {
	base, _ := url.Parse("https://catalogue.example.com")
	cfg := Config{
		BaseURL: base, ClientID: "id", ClientSecret: "a secret", RequestTimeout: 30 * time.Second, ReadTimeout: 5 * time.Minute,
		MaxRetries: 4, Snapshot: true, Transport: s, Jitter: func() float64 { return 0 },
	}
	if change != nil {
		change(&cfg)
	}
	return New(cfg)
}

func onFakeClock(t *testing.T, test func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// readAll reads so many groups at once and returns their errors.
func readAll(t *testing.T, c *Client, n int) []error {
	t.Helper()
	failures := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { _, failures[i] = c.LatestModel(t.Context(), fmt.Sprintf("group-%d", i)) })
	}
	all.Wait()
	return failures
}

func expectRead(t *testing.T, failures []error) {
	t.Helper()
	for i, err := range failures {
		if err != nil {
			t.Fatalf("read %d: %v", i, err)
		}
	}
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
				return reply{body: `{"id":"a","revision":1}`}
			},
		}
		c := over(s, nil)
		failures := make([]error, 2)
		var all sync.WaitGroup
		all.Go(func() { _, failures[0] = c.LatestModel(t.Context(), "a") })
		time.Sleep(10200 * time.Millisecond)
		all.Go(func() { _, failures[1] = c.LatestModel(t.Context(), "b") })
		all.Wait()
		expectRead(t, failures)
	})
}

// Where no token tells its life and each comes too late to be sure of it, the third
// refusal of one read is the proof.
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
		s := &script{token: func(n int) reply {
			issued[fmt.Sprintf("Bearer bearer-%d", n)] = time.Now()
			return issue(n, 0)
		}}
		s.read = func(_ int, r *http.Request) reply {
			if time.Since(issued[r.Header.Get("Authorization")]) >= time.Second {
				return refuse(401)
			}
			return reply{body: `{"id":"a","revision":1}`}
		}
		c := over(s, func(cfg *Config) { cfg.Ceiling = pace.Limit{Requests: 3, Per: 2500 * time.Millisecond} })
		for _, err := range readAll(t, c, 30) {
			if _, rejected := errors.AsType[*RejectedError](err); rejected {
				t.Fatal(err)
			}
		}
	})
}

// A read that comes late in an outage of the token endpoint has all its retries.
func TestFailuresForATokenCountFromWhenAReadCame(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		began := time.Now()
		s := &script{token: func(n int) reply {
			if time.Since(began) < 20*time.Second {
				return refuse(503)
			}
			return issue(n, time.Hour)
		}}
		c := over(s, nil)
		var early, late error
		var all sync.WaitGroup
		all.Go(func() { _, early = c.LatestModel(t.Context(), "early") })
		time.Sleep(14 * time.Second)
		all.Go(func() { _, late = c.LatestModel(t.Context(), "late") })
		all.Wait()
		if gaveUp, ok := errors.AsType[*GaveUpError](early); !ok || gaveUp.Attempts != 5 {
			t.Errorf("the early read: %v, want one that gave up after 5 attempts", early)
		}
		expectRead(t, []error{late})
	})
}

// Where the token endpoint takes longer than a token lives, each token serves one
// read. Nothing asks without end.
func TestATokenThatIsOverWhenItComesServesOneRead(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{token: func(n int) reply { return issue(n, 5*time.Second).in(6 * time.Second) }}
		expectRead(t, readAll(t, over(s, nil), 5))
		if tokens, reads := s.counts(); tokens != 5 || reads != 5 {
			t.Errorf("%d tokens and %d reads, want 5 and 5", tokens, reads)
		}
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
		if tokens, reads := s.counts(); tokens != 3 || reads != 0 {
			t.Errorf("%d tokens and %d reads, want 3 and 0", tokens, reads)
		}
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
					return reply{body: `{"id":"a","revision":1}`, after: 20 * time.Millisecond}
				},
			}
			c := over(s, nil)
			for range 10 {
				for _, err := range readAll(t, c, 10) {
					if _, rejected := errors.AsType[*RejectedError](err); rejected {
						t.Fatalf("plan %d: %v", plan, err)
					}
				}
			}
		}
	})
}

// Revoked while a run is under way: two replacements in a row, with the back-off
// between them, then nothing more.
func TestARevocationInTheMiddleIsProvenByTwoReplacements(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{
			token: func(n int) reply { return issue(n, time.Hour) },
			read: func(n int, _ *http.Request) reply {
				if n > 1 {
					return refuse(401)
				}
				return reply{body: `{"id":"a","revision":1}`}
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
		_, _ = c.LatestModel(t.Context(), "c")
		if tokens, reads := s.counts(); tokens != 3 || reads != 4 {
			t.Errorf("%d tokens and %d reads, want 3 and 4", tokens, reads)
		}
	})
}

// An access token is the only one there is: nothing is asked for, and one 401 is final.
func TestAGivenAccessTokenIsTheOnlyOne(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{read: func(n int, r *http.Request) reply {
			if r.Header.Get("Authorization") != "Bearer given-token" {
				return refuse(500)
			}
			if n > 3 {
				return refuse(401)
			}
			return reply{body: `{"id":"a","revision":1}`}
		}}
		c := over(s, func(cfg *Config) { cfg.ClientID, cfg.ClientSecret, cfg.AccessToken = "", "", "given-token" })
		expectRead(t, readAll(t, c, 3))
		for range 3 {
			_, err := c.LatestModel(t.Context(), "d")
			if rejected, ok := errors.AsType[*RejectedError](err); !ok || !rejected.Given {
				t.Fatalf("%v, want a rejection of the token that was given", err)
			}
		}
		if tokens, reads := s.counts(); tokens != 0 || reads != 4 {
			t.Errorf("%d tokens and %d reads, want 0 and 4", tokens, reads)
		}
	})
}

// Callers who share a call keep their own time and their own attempts.
func TestACallerWhoJoinsHasHisOwnAttemptsAndTime(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{read: func(n int, _ *http.Request) reply {
			if n <= 5 {
				return refuse(503)
			}
			return reply{body: `{"id":"a","revision":1}`}
		}}
		c := over(s, nil)
		var first, second error
		var all sync.WaitGroup
		all.Go(func() { _, first = c.LatestModel(t.Context(), "a") })
		time.Sleep(10 * time.Second) // in the back-off before the fifth attempt
		all.Go(func() { _, second = c.LatestModel(t.Context(), "a") })
		all.Wait()
		if gaveUp, ok := errors.AsType[*GaveUpError](first); !ok || gaveUp.Attempts != 5 || gaveUp.Elapsed != 15*time.Second {
			t.Errorf("the first caller: %v, want 5 attempts in 15s", first)
		}
		expectRead(t, []error{second})

		s.read = func(int, *http.Request) reply { return reply{after: time.Hour} }
		all.Go(func() { _, first = c.LatestModel(t.Context(), "b") })
		time.Sleep(20 * time.Second)
		short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, second = c.LatestModel(short, "b")
		if gaveUp, ok := errors.AsType[*GaveUpError](second); !ok || gaveUp.Elapsed != 3*time.Second {
			t.Errorf("the second caller: %v, want his own 3s", second)
		}
		all.Wait()
	})
}

// A pause is a reader's cause only if it lasted while he waited.
func TestAPauseThatIsOverIsNobodysCause(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{read: func(n int, r *http.Request) reply {
			if n == 1 {
				return limitedFor(2)
			}
			if strings.Contains(r.URL.Path, "slow") {
				return reply{after: time.Hour}
			}
			return reply{body: `{"id":"a","revision":1}`}
		}}
		c := over(s, func(cfg *Config) { cfg.ReadTimeout = 10 * time.Second })
		expectRead(t, readAll(t, c, 1))
		time.Sleep(time.Minute)
		_, err := c.LatestModel(t.Context(), "slow")
		if errors.Is(err, ErrRateLimited) {
			t.Errorf("%v, though no pause lasted", err)
		}
	})
}

// A few slow answers after a refusal keep no other read from being sent.
func TestSlowReadsHoldNothingUp(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{}
		s.read = func(n int, r *http.Request) reply {
			switch {
			case n <= 4:
				return limitedFor(2).in(20 * time.Millisecond)
			case strings.HasSuffix(r.URL.Path, "group-0/latest-model"), strings.HasSuffix(r.URL.Path, "group-1/latest-model"):
				return reply{after: time.Hour}
			}
			return reply{body: `{"id":"a","revision":1}`, after: 20 * time.Millisecond}
		}
		c := over(s, func(cfg *Config) { cfg.MaxRetries = 0 })
		var slow sync.WaitGroup
		for i := range 2 {
			slow.Go(func() { _, _ = c.LatestModel(t.Context(), fmt.Sprintf("group-%d", i)) })
		}
		began := time.Now()
		failures := make([]error, 24)
		var all sync.WaitGroup
		turns := make(chan struct{}, 4)
		for i := range failures {
			turns <- struct{}{}
			all.Go(func() {
				defer func() { <-turns }()
				_, failures[i] = c.LatestModel(t.Context(), fmt.Sprintf("group-%d", i+2))
			})
		}
		all.Wait()
		expectRead(t, failures)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("24 healthy reads took %s beside two slow ones", took)
		}
		slow.Wait()
	})
}

// An interrupt tells what was waited for.
func TestAnInterruptTellsWhatItWaitedFor(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			first     reply
			waits     string
			remaining time.Duration
		}{
			"a back-off": {first: refuse(503), waits: "its back-off", remaining: 500 * time.Millisecond},
			"a pause":    {first: limitedFor(30), waits: "the pause that the service asked for", remaining: 29500 * time.Millisecond},
			"an answer":  {first: reply{after: time.Hour}},
		} {
			s := &script{read: func(int, *http.Request) reply { return test.first }}
			ctx, interrupt := context.WithCancel(t.Context())
			time.AfterFunc(500*time.Millisecond, interrupt)
			_, err := over(s, nil).LatestModel(ctx, "a")
			left, ok := errors.AsType[*InterruptedError](err)
			if !ok || !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v, want an interrupt", name, err)
			}
			if left.WaitingFor != test.waits || left.Remaining != test.remaining || left.Attempts != 1 {
				t.Errorf("%s: %+v", name, left)
			}
		}
	})
}

// A kept answer cannot prove that something is absent.
func TestAnAbsenceIsAskedForOnceMore(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		revisions := 1
		s := &script{}
		s.read = func(int, *http.Request) reply {
			models := make([]string, 0, revisions)
			for i := range revisions {
				models = append(models, fmt.Sprintf(`{"id":"%d","revision":%[1]d}`, i+1))
			}
			return reply{body: "[" + strings.Join(models, ",") + "]", after: time.Millisecond}
		}
		c := over(s, nil)
		has := func(n int) func([]*Model) bool { return func(models []*Model) bool { return len(models) >= n } }
		expect := func(what string, n, models, reads int) {
			t.Helper()
			got, err := c.ModelsWith(t.Context(), "a", has(n))
			if err != nil || len(got) != models {
				t.Fatalf("%s: %d models and %v, want %d", what, len(got), err, models)
			}
			if _, came := s.counts(); came != reads {
				t.Errorf("%s: %d reads so far, want %d", what, came, reads)
			}
			time.Sleep(time.Millisecond)
		}
		expect("the first answer is its own", 2, 1, 1)
		expect("what is there is kept", 1, 1, 1)
		revisions = 2
		expect("what was published is seen", 2, 2, 2)
		expect("and kept", 2, 2, 2)

		var all sync.WaitGroup
		for range 200 {
			all.Go(func() { _, _ = c.ModelsWith(t.Context(), "a", has(3)) })
		}
		all.Wait()
		if _, came := s.counts(); came != 3 {
			t.Errorf("%d reads, want one more for all who miss it", came)
		}
	})
}

// A connection that was closed before the first byte is one more admission at once,
// once for a read, and costs no retry.
func TestAClosedConnectionIsOneMoreAdmission(t *testing.T) {
	t.Parallel()
	closedConnection := &NetworkError{ConnectionClosed: true, Err: io.EOF}
	synctest.Test(t, func(t *testing.T) {
		c := over(&script{}, func(cfg *Config) { cfg.MaxRetries = 0 })
		failures := 0
		_, err := c.models.get(deadline(t), c.schedule, "key", nil, func(*permit) (*Model, error) {
			if failures++; failures == 1 {
				return nil, closedConnection
			}
			return &Model{}, nil
		})
		if err != nil || failures != 2 {
			t.Errorf("%v after %d requests, want an answer to the second", err, failures)
		}
		failures = 0
		_, err = c.models.get(deadline(t), c.schedule, "other", nil, func(*permit) (*Model, error) {
			failures++
			return nil, closedConnection
		})
		if gaveUp, ok := errors.AsType[*GaveUpError](err); !ok || failures != 2 {
			t.Errorf("%v (%v) after %d requests, want the end after the second", err, gaveUp, failures)
		}
	})
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A log that blocks holds no request up.
func TestALogThatBlocksHoldsNothingUp(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{token: func(n int) reply { return issue(n, 2*time.Second) }}
		s.read = func(int, *http.Request) reply {
			return reply{body: `{"id":"a","revision":1}`, after: 100 * time.Millisecond}
		}
		c := over(s, func(cfg *Config) { cfg.Note = func(context.Context, string) { time.Sleep(3 * time.Second) } })
		began := time.Now()
		expectRead(t, readAll(t, c, 5))
		for _, arrived := range s.arrived {
			if after := arrived.Sub(began); after > 0 {
				t.Errorf("a request arrived after %s", after)
			}
		}
	})
}

func TestWhatProvesARejection(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	second := func(change func(*token)) *token {
		issued := &token{number: 2, requestedAt: at, replacement: true}
		if change != nil {
			change(issued)
		}
		return issued
	}
	for name, test := range map[string]struct {
		last    *token
		after   time.Duration // it was asked for
		earlier []*token      // refused to the same read
		tokens  tokens
		want    bool
	}{
		"sent at once":                            {last: second(nil), want: true},
		"of unknown life, sent after a second":    {last: second(nil), after: time.Second},
		"within its life":                         {last: second(func(t *token) { t.life = time.Minute }), after: 59 * time.Second, want: true},
		"its life was over":                       {last: second(func(t *token) { t.life = time.Minute }), after: time.Minute},
		"it served a read":                        {last: second(func(t *token) { t.served = true })},
		"asked for because the last one ended":    {last: second(func(t *token) { t.replacement = false })},
		"asked for before the read's own refusal": {last: second(func(t *token) { t.requestedAt = at.Add(-time.Second) })},
		"the third, none served":                  {last: second(nil), after: time.Hour, earlier: []*token{{}}, want: true},
		"the third, one served":                   {last: second(nil), after: time.Hour, earlier: []*token{{served: true}}},
		"tokens have served, the first in a row":  {last: second(nil), tokens: tokens{served: true, refused: 1}},
		"tokens have served, the second in a row": {last: second(nil), tokens: tokens{served: true, refused: 2}, want: true},
		"given by the configuration":              {last: &token{given: true, served: true}, want: true},
	} {
		refused := refusals{tokens: append(append([]*token{{number: 1}}, test.earlier...), test.last), first: at}
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
		if !issued.serve(at.Add(want - 1)) {
			t.Errorf("a life of %s: it does not serve a moment before %s", life, want)
		}
		if issued.serve(at.Add(want)) {
			t.Errorf("a life of %s: it still serves at %s", life, want)
		}
	}
	if endless := (tokens{current: &token{requestedAt: at}}); !endless.serve(at.Add(1000 * time.Hour)) {
		t.Error("a token of unknown life serves until it is refused")
	}
	if (&tokens{}).serve(at) {
		t.Error("no token serves")
	}
}
