package catalogue_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// groupID returns the id of group i.
func groupID(i int) string { return fmt.Sprintf("group-%03d", i) }

const sec = time.Second

// onFakeClock runs a test in a bubble of testing/synctest, beside others.
func onFakeClock(t *testing.T, test func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// eachOnFakeClock runs the test of each row in a bubble of its own, beside the others.
func eachOnFakeClock[R any](t *testing.T, rows map[string]R, test func(*testing.T, R)) {
	t.Helper()
	t.Parallel()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) { test(t, row) })
		})
	}
}

// reply is what a service answers, after a while.
type reply struct {
	status int // 0 for 200
	header http.Header
	body   string
	after  time.Duration // until its header comes
	stall  time.Duration // from then until its body does
	cut    bool          // the connection ends after a part of the body
	err    error         // in place of an answer
}

// ages is longer than any read lasts.
const ages = 24 * time.Hour

// found answers a read with a model of two revisions, whatever its path is.
var found = reply{}

// answered returns an answer of that status, with a code of the service.
func answered(status int) reply { return reply{status: status, body: `{"code":"X","message":"No."}`} }

// retryAfter returns an answer of that status with that Retry-After.
func retryAfter(status int, value string) reply {
	r := answered(status)
	r.header = http.Header{"Retry-After": {value}}
	return r
}

// issue returns an answer with the n-th token. If life is 0, the answer does not state it.
func issue(n int, life time.Duration) reply {
	expires := ""
	if life > 0 {
		expires = fmt.Sprintf(`,"expires_in":%d`, int(life.Seconds()))
	}
	return reply{body: fmt.Sprintf(`{"access_token":"bearer-%d","token_type":"bearer"%s}`, n, expires)}
}

func (r reply) in(after time.Duration) reply { r.after = after; return r }

// service is the catalogue service as a transport, without a network. It keeps what was sent.
type service struct {
	token  func(n int) reply                            // the n-th request for a token, from 1; nil for tokens that serve for ever
	read   func(n int, r *http.Request) reply           // the n-th read, from 1; nil for found
	answer func(x *request, r *http.Request) reply      // either, in place of both
	takes  func(x *request) (there, back time.Duration) // the way of a request and of its answer, nil for no time

	mu            sync.Mutex
	began         time.Time
	tokens, reads int
	sent          []*request
}

// never stands for a moment that has not come.
const never = time.Duration(-1)

// request is one request, as the service and the client know it. Times count from when the service began.
type request struct {
	number       int
	token        bool // it asks for one
	path, bearer string
	status       int // 0 if no header came

	sentAt, arrivedAt, headerAt, endAt time.Duration

	timedOut  bool // request_timeout ended it
	left      bool // it ended because no caller waited for it any more
	delivered bool // the client has all that the service sent

	simRequest
}

// now returns the time since the beginning.
func (s *service) now() time.Duration { return time.Since(s.began) }

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, x := r.Context(), s.send(r)
	var there, back time.Duration
	if s.takes != nil {
		there, back = s.takes(x)
	}
	if err := elapse(ctx, there); err != nil {
		return nil, s.end(x, err)
	}
	answer := s.receive(x, r)
	if err := cmp.Or(elapse(ctx, answer.after+back), answer.err); err != nil {
		return nil, s.end(x, err)
	}
	x.headerAt, x.status = s.now(), answer.status
	content := strings.NewReader(answer.body)
	read := func(p []byte) (int, error) {
		if err := elapse(ctx, answer.stall); err != nil {
			return 0, err
		}
		answer.stall = 0
		n, err := content.Read(p)
		if content.Len() == 0 {
			x.delivered = true
			if err = io.EOF; answer.cut {
				err = io.ErrUnexpectedEOF
			}
		}
		return n, err
	}
	body := closing{readerFunc(read), func() { _ = s.end(x, ctx.Err()) }}
	return &http.Response{StatusCode: answer.status, Header: answer.header, Body: body, ContentLength: -1, Request: r}, nil
}

func (s *service) send(r *http.Request) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &request{
		number: len(s.sent), token: r.Method == http.MethodPost, path: r.URL.Path,
		bearer: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
		sentAt: s.now(), arrivedAt: never, headerAt: never, endAt: never,
	}
	s.sent = append(s.sent, x)
	return x
}

