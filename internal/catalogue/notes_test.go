package catalogue_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// whose is the key of a reader's name in its context.
type whose struct{}

// waitLines records the lines about waits: when, in whose context, and their words.
func waitLines(lines *[]string) setting {
	return func(c *catalogue.Config) {
		began := time.Now()
		c.Note = func(ctx context.Context, text string) {
			if strings.HasPrefix(text, "Waiting") {
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

// A wait of more than ten seconds has one line when it begins, and so has each pause, in the context of the flight at
// the head of the queue.
func TestEachWaitIsNotedOnce(t *testing.T) {
	waiting := func(words, wait string, inFlight int) string {
		return fmt.Sprintf("Waiting %s for %s (status 429); after it at most %d in flight at first", wait, words, inFlight)
	}
	pause := func(wait string, inFlight int) string {
		return waiting("the pause that the service asked for", wait, inFlight)
	}
	gaps := []string{
		"0s, 1: " + pause("1s", 1),
		"1s, 1: " + pause("1s", 1),
		"2s, 1: " + waiting("a gap, because the service let nothing through after its pause", "2s", 1),
	}
	type row struct {
		service *service
		ceiling setting
		want    []string
	}
	limits := func(waits ...string) *service {
		return &service{read: func(n int, _ *http.Request) reply {
			if n <= len(waits) {
				return retryAfter(429, waits[n-1]).in(time.Duration(n) * sec)
			}
			return found
		}}
	}
	tooLong := retryAfter(429, "600")
	tooLong.stall = sec // until then the others wait to hear it
	// Between its header and its body the next read is at the head of the queue.
	stalled := retryAfter(429, "1")
	stalled.stall = time.Millisecond
	late := &service{token: func(n int) reply { // has a line of its own
		if n == 1 {
			return retryAfter(503, "20")
		}
		return issue(n, 0)
	}}
	none := atMost(0, 0)
	eachOnFakeClock(t, map[string]row{
		"a burst":                {limits("53", "52", "51", "50"), none, []string{"1s, 0: " + pause("53s", 2)}},
		"a short pause":          {limits("2"), none, []string{"1s, 0: " + pause("2s", 1)}},
		"a longer one after":     {limits("20", "60"), none, []string{"1s, 0: " + pause("20s", 1), "2s, 0: " + pause("1m0s", 1)}},
		"a gap":                  {first(3, stalled), none, gaps},
		"max_requests":           {limits(), atMost(3, time.Minute), []string{"0s, 2: Waiting 1m0s for max_requests (3/1m)"}},
		"too long for a read":    {always(tooLong), none, nil},
		"a token that backs off": {late, none, nil},
		"max_requests, briefly":  {limits(), atMost(3, 9*sec), nil},
	}, func(t *testing.T, r row) {
		var lines []string
		c := over(t, r.service, r.ceiling, waitLines(&lines))
		var readers []*pending
		for i := range 5 {
			readers = append(readers, group(groupID(i)).named(fmt.Sprint(i)).start(t, c))
		}
		for _, reader := range readers {
			reader.end()
		}
		if !slices.Equal(lines, r.want) {
			t.Errorf("%q, want %q", lines, r.want)
		}
	})
}
