package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// groupID returns the id of group i.
func groupID(i int) string {
	return fmt.Sprintf("group-%03d", i)
}

const sec = time.Second

// onFakeClock runs a test in a bubble of testing/synctest, beside others.
func onFakeClock(t *testing.T, test func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// eachOnFakeClock runs a test for each row in a bubble of its own, beside the others.
func eachOnFakeClock[R any](t *testing.T, rows map[string]R, test func(*testing.T, R)) {
	t.Helper()
	t.Parallel()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) { test(t, row) })
		})
	}
}

// setting changes the configuration of a client from the provider's defaults.
type setting func(*catalogue.Config)

func maxRetries(n int) setting {
	return func(c *catalogue.Config) { c.MaxRetries = n }
}

func readTimeout(d time.Duration) setting {
	return func(c *catalogue.Config) { c.ReadTimeout = d }
}

func afresh() setting {
	return func(c *catalogue.Config) { c.Snapshot = false }
}

func accessToken(text string) setting {
	return func(c *catalogue.Config) { c.ClientID, c.ClientSecret, c.AccessToken = "", "", text }
}

// atMost sets the operator's ceiling.
func atMost(requests int, per time.Duration) setting {
	return func(c *catalogue.Config) { c.Ceiling = pace.Limit{Requests: requests, Per: per} }
}

// over returns a client of the service, with the provider's defaults and without jitter.
func over(t *testing.T, transport http.RoundTripper, settings ...setting) *catalogue.Client {
	t.Helper()
	base, err := url.Parse("http://localhost")
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := transport.(*service); ok && s.began.IsZero() {
		s.began = time.Now()
	}
	config := catalogue.Config{
		BaseURL:        base,
		ClientID:       "northwind",
		ClientSecret:   "northwind-sandbox-secret",
		RequestTimeout: 30 * sec,
		ReadTimeout:    5 * time.Minute,
		MaxRetries:     4,
		Snapshot:       true,
		Transport:      transport,
		Jitter:         func() float64 { return 0 },
	}
	for _, change := range settings {
		change(&config)
	}
	return catalogue.New(config)
}

// reading is one question, and readResult its result.
type (
	reading    func(context.Context, *catalogue.Client) (any, error)
	readResult struct {
		value any
		err   error
		took  time.Duration
	}
)

func group(id string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) { return c.ModelGroup(ctx, id) }
}

func groups(timeHorizon string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) { return c.ModelGroups(ctx, timeHorizon) }
}

var theGroup = group("the-group")

// eachGroup reads groups, one question each.
func eachGroup(from, to int) (readings []reading) {
	for i := from; i < to; i++ {
		readings = append(readings, group(groupID(i)))
	}
	return readings
}

// read asks one question.
func (r reading) read(t *testing.T, c *catalogue.Client) readResult {
	t.Helper()
	began := time.Now()
	value, err := r(t.Context(), c)
	return readResult{value, err, time.Since(began)}
}

// readAll asks all of them, as many at the same time as an engine does.
func readAll(t *testing.T, c *catalogue.Client, parallelism int, readings []reading) []readResult {
	t.Helper()
	answers := make([]readResult, len(readings))
	turns := make(chan struct{}, parallelism)
	var all sync.WaitGroup
	for i, r := range readings {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			answers[i] = r.read(t, c)
		})
	}
	all.Wait()
	return answers
}

// start begins a read, and returns once it waits for something. end waits for its result.
func (r reading) start(t *testing.T, c *catalogue.Client) (end func() readResult) {
	t.Helper()
	done := make(chan readResult, 1)
	go func() { done <- r.read(t, c) }()
	synctest.Wait()
	return func() readResult { return <-done }
}

// errorKind is the kind of failure that an error reports.
type errorKind string

const (
	kindNothing     errorKind = "an answer"
	kindInterrupted errorKind = "an interrupt"
	kindRejected    errorKind = "rejected credentials"
	kindRejections  errorKind = "a token rejected once more for one read"
	kindNoToken     errorKind = "no token"
	kindLimited     errorKind = "a pause"
	kindDisabled    errorKind = "a disabled organisation"
	kindStatus      errorKind = "another status"
	kindUnusable    errorKind = "an unusable answer"
	kindNetwork     errorKind = "a fault of the network"
	kindOther       errorKind = "no answer"
)

// kindOf returns the kind of an error of the client.
func kindOf(err error) errorKind {
	api, isAPI := errors.AsType[*catalogue.APIError](err)
	rejection, rejected := errors.AsType[*catalogue.RejectedError](err)
	switch {
	case err == nil:
		return kindNothing
	case errors.Is(err, context.Canceled):
		return kindInterrupted
	case rejected && rejection.Alone:
		return kindRejections
	case rejected && isAPI && (!api.OfToken() || api.Code == "invalid_client"): // only these mean the credentials
		return kindRejected
	case rejected:
		return kindNoToken
	case errors.Is(err, catalogue.ErrRateLimited):
		return kindLimited
	case errors.Is(err, catalogue.ErrOrganisationDisabled):
		return kindDisabled
	case isAPI:
		return kindStatus
	case is[*catalogue.UnusableAnswerError](err):
		return kindUnusable
	case is[*catalogue.NetworkError](err):
		return kindNetwork
	}
	return kindOther
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// ending is the error of a read that gave up.
type ending = catalogue.GaveUpError

func endOf(err error) (end ending, ok bool) {
	if end, ok := errors.AsType[*ending](err); ok {
		return *end, true
	}
	return ending{}, false
}

func filter[T any](all []T, keep func(T) bool) (kept []T) {
	for _, one := range all {
		if keep(one) {
			kept = append(kept, one)
		}
	}
	return kept
}
