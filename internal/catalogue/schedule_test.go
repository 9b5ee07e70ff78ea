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
		began := time.Now()
		all.Go(func() { _, first = c.LatestModel(t.Context(), "a") })
		time.Sleep(10 * time.Second) // in the back-off before the fifth attempt
		all.Go(func() { _, second = c.LatestModel(t.Context(), "a") })
		all.Wait()
		if gaveUp, ok := errors.AsType[*GaveUpError](first); !ok || gaveUp.Attempts != 5 || gaveUp.Elapsed != 15*time.Second {
			t.Errorf("the first caller: %v, want 5 attempts in 15s", first)
		}
		expectRead(t, []error{second})
		// The fifth attempt, at 15 s, was his first, so that he waited for one second after it.
		if got := time.Since(began); got != 16*time.Second {
			t.Errorf("the second caller has his answer after %s, want 16s", got)
		}

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
		_, err := c.models.get(deadline(t), c.schedule, Endpoint{Path: "key"}, nil, func(*permit) (*Model, error) {
			if failures++; failures == 1 {
				return nil, closedConnection
			}
			return &Model{}, nil
		})
		if err != nil || failures != 2 {
			t.Errorf("%v after %d requests, want an answer to the second", err, failures)
		}
		failures = 0
		_, err = c.models.get(deadline(t), c.schedule, Endpoint{Path: "other"}, nil, func(*permit) (*Model, error) {
			failures++
			return nil, closedConnection
		})
		if gaveUp, ok := errors.AsType[*GaveUpError](err); !ok || failures != 2 {
			t.Errorf("%v (%v) after %d requests, want the end after the second", err, gaveUp, failures)
		}
	})
}

// The run is over with the first error that ends it; until its words are read it is ending.
func TestTheRunEndsOnce(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first"), errors.New("second")
	for name, test := range map[string]struct {
		run     run
		running bool
		finish  error
	}{
		"running":                            {run{}, true, second},
		"ending":                             {run{proof: &permit{}}, false, second},
		"ended":                              {run{proof: &permit{}, end: first}, false, first},
		"ended by another answer than a 401": {run{end: first}, false, first},
	} {
		if got := test.run.running(); got != test.running {
			t.Errorf("%s: running %t", name, got)
		}
		if test.run.finish(second); !errors.Is(test.run.end, test.finish) || test.run.running() {
			t.Errorf("%s: it ends with %v", name, test.run.end)
		}
	}
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