func (s *service) receive(x *request, r *http.Request) (answer reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.arrivedAt = s.now()
	if x.token {
		s.tokens++
	} else {
		s.reads++
	}
	switch {
	case s.answer != nil:
		answer = s.answer(x, r)
	case x.token && s.token != nil:
		answer = s.token(s.tokens)
	case x.token:
		answer = issue(s.tokens, 0)
	case s.read != nil:
		answer = s.read(s.reads, r)
	}
	answer.status = cmp.Or(answer.status, http.StatusOK)
	if answer.body == "" && answer.status == http.StatusOK {
		answer.body, _ = simDocument(x.path, 2)
	}
	if answer.header == nil {
		answer.header = http.Header{}
	}
	return answer
}

// end records that the client is done with a request, which err ended if the answer is not delivered. It returns err.
func (s *service) end(x *request, err error) error {
	if x.endAt == never {
		x.endAt = s.now()
		x.timedOut = !x.delivered && errors.Is(err, context.DeadlineExceeded)
		x.left = !x.delivered && errors.Is(err, context.Canceled)
	}
	return err
}

// elapse lets time pass, unless ctx ends first.
func elapse(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// closing is a body that calls atClose when it is closed.
type closing struct {
	io.Reader
	atClose func()
}

func (c closing) Close() error { c.atClose(); return nil }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// expectCounts compares the numbers of requests that were sent.
func (s *service) expectCounts(t *testing.T, tokens, reads int) {
	t.Helper()
	if s.tokens != tokens || s.reads != reads {
		t.Errorf("%d tokens and %d reads, want %d and %d", s.tokens, s.reads, tokens, reads)
	}
}

// times returns when the reads, or the requests for tokens, were sent.
func (s *service) times(tokens bool) (at []time.Duration) {
	for _, x := range s.sent {
		if x.token == tokens {
			at = append(at, x.sentAt)
		}
	}
	return at
}

// expectTimes wants reads, or requests for tokens, sent at those times.
func (s *service) expectTimes(t *testing.T, tokens bool, want ...time.Duration) {
	t.Helper()
	if got := s.times(tokens); !slices.Equal(got, want) {
		t.Errorf("sent at %v, want %v", got, want)
	}
}

// setting changes the configuration of a client from the provider's defaults.
type setting func(*catalogue.Config)

func maxRetries(n int) setting { return func(c *catalogue.Config) { c.MaxRetries = n } }

func readTimeout(d time.Duration) setting { return func(c *catalogue.Config) { c.ReadTimeout = d } }

func requestTimeout(d time.Duration) setting {
	return func(c *catalogue.Config) { c.RequestTimeout = d }
}

func afresh() setting { return func(c *catalogue.Config) { c.Snapshot = false } }

func accessToken(text string) setting {
	return func(c *catalogue.Config) { c.ClientID, c.ClientSecret, c.AccessToken = "", "", text }
}

// atMost sets the operator's ceiling.
func atMost(requests int, per time.Duration) setting {
	return func(c *catalogue.Config) { c.Ceiling = pace.Limit{Requests: requests, Per: per} }
}

// over makes a client of the service, with the provider's defaults and without jitter.
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
		BaseURL: base, ClientID: "northwind", ClientSecret: "northwind-sandbox-secret", RequestTimeout: 30 * sec,
		ReadTimeout: 5 * time.Minute, MaxRetries: 4, Snapshot: true, Transport: transport, Jitter: func() float64 { return 0 },
	}
	for _, change := range settings {
		change(&config)
	}
	return catalogue.New(config)
}

