package catalogue_test

import (
	"context"
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
		brief := func(ctx context.Context, c *catalogue.Client) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
			defer cancel()
			return c.ModelGroup(ctx, "brief")
		}
		backsOff := reading(brief).start(t, c)
		theGroup.mustRead(t, c)
		a := backsOff.end()
		expectEnd(t, []readResult{a}, ending{Cause: waitTooLong, Attempts: 1, Wait: 600 * sec})
		if a.took > 0 {
			t.Errorf("it took %s", a.took)
		}
	})
}
