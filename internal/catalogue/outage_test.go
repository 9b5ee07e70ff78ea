package catalogue_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// inTurn is a service whose reads get these replies, one after another, and then a model.
func inTurn(replies ...reply) *service {
	return &service{read: func(n int, _ *http.Request) reply {
		if n <= len(replies) {
			return replies[n-1]
		}
		return found
	}}
}

// A service that is down is back once it answers well. An answer that cannot be used does not count.
func TestAnUnusableAnswerEndsNoOutage(t *testing.T) {
	down := answered(http.StatusServiceUnavailable)
	for name, row := range map[string]struct {
		between reply
		want    ending
	}{
		"a page":    {reply{body: "<html>"}, ending{Cause: serviceDown, Attempts: 1}},
		"a refusal": {answered(http.StatusNotFound), ending{Cause: retriesUsedUp, Attempts: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				c := over(t, inTurn(down, down, row.between, down, down), maxRetries(1))
				expectEnd(t, readAll(t, c, 1, eachGroup(0, 1)), ending{Cause: retriesUsedUp, Attempts: 2})
				readAll(t, c, 1, eachGroup(1, 2))
				expectEnd(t, readAll(t, c, 1, eachGroup(2, 3)), row.want)
			})
		})
	}
}

// usedUp returns a client whose allowance is used up: a read has given up for the 429 that is the service's first answer.
func usedUp(t *testing.T, s *service, settings ...setting) *catalogue.Client {
	t.Helper()
	c := over(t, s, settings...)
	expectEnd(t, readAll(t, c, 1, eachGroup(0, 1)), ending{Cause: waitTooLong, Attempts: 1, Wait: 600 * sec})
	time.Sleep(600 * sec)
	return c
}

// While the allowance is used up, a read makes one attempt, whatever becomes of it.
func TestAFaultOfTheNetworkWhileTheAllowanceIsUsedUp(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := inTurn(retryAfter(429, "600"), reply{err: errDropped})
		c := usedUp(t, s)
		a := theGroup.read(t, c)
		expectEnd(t, []readResult{a}, ending{Cause: allowanceUsedUp, Attempts: 1})
		expectKind(t, []readResult{a}, kindNetwork)
		s.expectCounts(t, 1, 2)
	})
}

// While the allowance is used up, a 429 fails all reads that wait, even those that have time for its pause, and even
// while a token is on its way.
func TestA429ThatFitsWhileTheAllowanceIsUsedUp(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := inTurn(retryAfter(429, "600"), retryAfter(429, "5").in(20*sec))
		s.token = func(n int) reply {
			if n == 1 {
				return issue(n, 620*sec)
			}
			return issue(n, 0).in(25 * sec)
		}
		c := usedUp(t, s)
		limited := group("limited").start(t, c) // its 429 comes in 20 s
		time.Sleep(10 * sec)                    // the token is over by then
		waits := group("waits").start(t, c)
		last := group("last").start(t, c)
		answers := []readResult{limited.end(), waits.end(), last.end()}
		expectKind(t, answers, kindLimited)
		for i, a := range answers {
			if end, _ := endOf(a.err); end.Cause != allowanceUsedUp || a.took > 20*sec {
				t.Errorf("read %d: after %s: %+v", i, a.took, end)
			}
		}
	})
}

// Every read that fails with a 429 is told its words, though they come a moment after its header, and each 429 of a
// burst prolongs the pause.
func TestTheWordsOfA429AreToldToAll(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(n int, _ *http.Request) reply {
			r := retryAfter(429, "600").in(sec + time.Duration(n)*time.Millisecond)
			r.body, r.stall = `{"code":"RATE_LIMITED","message":"Enough."}`, sec/10
			return r
		}}
		answers := readAll(t, over(t, s), 40, eachGroup(0, 40))
		expectKind(t, answers, kindLimited, "code RATE_LIMITED: Enough.")
	})
}

