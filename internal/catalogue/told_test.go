package catalogue_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// scene is a service, and reads in the order of their beginning. It shows moments and words not checked by the simulation.
type scene struct {
	service  *service
	settings []setting
	readings []reading
	told     []string // the number of requests, then the time and result of each caller
}

// later asks a question after a while.
func (r reading) later(d time.Duration) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) {
		time.Sleep(d)
		return r(ctx, c)
	}
}

// within asks a question with less time than read_timeout.
func (r reading) within(d time.Duration) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return r(ctx, c)
	}
}

// interrupted asks a question, and is cancelled after 8 s.
func (r reading) interrupted() reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer time.AfterFunc(8*sec, cancel).Stop()
		return r(ctx, c)
	}
}

// told returns the time and result of a caller.
func (a readResult) told() string {
	causes := []string{
		"retries used up", "fault stays", "service down", "allowance used up", "wait too long", "ceiling too low", "time over",
	}
	text := fmt.Sprintf("%s: %s", a.took, kindOf(a.err))
	if end, ok := endOf(a.err); ok {
		text += fmt.Sprintf(", %s: attempts %d, %s left of %q", causes[end.Cause], end.Attempts, end.Wait, end.WaitingFor)
	}
	if end, ok := errors.AsType[*catalogue.InterruptedError](a.err); ok {
		text += fmt.Sprintf(": attempts %d, %s left of %q", end.Attempts, end.Remaining, end.WaitingFor)
		a.err = end.Last
	}
	if api, ok := errors.AsType[*catalogue.APIError](a.err); ok {
		text += fmt.Sprintf("; %d: %s", api.Status, api.Message)
	}
	return text
}

// tooLong is a 429 whose wait is too long for any read.
var tooLong = retryAfter(429, "600")

// stalled returns an answer whose body never comes.
func (r reply) stalled() reply {
	r.stall = ages
	return r
}

func secret(text string) setting {
	return func(c *catalogue.Config) { c.ClientSecret = text }
}

