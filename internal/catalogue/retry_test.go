package catalogue_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

var errDropped = errors.New("connection reset by peer")

// always and first are services whose reads get a reply each time, or the first n times.
func always(r reply) *service {
	return first(1<<30, r)
}

func first(n int, r reply) *service {
	return &service{read: func(i int, _ *http.Request) reply {
		if i <= n {
			return r
		}
		return found
	}}
}

// expectEnd wants reads that gave up for a cause, after that number of requests.
func expectEnd(t *testing.T, answers []readResult, want ending) {
	t.Helper()
	for i, a := range answers {
		got, ok := endOf(a.err)
		same := got.Cause == want.Cause && got.Attempts == want.Attempts && got.Wait == want.Wait
		if !ok || !same || got.Elapsed != a.took {
			t.Errorf("read %d: after %s %+v, want %+v: %v", i, a.took, got, want, a.err)
		}
	}
}

// Back-offs double up to half a minute. Jitter makes them longer by up to a quarter, and never shorter.
func TestBackOff(t *testing.T) {
	eachOnFakeClock(t, map[string]float64{
		"no jitter":   0,
		"most jitter": 0.999999,
	}, func(t *testing.T, jitter float64) {
		s := always(answered(503))
		c := over(t, s, maxRetries(8), func(c *catalogue.Config) {
			c.Jitter = func() float64 {
				return jitter
			}
		})
		expectKind(t, []readResult{theGroup.read(t, c)}, kindUnavailable, "503")
		at := s.times(false)
		waits := []time.Duration{1 * sec, 2 * sec, 4 * sec, 8 * sec, 16 * sec, 30 * sec, 30 * sec, 30 * sec}
		if len(at) != len(waits)+1 {
			t.Fatalf("%d requests, want %d", len(at), len(waits)+1)
		}
		for i, want := range waits {
			got := at[i+1] - at[i]
			if got < want || got > want+want/4 || (got > want) != (jitter > 0) {
				t.Errorf("wait %d took %s, want %s and up to a quarter of jitter", i+1, got, want)
			}
		}
	})
}

// A failure that may pass is tried again max_retries times, for reads and for tokens; any other ends the read at once.
func TestWhatIsTriedAgain(t *testing.T) {
	stalled := reply{stall: ages}
	cut := reply{body: `{"id":"group-0`}
	type row struct {
		reply
		again bool
		took  time.Duration // by an attempt
		kind  errorKind
	}
	rows := map[string]row{
		"dropped":         {reply{err: errDropped}, true, 0, kindNetwork},
		"ended early":     {reply{err: io.ErrUnexpectedEOF}, true, 0, kindNetwork},
		"no answer":       {reply{after: time.Hour}, true, 30 * sec, kindTimeout},
		"a body on hold":  {stalled, true, 30 * sec, kindTimeout},
		"half of a body":  {cut, true, 0, kindNetwork},
		"a list":          {reply{body: `[]`}, false, 0, kindUnusable},
		"a page":          {reply{body: `<html>`}, false, 0, kindUnusable},
		"no identity":     {reply{body: `{}`}, false, 0, kindUnusable},
		"a record, 201":   {reply{status: 201, body: `{"id":"the-group"}`}, false, 0, kindStatus},
		"a token's error": {reply{status: 404, body: `{"code":"temporarily_unavailable"}`}, false, 0, kindStatus},
	}
	for status, again := range map[int]bool{
		101: false, 103: false,
		201: false, 204: false,
		301: false, 304: false,
		400: false, 403: false, 404: false, 405: false, 408: true, 409: false, 418: false, 422: false, 451: false,
		500: true, 501: true, 502: true, 503: true, 504: true, 599: true,
	} {
		kind := kindStatus
		if again {
			kind = kindUnavailable
		}
		rows[strconv.Itoa(status)] = row{answered(status), again, 0, kind}
	}
	eachOnFakeClock(t, rows, func(t *testing.T, r row) {
		s := always(r.reply)
		answers := []readResult{theGroup.read(t, over(t, s, maxRetries(2)))}
		expectKind(t, answers, r.kind)
		if !r.again {
			s.expectCounts(t, 1, 1)
			return
		}
		s.expectTimes(t, false, 0, r.took+1*sec, 2*r.took+3*sec)
		expectEnd(t, answers, ending{Cause: retriesUsedUp, Attempts: 3})
		s = first(2, r.reply)
		theGroup.mustRead(t, over(t, s, maxRetries(2)))
		s = &service{token: func(n int) reply {
			if n <= 2 {
				return r.reply
			}
			return issue(n, 0)
		}}
		theGroup.mustRead(t, over(t, s, maxRetries(2)))
		s.expectTimes(t, true, 0, r.took+1*sec, 2*r.took+3*sec)
	})
}