// A 429 is known from its header. If its body does not come, its words are waited for three seconds, and no longer than
// its pause.
func TestA429WithoutItsBody(t *testing.T) {
	stalled := func(seconds string) reply {
		r := retryAfter(429, seconds)
		r.stall = ages
		return r
	}
	onlyToken := func(r reply) *service {
		return &service{token: func(n int) reply {
			if n == 1 {
				return r
			}
			return issue(n, 0)
		}}
	}
	type row struct {
		service *service
		time    time.Duration // of the read, 0 for the default
		want    errorKind
		after   time.Duration
	}
	eachOnFakeClock(t, map[string]row{
		"a read that cannot wait":     {first(1, stalled("600")), 0, kindLimited, 3 * sec},
		"a read that can":             {first(1, stalled("2")), 0, kindNothing, 2 * sec},
		"a read that has less time":   {first(1, stalled("600")), sec, kindLimited, sec},
		"a token that cannot wait":    {onlyToken(stalled("600")), 0, kindLimited, 3 * sec},
		"a token that can":            {onlyToken(stalled("2")), 0, kindNothing, 2 * sec},
		"a token, and less time left": {onlyToken(stalled("600")), sec, kindLimited, sec},
	}, func(t *testing.T, r row) {
		isUsedUp := false
		a := theGroup.read(t, over(t, r.service, func(c *catalogue.Config) {
			c.Note = func(_ context.Context, text string) {
				isUsedUp = isUsedUp || strings.HasPrefix(text, "The allowance is used up")
			}
			c.ReadTimeout = cmp.Or(r.time, c.ReadTimeout)
		}))
		expectKind(t, []readResult{a}, r.want)
		if a.took != r.after || isUsedUp != (r.want == kindLimited) {
			t.Errorf("it took %s, want %s; the allowance is used up: %t", a.took, r.after, isUsedUp)
		}
	})
}

// A code is decided as it was sent, though it is a credential, which is not shown.
func TestACodeThatIsASecret(t *testing.T) {
	token := func(r reply) *service {
		return &service{token: func(n int) reply {
			if n == 1 {
				return r
			}
			return issue(n, 0)
		}}
	}
	const disabled, unavailable, wrong = "ORGANISATION_DISABLED", "temporarily_unavailable", "invalid_client"
	type row struct {
		service       *service
		code          string
		want          errorKind
		tokens, reads int
	}
	eachOnFakeClock(t, map[string]row{
		"of a read":           {always(reply{status: 403, body: `{"code":"` + disabled + `"}`}), disabled, kindDisabled, 1, 1},
		"of a token":          {token(reply{status: 401, body: `{"error":"` + wrong + `"}`}), wrong, kindRejected, 1, 0},
		"of a token with 200": {token(reply{body: `{"error":"` + unavailable + `"}`}), unavailable, kindNothing, 2, 3},
	}, func(t *testing.T, r row) {
		c := over(t, r.service, func(c *catalogue.Config) { c.ClientSecret = r.code })
		expectKind(t, readAll(t, c, 1, eachGroup(0, 3)), r.want)
		r.service.expectCounts(t, r.tokens, r.reads)
	})
}

// within asks a question with less time than read_timeout.
func (r reading) within(d time.Duration) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return r(ctx, c)
	}
}

// A read whose time is over before the words of a 429 come is told how long it would have had to wait.
func TestATimeThatEndsBeforeTheWords(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		stalled := retryAfter(429, "600")
		stalled.stall = ages
		c := over(t, always(stalled))
		first := theGroup.start(t, c)
		a := group("other").within(sec).read(t, c)
		expectEnd(t, []readResult{a}, ending{Cause: waitTooLong, Wait: 599 * sec})
		expectKind(t, []readResult{a, first.end()}, kindLimited)
	})
}

// A read that met a pause, and whose time is over while it waits for room, is told the 429 of the pause.
func TestAPauseThatLeftNoTimeIsTold(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(n int, _ *http.Request) reply {
			if n == 1 {
				return retryAfter(429, "2")
			}
			return found.in(10 * sec)
		}}
		c := over(t, s)
		first := theGroup.start(t, c)
		a := group("other").within(3*sec).read(t, c)
		expectEnd(t, []readResult{a}, ending{Cause: timeOver})
		expectKind(t, []readResult{a}, kindLimited)
		expectAllRead(t, []readResult{first.end()})
	})
}

// Nothing is sent for a read whose time is over at the moment at which its pause is.
func TestAPauseThatEndsWithTheTime(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{token: func(int) reply { return retryAfter(429, "60") }}
		a := theGroup.read(t, over(t, s))
		expectKind(t, []readResult{a}, kindLimited)
		s.expectCounts(t, 5, 0)
	})
}

// A fault of the network that stays ends the reads that wait for a token, and not the run.
func TestATokenEndpointWithoutTLS(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{token: func(n int) reply {
			if n == 1 {
				return reply{err: tls.RecordHeaderError{}, after: sec}
			}
			return issue(n, 0)
		}}
		c := over(t, s)
		expectKind(t, readAll(t, c, 3, eachGroup(0, 3)), kindNetwork)
		theGroup.mustRead(t, c)
		s.expectCounts(t, 2, 1)
	})
}