// reading is one question, and answer what its caller gets.
type (
	reading func(context.Context, *catalogue.Client) (any, error)
	answer  struct {
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

func latestModel(id string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) { return c.LatestModel(ctx, id) }
}

func models(id string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) { return c.Models(ctx, id) }
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
func (r reading) read(t *testing.T, c *catalogue.Client) answer {
	t.Helper()
	began := time.Now()
	value, err := r(t.Context(), c)
	return answer{value, err, time.Since(began)}
}

// mustRead reads what has to be there.
func (r reading) mustRead(t *testing.T, c *catalogue.Client) any {
	t.Helper()
	a := r.read(t, c)
	expectAllRead(t, []answer{a})
	return a.value
}

// readAll asks all of them, as many at once as an engine does.
func readAll(t *testing.T, c *catalogue.Client, parallelism int, readings []reading) []answer {
	t.Helper()
	answers := make([]answer, len(readings))
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

// reader is a read under way.
type reader struct {
	answer
	cancel context.CancelFunc
	done   chan struct{}
}

// start begins a read, and returns when it waits for something.
func (r reading) start(t *testing.T, c *catalogue.Client) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	under := &reader{cancel: cancel, done: make(chan struct{})}
	began := time.Now()
	go func() {
		defer close(under.done)
		under.value, under.err = r(ctx, c)
		under.took = time.Since(began)
	}()
	synctest.Wait()
	return under
}

// end waits for the read.
func (r *reader) end() answer {
	<-r.done
	r.cancel()
	return r.answer
}

func expectAllRead(t *testing.T, answers []answer) {
	t.Helper()
	for _, a := range answers {
		if a.err != nil {
			t.Fatal(a.err)
		}
	}
}

// expectKind fails unless each answer is an error of that kind, with all of the fragments in its text.
func expectKind(t *testing.T, answers []answer, kind errorKind, fragments ...string) {
	t.Helper()
	for _, a := range answers {
		if got := kindOf(a.err); got != kind {
			t.Fatalf("an error of %q, want one of %q: %v", got, kind, a.err)
		}
		for _, fragment := range fragments {
			if !strings.Contains(fmt.Sprint(a.err), fragment) {
				t.Errorf("the error lacks %q: %v", fragment, a.err)
			}
		}
	}
}

// errorKind is what kind of failure an error reports.
type errorKind string

const (
	kindNothing     errorKind = ""
	kindInterrupted errorKind = "an interrupt"
	kindRejected    errorKind = "rejected credentials"
	kindNoToken     errorKind = "no token"
	kindDisabled    errorKind = "a disabled organisation"
	kindLimited     errorKind = "a pause"
	kindCeiling     errorKind = "the ceiling"
	kindTimeout     errorKind = "a time-out"
	kindNetwork     errorKind = "a fault of the network"
	kindUnavailable errorKind = "a failure of the service"
	kindUnusable    errorKind = "an unusable answer"
	kindStatus      errorKind = "another status"
	kindWaiting     errorKind = "that its time was over"
	kindOther       errorKind = "nothing that is known"
)

// kindOf returns the kind of an error of the client.
func kindOf(err error) errorKind {
	api, isAPI := errors.AsType[*catalogue.APIError](err)
	network, isNetwork := errors.AsType[*catalogue.NetworkError](err)
	end, gaveUp := endOf(err)
	switch {
	case err == nil:
		return kindNothing
	case is[*catalogue.InterruptedError](err), errors.Is(err, context.Canceled) && !isAPI && !isNetwork:
		return kindInterrupted
	case is[*catalogue.RejectedError](err):
		// Only these two mean the credentials.
		if isAPI && (api.Method == http.MethodGet || api.Code == "invalid_client") {
			return kindRejected
		}
		return kindNoToken
	case gaveUp && end.Cause == ceilingTooLow:
		return kindCeiling
	case isAPI && api.Is(catalogue.ErrRateLimited):
		return kindLimited
	case isNetwork && network.TimedOut:
		return kindTimeout
	case isNetwork:
		return kindNetwork
	case isAPI && api.Is(catalogue.ErrOrganisationDisabled):
		return kindDisabled
	case isAPI && (api.Is(catalogue.ErrUnavailable) || api.Method == http.MethodPost):
		return kindUnavailable
	case isAPI:
		return kindStatus
	case is[*catalogue.UnusableAnswerError](err):
		return kindUnusable
	case gaveUp:
		return kindWaiting
	}
	return kindOther
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// ending is the error of a read that gave up.
type ending = catalogue.GaveUpError

const (
	retriesUsedUp = catalogue.RetriesUsedUp
	serviceDown   = catalogue.ServiceDown
	waitTooLong   = catalogue.WaitTooLong
	ceilingTooLow = catalogue.CeilingTooLow
	timeOver      = catalogue.TimeOver
)

func endOf(err error) (end ending, ok bool) {
	if end, ok := errors.AsType[*ending](err); ok {
		return *end, true
	}
	return ending{}, false
}
