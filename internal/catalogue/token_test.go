package catalogue_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

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

// A read that backs off fails at once if the token that another waits for comes after its time.
func TestATokenThatComesTooLate(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{
			token: func(n int) reply {
				if n == 2 {
					return retryAfter(503, "600")
				}
				return issue(n, 0)
			},
			read: func(n int, _ *http.Request) reply {
				answers := []reply{retryAfter(503, "30"), answered(401), found}
				return answers[n-1]
			},
		}
		c := over(t, s, readTimeout(time.Hour))
		backsOff := group("brief").within(5*time.Minute).start(t, c)
		theGroup.mustRead(t, c)
		a := backsOff.end()
		expectEnd(t, []readResult{a}, ending{Cause: waitTooLong, Attempts: 1, Wait: 600 * sec})
		if a.took > 0 {
			t.Errorf("it took %s", a.took)
		}
	})
}

// revoking is a service that rejects the tokens with these numbers, each after a while, and serves with every other.
func revoking(life time.Duration, after map[string]time.Duration) *service {
	return &service{
		token: func(n int) reply { return issue(n, life) },
		read: func(_ int, r *http.Request) reply {
			if d, rejects := after[r.Header.Get("Authorization")]; rejects {
				return answered(http.StatusUnauthorized).in(d)
			}
			return found
		},
	}
}

// A token in the place of a rejected one proves a rejection, even if it is over when its 401 comes, and the next one is
// there already.
func TestATokenThatIsOverProvesARejection(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := revoking(10*sec, map[string]time.Duration{"Bearer bearer-1": 0, "Bearer bearer-2": 12 * sec, "Bearer bearer-3": ages})
		c := over(t, s)
		first := group("first").start(t, c)
		time.Sleep(10 * sec)
		second := group("second").start(t, c)
		expectKind(t, []readResult{first.end()}, kindRejected)
		expectKind(t, readAll(t, c, 1, eachGroup(0, 3)), kindRejected)
		s.expectCounts(t, 3, 3)
		second.cancel()
		second.end()
	})
}

// The words of the 401 that proves a rejection answer every read. They are waited for three seconds.
func TestAProofWithoutItsBody(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(n int, _ *http.Request) reply {
			r := answered(http.StatusUnauthorized)
			if n > 1 {
				r.stall = ages
			}
			return r
		}}
		a := theGroup.read(t, over(t, s))
		expectKind(t, []readResult{a}, kindRejected)
		if a.took != 3*sec {
			t.Errorf("it took %s", a.took)
		}
	})
}

// A read whose tokens are rejected once more than it renews them is told so. Others go on: the tokens serve them.
func TestAReadThatIsRejectedOnceMore(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{read: func(_ int, r *http.Request) reply {
			if r.URL.Path == "/v1/model-group/the-group" {
				return answered(http.StatusUnauthorized).in(2 * sec)
			}
			return found.in(sec)
		}}
		c := over(t, s, afresh())
		rejected := theGroup.start(t, c)
		for range 20 {
			group("other").mustRead(t, c)
		}
		expectKind(t, []readResult{rejected.end()}, kindRenewals)
	})
}

// A token that no read waits for any more holds none: one that backs off requests it when its turn comes.
func TestATokenThatNoReadWaitsFor(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{
			token: func(n int) reply {
				if n == 2 {
					return retryAfter(503, "600")
				}
				return issue(n, 0)
			},
			read: func(n int, _ *http.Request) reply {
				return []reply{retryAfter(503, "30"), answered(401), found}[n-1]
			},
		}
		c := over(t, s)
		backsOff := group("backs off").start(t, c)
		expectKind(t, []readResult{group("brief").within(10*sec).read(t, c)}, kindUnavailable)
		a := backsOff.end()
		expectAllRead(t, []readResult{a})
		if a.took != 30*sec {
			t.Errorf("it took %s", a.took)
		}
		s.expectCounts(t, 3, 3)
	})
}
