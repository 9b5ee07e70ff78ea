package catalogue_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// whose is the key of a reader's name in its context.
type whose struct{}

// waitLines records the lines about waits and outages: their time, whose context, and words.
func waitLines(lines *[]string) setting {
	return func(c *catalogue.Config) {
		began := time.Now()
		c.Note = func(ctx context.Context, text string) {
			if !strings.HasPrefix(text, "Requesting a token") {
				*lines = append(*lines, fmt.Sprintf("%s, %v: %s", time.Since(began), ctx.Value(whose{}), text))
			}
		}
	}
}

// named asks a question in a context with its name.
func (r reading) named(name string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) {
		return r(context.WithValue(ctx, whose{}, name), c)
	}
}

// A wait of more than ten seconds has one line when it begins, and so has a pause or gap of any length unless a logged
// wait lasts. Its context is that of the question at the head of the queue.
func TestEachWaitIsNotedOnce(t *testing.T) {
	type row struct {
		service *service
		ceiling setting
		want    []string
	}
	limits := func(waits ...string) *service {
		var replies []reply
		for i, wait := range waits {
			replies = append(replies, retryAfter(429, wait).in(time.Duration(i+1)*sec))
		}
		return inTurn(replies...)
	}
	tooLong := tooLong
	tooLong.stall = sec // until then the others wait for its body
	// Between its header and its body the next read is at the head of the queue.
	stalled := retryAfter(429, "1")
	stalled.stall = time.Millisecond
	none := atMost(0, 0)
	eachOnFakeClock(t, map[string]row{
		"a burst": {limits("53", "52", "51", "50"), none, []string{
			"1s, 0: Waiting 53s for the pause that the service asked for (status 429); after it at most 2 in flight at first",
		}},
		"a longer one after": {limits("20", "60"), none, []string{
			"1s, 0: Waiting 20s for the pause that the service asked for (status 429); after it at most 1 in flight at first",
			"2s, 0: Waiting 1m0s for the pause that the service asked for (status 429); after it at most 1 in flight at first",
		}},
		"a gap": {inTurn(stalled, stalled, stalled), none, []string{
			"0s, 1: Waiting 1s for the pause that the service asked for (status 429); after it at most 1 in flight at first",
			"1s, 1: Waiting 1s for the pause that the service asked for (status 429); after it at most 1 in flight at first",
			"2s, 1: Waiting 2s for a gap, because the service let nothing through after its pause (status 429); " +
				"after it at most 1 in flight at first",
		}},
		"too long for a read": {always(tooLong), none, []string{
			"1s, 4: The allowance is used up: reads that begin now fail at once while a pause lasts, and make one attempt otherwise",
		}},
		"max_requests":          {&service{}, atMost(3, time.Minute), []string{"0s, 2: Waiting 1m0s for max_requests (3/1m)"}},
		"max_requests, briefly": {&service{}, atMost(3, 9*sec), nil},
		"a read that backs off": {inTurn(answered(503)), none, []string{
			"0s, 0: Another attempt in 1s: GET http://localhost/v1/model-group/group-000: 503 Service Unavailable, code X: No.",
		}},
		"a token that backs off": {tokensInTurn(retryAfter(503, "20")), none, []string{
			"0s, 0: Another attempt in 20s: POST http://localhost/v1/auth/token: 503 Service Unavailable, code X: No.",
		}},
	}, func(t *testing.T, r row) {
		var lines []string
		c := over(t, r.service, r.ceiling, waitLines(&lines))
		var readers []func() readResult
		for i := range 5 {
			readers = append(readers, group(groupID(i)).named(fmt.Sprint(i)).start(t, c))
		}
		for _, reader := range readers {
			reader()
		}
		if !slices.Equal(lines, r.want) {
			t.Errorf("%q, want %q", lines, r.want)
		}
	})
}

// Lines of the log are written without the lock: Note may ask the client for the total of its pauses.
func TestNotesAreWrittenWithoutTheLock(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		var asked func()
		c := over(t, &service{}, func(config *catalogue.Config) {
			config.Note = func(context.Context, string) { asked() }
		})
		asked = func() { c.TotalPause() }
		if a := theGroup.read(t, c); a.err != nil {
			t.Error(a.err)
		}
	})
}