// The faults of a host that does not exist, and of a port of this machine at which nothing listens.
var (
	errNoHost        = &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	errNobodyListens = &net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, Err: syscall.ECONNREFUSED}
)

// A fault that waiting does not mend is met once more after a second, and then it ends the read.
func TestAFaultThatStays(t *testing.T) {
	type row struct {
		faults  []error // of the attempts, the last of which ends the read
		retries int
		cause   catalogue.Cause
		took    time.Duration
	}
	eachOnFakeClock(t, map[string]row{
		"no such host":      {[]error{errNoHost, errNoHost}, 4, faultStays, sec},
		"nothing listens":   {[]error{errNobodyListens, errNobodyListens}, 4, faultStays, sec},
		"no retry":          {[]error{errNoHost}, 0, retriesUsedUp, 0},
		"one retry":         {[]error{errNoHost, errNoHost}, 1, retriesUsedUp, sec},
		"it begins later":   {[]error{errDropped, errNoHost, errNoHost}, 4, faultStays, 3 * sec},
		"it comes and goes": {[]error{errNoHost, errDropped, errNoHost, errDropped, errNoHost}, 4, retriesUsedUp, 15 * sec},
	}, func(t *testing.T, r row) {
		fail := func(n int) reply {
			return reply{err: r.faults[n-1]}
		}
		failRead := func(n int, _ *http.Request) reply {
			return fail(n)
		}
		for _, s := range []*service{{read: failRead}, {token: fail}} {
			a := theGroup.read(t, over(t, s, maxRetries(r.retries)))
			expectEnd(t, []readResult{a}, ending{Cause: r.cause, Attempts: len(r.faults)})
			if a.took != r.took {
				t.Errorf("it took %s, want %s", a.took, r.took)
			}
		}
	})
}

// The token endpoint is tried again for all reads that wait; then they fail together, and their errors count its requests.
func TestTokenRequestsAreTriedAgain(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{token: func(n int) reply {
			if n <= 3 {
				return reply{status: 400, body: `{"error":"temporarily_unavailable","error_description":"Later."}`, after: 1 * sec}
			}
			return issue(n, 0)
		}}
		c := over(t, s, maxRetries(2))
		answers := readAll(t, c, 20, eachGroup(0, 20))
		expectKind(t, answers, kindUnavailable, "temporarily_unavailable")
		expectEnd(t, answers, ending{Cause: retriesUsedUp, Attempts: 3})
		s.expectTimes(t, true, 0, 2*sec, 5*sec)
		expectAllRead(t, readAll(t, c, 20, eachGroup(0, 20))) // a failure is not kept
		s.expectCounts(t, 4, 20)
	})
}

// A 503 is not tried again before its Retry-After is over, nor before the back-off is.
func TestRetryAfterOfA503(t *testing.T) {
	type row struct {
		header string
		want   time.Duration
	}
	eachOnFakeClock(t, map[string]row{
		"longer":     {"5", 5 * sec},
		"a fraction": {"1.5", 1500 * time.Millisecond},
		"shorter":    {"0.5", sec},
		"a word":     {"soon", sec},
	}, func(t *testing.T, r row) {
		s := first(1, retryAfter(503, r.header))
		c := over(t, s)
		under := theGroup.start(t, c)
		time.Sleep(100 * time.Millisecond)
		group("other").mustRead(t, c) // it concerns that one read
		expectAllRead(t, []readResult{under.end()})
		s.expectTimes(t, false, 0, 100*time.Millisecond, r.want)
	})
}