var scenes = map[string]scene{
	"max_requests is too low": {
		&service{},
		[]setting{atMost(1, 10*sec), readTimeout(25 * sec)},
		eachGroup(0, 4),
		[]string{
			"tokens: 1, reads: 2",
			"10s: an answer",
			"20s: an answer",
			`0s: no answer, ceiling too low: attempts 0, 30s left of "max_requests"`,
			`0s: no answer, ceiling too low: attempts 0, 30s left of "max_requests"`,
		},
	},
	"max_requests ends with the time": {
		&service{},
		[]setting{atMost(1, 5*time.Minute)},
		eachGroup(0, 1),
		[]string{"tokens: 0, reads: 0", `0s: no answer, ceiling too low: attempts 0, 5m0s left of "max_requests"`},
	},
	"max_requests, until the time is over": {
		always(found.in(14 * sec)),
		[]setting{accessToken("given"), atMost(2, 10*sec)},
		[]reading{group("a"), group("b").later(2 * sec), group("c").later(3 * sec), group("d").within(8500 * time.Millisecond).later(4 * sec)},
		[]string{
			"tokens: 0, reads: 3",
			"14s: an answer",
			"16s: an answer",
			"27s: an answer",
			`12.5s: no answer, ceiling too low: attempts 0, 2.5s left of "max_requests"`,
		},
	},
	"an answer may bring a turn under max_requests forward": {
		always(found.in(sec / 10)),
		[]setting{atMost(2, 2*sec), readTimeout(4 * sec)},
		append(eachGroup(0, 2), group("c").later(sec/20)),
		[]string{
			"tokens: 1, reads: 3",
			"100ms: an answer",
			"2.1s: an answer",
			"2.2s: an answer",
		},
	},
	"no answer brings a turn under max_requests forward": {
		&service{
			token: func(n int) reply { return issue(n, 0).in(5 * sec) }, // after 3 s it counts as answered
			read:  func(int, *http.Request) reply { return found.in(sec) },
		},
		[]setting{atMost(1, 10*sec), readTimeout(23*sec + sec/2)},
		eachGroup(0, 2),
		[]string{
			"tokens: 1, reads: 1",
			"14s: an answer",
			`14s: no answer, ceiling too low: attempts 0, 10s left of "max_requests"`,
		},
	},

	"a single attempt begins no outage": {
		always(answered(503)),
		[]setting{maxRetries(0)},
		[]reading{group("a"), group("b").later(sec)},
		[]string{
			"tokens: 1, reads: 2",
			`0s: another status, retries used up: attempts 1, 0s left of ""; 503: No.`,
			`1s: another status, retries used up: attempts 1, 0s left of ""; 503: No.`,
		},
	},
	"a page of HTML ends no outage": {
		inTurn(answered(503), answered(503), reply{body: "<html>"}, answered(503)),
		[]setting{maxRetries(1)},
		[]reading{group("a"), group("b").later(5 * sec), group("c").later(6 * sec)},
		[]string{
			"tokens: 1, reads: 4",
			`1s: another status, retries used up: attempts 2, 0s left of ""; 503: No.`,
			"5s: an unusable answer",
			`6s: another status, service down: attempts 1, 0s left of ""; 503: No.`,
		},
	},
	"a fault of the network at the end of a pause, while the allowance is used up": {
		inTurn(tooLong, reply{err: errDropped}),
		nil,
		[]reading{theGroup, group("b").later(600 * sec)},
		[]string{
			"tokens: 1, reads: 2",
			`0s: a pause, wait too long: attempts 1, 10m0s left of "the pause that the service asked for"; 429: No.`,
			`10m0s: a fault of the network, allowance used up: attempts 1, 0s left of ""`,
		},
	},
	"a token that backs off while the allowance is used up": {
		&service{
			token: func(n int) reply { return []reply{issue(1, time.Minute), answered(503), issue(3, 0)}[n-1] },
			read:  func(n int, _ *http.Request) reply { return []reply{retryAfter(429, "100"), found, found}[n-1] },
		},
		nil,
		[]reading{theGroup, group("brief").within(50 * sec), group("later").later(100*sec + sec/2)},
		[]string{
			"tokens: 3, reads: 3",
			"1m41s: an answer",
			`0s: a pause, wait too long: attempts 0, 1m40s left of "the pause that the service asked for"; 429: No.`,
			"1m41s: an answer",
		},
	},
	"a fault of TLS at the token endpoint": {
		tokensInTurn(reply{err: tls.RecordHeaderError{}, after: sec}),
		nil,
		append(eachGroup(0, 2), theGroup.later(2*sec)),
		[]string{
			"tokens: 2, reads: 1",
			"1s: a fault of the network",
			"1s: a fault of the network",
			"2s: an answer",
		},
	},
	"a fault of TLS is not kept": {
		inTurn(reply{err: tls.RecordHeaderError{}}),
		nil,
		[]reading{theGroup, theGroup.later(sec)},
		[]string{"tokens: 1, reads: 2", "0s: a fault of the network", "1s: an answer"},
	},

	"the words of a 429 come after its header": {
		&service{read: func(n int, _ *http.Request) reply {
			r := tooLong.in(sec + time.Duration(n)*time.Millisecond)
			r.stall = sec / 10
			return r
		}},
		nil,
		eachGroup(0, 2),
		[]string{
			"tokens: 1, reads: 2",
			`1.102s: a pause, wait too long: attempts 1, 9m59.9s left of "the pause that the service asked for"; 429: No.`,
			`1.102s: a pause, wait too long: attempts 1, 9m59.9s left of "the pause that the service asked for"; 429: No.`,
		},
	},
	"a 429 without a Retry-After": {
		inTurn(answered(429), answered(429), answered(429)),
		[]setting{maxRetries(0)},
		eachGroup(0, 1),
		[]string{"tokens: 1, reads: 4", "7s: an answer"},
	},
	"a pause that leaves too little time for an answer": {
		inTurn(retryAfter(429, "2"), found.in(10*sec)),
		nil,
		[]reading{theGroup, group("brief").within(3 * sec)},
		[]string{
			"tokens: 1, reads: 2",
			"12s: an answer",
			`3s: a pause, time over: attempts 0, 0s left of "answers to the requests in flight"; 429: No.`,
		},
	},
	"a pause that was over before": {
		inTurn(retryAfter(429, "1"), found.in(10*sec)),
		nil,
		[]reading{theGroup, group("later").within(sec).later(2 * sec)},
		[]string{
			"tokens: 1, reads: 2",
			"11s: an answer",
			`3s: no answer, time over: attempts 0, 0s left of "answers to the requests in flight"`,
		},
	},

	"an access token is the only one": {
		inTurn(found, answered(401)),
		[]setting{accessToken("given-token")},
		[]reading{group("a"), group("b").later(sec), group("c").later(2 * sec)},
		[]string{
			"tokens: 0, reads: 2",
			"0s: an answer",
			"1s: rejected credentials; 401: No.",
			"2s: rejected credentials; 401: No.",
		},
	},
	"a rejection without its words": {
		inTurn(answered(401), answered(401).stalled()),
		nil,
		[]reading{group("a"), group("b").later(sec)},
		[]string{"tokens: 2, reads: 2", "3s: rejected credentials; 401: ", "3s: rejected credentials; 401: "},
	},
	"a caller who joins in a back-off that is too long": {
		inTurn(retryAfter(503, "30")),
		nil,
		[]reading{theGroup, theGroup.within(10 * sec).later(sec)},
		[]string{
			"tokens: 1, reads: 2",
			"30s: an answer",
			`1s: another status, wait too long: attempts 1, 29s left of "its back-off"; 503: No.`,
		},
	},
	"a token that no read waits for any more": {
		&service{
			token: func(n int) reply { return []reply{issue(1, 0), retryAfter(503, "600"), issue(3, 0)}[n-1] },
			read:  func(n int, _ *http.Request) reply { return []reply{retryAfter(503, "30"), answered(401), found}[n-1] },
		},
		nil,
		[]reading{theGroup, group("brief").within(10 * sec)},
		[]string{
			"tokens: 3, reads: 3",
			"30s: an answer",
			`0s: another status, wait too long: attempts 1, 10m0s left of "a token"; 503: No.`,
		},
	},

	"a code that is a secret, of a read": {
		always(reply{status: 403, body: `{"code":"ORGANISATION_DISABLED"}`}),
		[]setting{secret("ORGANISATION_DISABLED")},
		eachGroup(0, 2),
		[]string{"tokens: 1, reads: 1", "0s: a disabled organisation; 403: ", "0s: a disabled organisation; 403: "},
	},
	"a code that is a secret, of a token": {
		tokensInTurn(reply{status: 401, body: `{"error":"invalid_client"}`}),
		[]setting{secret("invalid_client")},
		eachGroup(0, 2),
		[]string{"tokens: 1, reads: 0", "0s: rejected credentials; 401: ", "0s: rejected credentials; 401: "},
	},

	"interrupted while the service hangs": {
		always(reply{after: ages}),
		nil,
		[]reading{theGroup.interrupted()},
		[]string{"tokens: 1, reads: 1", `8s: an interrupt: attempts 1, 0s left of ""`},
	},
	"interrupted while a token is put off": {
		tokensInTurn(answered(503), answered(503), answered(503), answered(503)),
		nil,
		[]reading{theGroup.interrupted()},
		[]string{"tokens: 4, reads: 0", `8s: an interrupt: attempts 4, 7s left of "a token"; 503: No.`},
	},

	"a question asked twice, afresh": {
		always(found.in(sec)),
		[]setting{afresh()},
		[]reading{theGroup, theGroup, theGroup.later(2 * sec)},
		[]string{"tokens: 1, reads: 3", "1s: an answer", "1s: an answer", "3s: an answer"},
	},
	"questions that differ in their query": {
		&service{},
		nil,
		[]reading{groups(""), groups("day_ahead"), groups("")},
		[]string{"tokens: 1, reads: 2", "0s: an answer", "0s: an answer", "0s: an answer"},
	},
}

// Each caller gets its answer, or the reason of its failure, as soon as that is known.
func TestWhatCallersAreTold(t *testing.T) {
	eachOnFakeClock(t, scenes, func(t *testing.T, s scene) {
		c := over(t, s.service, s.settings...)
		var callers []func() readResult
		for _, r := range s.readings {
			callers = append(callers, r.start(t, c))
		}
		told := []string{""}
		for _, caller := range callers {
			told = append(told, caller().told())
		}
		told[0] = fmt.Sprintf("tokens: %d, reads: %d", s.service.tokens, s.service.reads)
		if !slices.Equal(told, s.told) {
			t.Errorf("told:\n%s\nwant:\n%s", strings.Join(told, "\n"), strings.Join(s.told, "\n"))
		}
	})
}
