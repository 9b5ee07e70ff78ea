package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// A token is renewed before its end, by the lesser of 10 s and a tenth of its life, which begins when it is requested.
// A life under 10 s counts as absent: then a token serves until it is rejected.
func TestWhenATokenIsRenewed(t *testing.T) {
	eachOnFakeClock(t, map[string]struct{ life, renewed time.Duration }{
		"an hour":       {time.Hour, time.Hour - 10*sec},
		"100 s":         {100 * sec, 90 * sec},
		"20 s":          {20 * sec, 18 * sec},
		"10 s":          {10 * sec, 9 * sec},
		"9 s":           {9 * sec, 0},
		"1 s":           {1 * sec, 0},
		"it has no end": {0, 0},
	}, func(t *testing.T, r struct{ life, renewed time.Duration }) {
		s := &service{token: func(n int) reply { return issue(n, r.life).in(4 * sec) }}
		c := over(t, s, afresh())
		theGroup.mustRead(t, c)
		if r.renewed == 0 {
			time.Sleep(time.Hour)
			theGroup.mustRead(t, c)
			s.expectCounts(t, 1, 2)
			return
		}
		time.Sleep(r.renewed - 4*sec - time.Nanosecond)
		theGroup.mustRead(t, c)
		s.expectCounts(t, 1, 2)
		time.Sleep(time.Nanosecond)
		theGroup.mustRead(t, c)
		s.expectCounts(t, 2, 3)
	})
}

// A token that is over whenever its turn comes serves no read. After two of them the life of the next counts as not
// stated.
func TestTokensThatAreOverBeforeTheirTurn(t *testing.T) {
	eachOnFakeClock(t, map[string]time.Duration{
		"60 s and 1/1m":  time.Minute,
		"10 s and 1/10s": 10 * sec,
	}, func(t *testing.T, life time.Duration) {
		s := &service{}
		s.token = func(n int) reply {
			return issue(n, life)
		}
		c := over(t, s, atMost(1, life), readTimeout(time.Hour))
		expectAllRead(t, readAll(t, c, 2, eachGroup(0, 2)))
		s.expectTimes(t, true, 0, life, 2*life)
		s.expectTimes(t, false, 3*life, 4*life)
	})
}

// rejecting answers 401 to reads with one of the tokens, from 1, a second after they were sent.
func rejecting(tokens ...int) *service {
	return &service{
		token: func(n int) reply {
			return issue(n, time.Hour).in(sec)
		},
		read: func(_ int, r *http.Request) reply {
			for _, n := range tokens {
				if r.Header.Get("Authorization") == fmt.Sprintf("Bearer bearer-%d", n) {
					return answered(401).in(sec)
				}
			}
			return found.in(sec)
		},
	}
}

// However many reads are rejected with a token, one is requested in its place, and they are sent again with it.
func TestATokenIsReplacedForAll(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := rejecting(1)
		expectAllRead(t, readAll(t, over(t, s, maxRetries(0)), 20, eachGroup(0, 20)))
		s.expectCounts(t, 2, 40)
	})
}

// The credentials are rejected if a token that replaces a rejected one is rejected within a minute, before it served. If
// any token has served before, that takes two of them in a row.
func TestWhatProvesARejection(t *testing.T) {
	type row struct {
		served        bool // token 1, before it is rejected
		rejected      []int
		late          time.Duration // how long a 401 takes
		kind          errorKind
		tokens, reads int // of the read that fails
	}
	eachOnFakeClock(t, map[string]row{
		"the first":                     {false, []int{1}, sec, kindNothing, 2, 2},
		"the first two":                 {false, []int{1, 2, 3, 4}, sec, kindRejected, 2, 2},
		"one after a token that served": {true, []int{1, 2}, sec, kindNothing, 3, 3},
		"two after a token that served": {true, []int{1, 2, 3}, sec, kindRejected, 3, 3},
		"within a minute":               {false, []int{1, 2}, 50 * sec, kindRejected, 2, 2},
		"later":                         {false, []int{1, 2}, 70 * sec, kindNothing, 3, 3},
	}, func(t *testing.T, r row) {
		s := rejecting()
		c := over(t, s, requestTimeout(2*time.Minute))
		if r.served {
			theGroup.mustRead(t, c)
			s.reads = 0
		}
		s.read = func(n int, sent *http.Request) reply {
			return rejecting(r.rejected...).read(n, sent).in(r.late)
		}
		expectKind(t, []readResult{group("other").read(t, c)}, r.kind)
		s.expectCounts(t, r.tokens, r.reads)
	})
}