// A read does not wait for a back-off that ends after its time. A request under way ends with the read's time.
func TestReadTimeoutEndsTheAttempts(t *testing.T) {
	type row struct {
		reply reply
		time  time.Duration
		took  time.Duration
		want  ending
		kind  errorKind
	}
	hangs := reply{after: time.Hour}
	eachOnFakeClock(t, map[string]row{
		"no back-off fits":     {answered(503), 14 * sec, 7 * sec, ending{Cause: waitTooLong, Attempts: 4, Wait: 8 * sec}, kindUnavailable},
		"in the first attempt": {hangs, 20 * sec, 20 * sec, ending{Cause: timeOver, Attempts: 1}, kindTimeout},
		"in the second":        {hangs, 45 * sec, 45 * sec, ending{Cause: timeOver, Attempts: 2}, kindTimeout},
	}, func(t *testing.T, r row) {
		a := theGroup.read(t, over(t, always(r.reply), readTimeout(r.time), maxRetries(100)))
		expectEnd(t, []readResult{a}, r.want)
		expectKind(t, []readResult{a}, r.kind)
		end, _ := endOf(a.err)
		left := r.time - r.took
		if a.took != r.took || end.Remaining != left {
			t.Errorf("it took %s and had %s left, want %s and %s", a.took, end.Remaining, r.took, left)
		}
	})
}

// The last failure is the one that is reported. The next read asks again after a failure that may pass, and not after a
// final refusal.
func TestOnlyAFinalFailureIsKept(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		replies := []reply{
			answered(500),
			{err: errDropped},
			answered(504),
			answered(404),
		}
		s := &service{read: func(n int, _ *http.Request) reply {
			return replies[n-1]
		}}
		c := over(t, s, maxRetries(2))
		expectKind(t, []readResult{theGroup.read(t, c)}, kindUnavailable, "504")
		for range 3 {
			expectKind(t, []readResult{theGroup.read(t, c)}, kindStatus, "404")
		}
		s.expectCounts(t, 1, 4)
	})
}

// After a read has used up its retries, those that begin later make one attempt each, until one is answered.
// Those under way keep their retries.
func TestAnOutageIsWaitedForOnce(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		down := true
		s := &service{read: func(n int, _ *http.Request) reply {
			switch {
			case down, n == 22, n == 23:
				return answered(503)
			case n == 21:
				return answered(404)
			}
			return found
		}}
		c := over(t, s)
		early := group("early").start(t, c)
		time.Sleep(10 * sec)
		under := group("under way").start(t, c)
		expectEnd(t, []readResult{early.end()}, ending{Cause: retriesUsedUp, Attempts: 5})
		later := readAll(t, c, 5, eachGroup(0, 10))
		expectEnd(t, later, ending{Cause: serviceDown, Attempts: 1})
		expectKind(t, later, kindUnavailable)
		expectEnd(t, []readResult{under.end()}, ending{Cause: retriesUsedUp, Attempts: 5})
		down = false
		expectKind(t, []readResult{theGroup.read(t, c)}, kindStatus) // the 21st: a 404 is an answer
		a := group("after").read(t, c)
		expectAllRead(t, []readResult{a}) // it has its retries again
		s.expectCounts(t, 1, 24)
		if a.took != 3*sec {
			t.Errorf("it took %s", a.took)
		}
	})
	t.Run("of the token endpoint", func(t *testing.T) {
		onFakeClock(t, func(t *testing.T) {
			s := &service{token: func(int) reply { return reply{err: errDropped, after: 1 * sec} }}
			c := over(t, s, maxRetries(2))
			expectEnd(t, readAll(t, c, 10, eachGroup(0, 10)), ending{Cause: retriesUsedUp, Attempts: 3})
			expectEnd(t, readAll(t, c, 1, eachGroup(10, 20)), ending{Cause: serviceDown, Attempts: 1})
			s.expectCounts(t, 13, 0)
		})
	})
}