// A proof counts even if its token has ended and another has come by then.
func TestAProofByATokenThatEnded(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := rejecting(1, 2)
		rejected := s.read
		s.token = func(n int) reply {
			return issue(n, 20*sec)
		}
		s.read = func(n int, r *http.Request) reply {
			return rejected(n, r).in(time.Duration(n) * 10 * sec)
		}
		c := over(t, s, requestTimeout(time.Minute))
		first := theGroup.start(t, c) // rejected after 10 s, and again 20 s later
		time.Sleep(29 * sec)
		second := group("second").start(t, c)
		if a := first.end(); a.took != 30*sec {
			t.Errorf("the first read took %s", a.took)
		}
		expectKind(t, []readResult{first.readResult, group("third").read(t, c)}, kindRejected)
		expectAllRead(t, []readResult{second.end()}) // it was under way
		s.expectCounts(t, 3, 3)
	})
}

// A read that backs off fails at once if the token that another waits for comes after its time.
func TestATokenThatComesTooLate(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := rejecting(1)
		rejects := s.read
		s.token = func(n int) reply {
			if n == 2 {
				return retryAfter(503, "600")
			}
			return issue(n, time.Hour)
		}
		s.read = func(n int, r *http.Request) reply {
			if n == 1 {
				return retryAfter(503, "30")
			}
			return rejects(n, r)
		}
		c := over(t, s, readTimeout(time.Hour))
		brief := func(ctx context.Context, c *catalogue.Client) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
			defer cancel()
			return c.ModelGroup(ctx, "brief")
		}
		backsOff := reading(brief).start(t, c)
		rejected := theGroup.start(t, c)
		a := backsOff.end()
		expectEnd(t, []readResult{a}, ending{Cause: waitTooLong, Attempts: 1, Wait: 600 * sec})
		if a.took != sec {
			t.Errorf("it took %s", a.took)
		}
		expectAllRead(t, []readResult{rejected.end()})
	})
}

// After a rejection every read fails at once with the same words, wherever it waits, and nothing is sent.
func TestARejectionEndsEveryRead(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := rejecting(1, 2)
		c := over(t, s, atMost(5, 10*sec))
		answers := readAll(t, c, 40, eachGroup(0, 40))
		answers = append(answers, readAll(t, c, 1, eachGroup(40, 50))...)
		expectKind(t, answers, kindRejected, "401")
		for _, a := range answers {
			rejected, _ := errors.AsType[*catalogue.RejectedError](a.err)
			first, _ := errors.AsType[*catalogue.RejectedError](answers[0].err)
			if !rejected.Issued || rejected.Given || rejected.Error() != first.Error() {
				t.Errorf("%+v, want the words of the first: %+v", rejected, first)
			}
		}
		if s.tokens != 2 || s.reads > 8 {
			t.Errorf("%d tokens and %d reads", s.tokens, s.reads)
		}
	})
}

// An access token is the only one: no token is requested, and one 401 ends the process.
func TestAGivenAccessTokenIsTheOnlyOne(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(n int, r *http.Request) reply {
			if n > 3 || r.Header.Get("Authorization") != "Bearer given-token" {
				return answered(401)
			}
			return found
		}}
		c := over(t, s, accessToken("given-token"))
		expectAllRead(t, readAll(t, c, 3, eachGroup(0, 3)))
		answers := readAll(t, c, 1, eachGroup(3, 6))
		expectKind(t, answers, kindRejected)
		for _, a := range answers {
			if rejected, _ := errors.AsType[*catalogue.RejectedError](a.err); !rejected.Given {
				t.Errorf("%+v", rejected)
			}
		}
		s.expectCounts(t, 0, 4)
	})
}
