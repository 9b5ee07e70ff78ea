package catalogue_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

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

// marked is a fault that leaves the answer as it is, but for one field of its header.
func marked(route sandbox.Route, name, value string) sandbox.Fault {
	return sandbox.Fault{Route: route, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		header.Set(name, value)
		return status, header, body
	}}
}

// stalling is a service whose answers with the field Stall come to a halt after one byte of their body.
func stalling(service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { service.ServeHTTP(stallingWriter{w, r.Context()}, r) })
}

type stallingWriter struct {
	http.ResponseWriter
	ctx context.Context //nolint:containedctx // of the one request
}

func (w stallingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w stallingWriter) Write(body []byte) (int, error) {
	if w.Header().Get("Stall") == "" {
		return w.ResponseWriter.Write(body)
	}
	_, _ = w.ResponseWriter.Write(body[:1])
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	<-w.ctx.Done()
	return 1, w.ctx.Err()
}

// TestFaultsThatMayPass: each row is a fault of one route, for some of its requests or for all. Twenty readers share
// the request for a token.
func TestFaultsThatMayPass(t *testing.T) {
	const read, token = sandbox.RouteGroup, sandbox.RouteToken
	const post = "POST http://localhost/v1/auth/token"
	get := "GET http://localhost/v1/model-group/" + groupID(0)
	is := func(route sandbox.Route, status int, body string) sandbox.Fault {
		return sandbox.Fault{Route: route, Status: status, Body: body}
	}
	type fault struct {
		sandbox.Fault
		took time.Duration // what one failing attempt takes
		kind simTold
		says string
	}
	type row struct {
		fault
		times, retries int    // how many requests have the fault, 0 for all
		gaveUp         string // "" where the reads succeed
		attempts       int
	}
	const down = toldUnavailable
	rows := map[string]row{}
	for name, f := range map[string]fault{
		"500":         {sandbox.Refuse(read, "INTERNAL_ERROR", "It broke."), 0, down, "500 Internal Server Error (INTERNAL_ERROR): It broke."},
		"502":         {sandbox.Refuse(read, "BAD_GATEWAY", "No upstream."), 0, down, "502 Bad Gateway (BAD_GATEWAY): No upstream."},
		"503":         {is(read, 503, `{"code":"DOWN","message":"Closed."}`), 0, down, "503 Service Unavailable (DOWN): Closed."},
		"504":         {is(read, 504, ""), 0, down, "504 Gateway Timeout"},
		"599":         {is(read, 599, ""), 0, down, "599"},
		"408":         {sandbox.Refuse(read, "REQUEST_TIMEOUT", "Too slow."), 0, down, "408 Request Timeout (REQUEST_TIMEOUT): Too slow."},
		"a new code":  {is(read, 500, `{"code":"NEW","message":"New."}`), 0, down, "500 Internal Server Error (NEW)"},
		"a 404's":     {is(read, 500, `{"code":"NOT_FOUND","message":"No."}`), 0, down, "500 Internal Server Error (NOT_FOUND)"},
		"reset":       {sandbox.Fault{Route: read, Kind: sandbox.Reset}, 0, toldNetwork, get},
		"hanging":     {sandbox.Fault{Route: read, Kind: sandbox.Hang}, 30 * sec, toldTimeout, get + ": no whole answer within 30s"},
		"slow":        {sandbox.Fault{Route: read, Delay: 31 * sec}, 30 * sec, toldTimeout, get + ": no whole answer within 30s"},
		"stalling":    {marked(read, "Stall", "yes"), 30 * sec, toldTimeout, get + ": no whole answer within 30s"},
		"cut, length": {sandbox.Fault{Route: read, Kind: sandbox.CutLength}, 0, toldNetwork, get + ": the answer was cut short"},
		"cut, JSON":   {sandbox.Fault{Route: read, Kind: sandbox.CutJSON}, 0, toldNetwork, get + ": the answer was cut short"},

		"token, 502": {sandbox.RefuseToken("temporarily_unavailable", "Wait."), 0, down, "502 Bad Gateway (temporarily_unavailable): Wait."},
		"token, 400": {
			is(token, 400, `{"error":"temporarily_unavailable","error_description":"Later."}`), 0, down,
			"400 Bad Request (temporarily_unavailable): Later.",
		},
		"token, 500":         {is(token, 500, `{"error":"e","error_description":"Bad."}`), 0, down, "500 Internal Server Error (e): Bad."},
		"token, 503":         {is(token, 503, "<html><title>Closed</title>"), 0, down, "503 Service Unavailable: a page of HTML titled Closed"},
		"token, 408":         {is(token, 408, ""), 0, down, "408 Request Timeout"},
		"token, reset":       {sandbox.Fault{Route: token, Kind: sandbox.Reset}, 0, toldNetwork, post},
		"token, hanging":     {sandbox.Fault{Route: token, Kind: sandbox.Hang}, 30 * sec, toldTimeout, post + ": no whole answer within 30s"},
		"token, cut, length": {sandbox.Fault{Route: token, Kind: sandbox.CutLength}, 0, toldNetwork, post + ": the answer was cut short"},
		"token, cut, JSON":   {sandbox.Fault{Route: token, Kind: sandbox.CutJSON}, 0, toldNetwork, post + ": the answer was cut short"},
	} {
		rows[name+", twice"] = row{f, 2, 4, "", 3}
		rows[name+", always"] = row{f, 0, 4, "gave up after 5 attempts", 5}
		rows[name+", no retries"] = row{f, 0, 0, "gave up after 1 attempts in", 1}
		rows[name+", once more than the retries"] = row{f, 2, 1, "gave up after 2 attempts", 2}
	}
	eachOnFakeClock(t, rows, func(t *testing.T, r row) {
		readers, requests := 20, map[sandbox.Route]int{token: 1}
		service := sandbox.New(manyGroups(t, readers))
		if r.Route == read {
			readers = 1
			service.Inject(marked(token, "Connection", "close")) // a kept connection that is closed is no attempt like any other
		} else {
			r.Delay, r.took = sec, max(r.took, sec) // so that every reader waits for the first request
		}
		r.Times = r.times
		remove := service.Inject(r.Fault)
		c := connect(t, stalling(service), maxRetries(r.retries))
		answers := readAll(t, c, readers, eachGroup(0, readers))
		if r.gaveUp == "" {
			expectAllRead(t, answers)
			requests[read] = readers
		} else {
			expectAllTold(t, answers, r.kind, r.gaveUp, r.says)
		}
		requests[r.Route] = r.attempts
		expectRequests(t, service, requests)
		expectWaits(t, arrivals(service, r.Route), after(r.took, backOffs(1*sec, 2*sec, 4*sec, 8*sec)[:r.attempts-1]))

		// It may have passed: it is no latch.
		remove()
		expectAllRead(t, readAll(t, c, readers, eachGroup(0, readers)))
		if r.gaveUp != "" {
			requests[read] += readers
		}
		if r.gaveUp != "" && r.Route == token {
			requests[token]++
		}
		expectRequests(t, service, requests)
	})
}

func TestBackOffGoesUpToHalfAMinuteWithJitter(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(status(503, "", 0))
		err := theGroup.read(t, connect(t, service, maxRetries(8))).err
		expectError(t, err, toldUnavailable, "gave up after 9 attempts")
		at, waits := arrivals(service, sandbox.RouteGroup), backOffs(1*sec, 2*sec, 4*sec, 8*sec, 16*sec, 30*sec, 30*sec, 30*sec)
		expectWaits(t, at, waits)
		for i := range waits {
			if at[i+1].Sub(at[i]) > waits[i].least {
				return
			}
		}
		t.Error("every wait is the least it may be: processes that failed together would come back together")
	})
}

func TestRefusedConnections(t *testing.T) {
	type row struct {
		refused int // connections, the first ones
		reads   int // that succeed
		waits   []wait
	}
	eachOnFakeClock(t, map[string]row{
		"twice":  {2, 1, backOffs(1*sec, 2*sec)},
		"always": {100, 0, backOffs(1*sec, 2*sec, 4*sec, 8*sec)},
	}, func(t *testing.T, r row) {
		service := sandbox.New(sandbox.Default())
		dial, closeAll := pipe(service)
		t.Cleanup(closeAll)
		var dials []time.Time
		c := dialling(t, func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials = append(dials, time.Now()); len(dials) <= r.refused {
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
			}
			return dial(ctx, network, address)
		})
		if r.reads > 0 {
			theGroup.mustRead(t, c)
		} else {
			says := []string{"gave up after 5 attempts", "POST http://localhost/v1/auth/token", "connection refused"}
			expectError(t, theGroup.read(t, c).err, toldNetwork, says...)
		}
		expectWaits(t, dials, r.waits)
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: r.reads, sandbox.RouteGroup: r.reads})
	})
}

// A connection kept from an earlier request may have been closed by the other side meanwhile. It is one more admission
// at once, on a new connection.
func TestAConnectionThatWasKeptAndIsGoneCostsNoAttempt(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Reset, Times: 1})
		theGroup.mustRead(t, connect(t, service, maxRetries(0)))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2})
		expectWaits(t, arrivals(service, sandbox.RouteGroup), exactly(0))
	})
}

func TestReadTimeoutCapsTheRetries(t *testing.T) {
	type row struct {
		fault        sandbox.Fault
		read, single time.Duration // the time-outs
		kind         simTold
		attempts     int
		says         string
		waits        []wait
		least, most  time.Duration
	}
	hang, slow := sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}, sandbox.Fault{Route: sandbox.RouteGroup, Delay: 15 * sec}
	const single, over = "no whole answer within 30s", "no whole answer before the read's time was over"
	const down, most = "503 Service Unavailable (DOWN): Down.", 8750 * time.Millisecond
	fails := status(503, `{"code":"DOWN","message":"Down."}`, 0)
	eachOnFakeClock(t, map[string]row{
		// The wait of 8 s no longer fits, so the read does not sit it out.
		"no wait fits":         {fails, 14 * sec, 30 * sec, toldUnavailable, 4, down, backOffs(1*sec, 2*sec, 4*sec), 7 * sec, most},
		"in the first attempt": {hang, 20 * sec, 30 * sec, toldTimeout, 1, over, nil, 20 * sec, 20 * sec},
		"in the second":        {hang, 45 * sec, 30 * sec, toldTimeout, 2, single, after(30*sec, backOffs(1*sec)), 45 * sec, 45 * sec},
		"a long attempt":       {slow, 10 * sec, time.Hour, toldTimeout, 1, over, nil, 10 * sec, 10 * sec},
	}, func(t *testing.T, r row) {
		service := sandbox.New(sandbox.Default())
		service.Inject(r.fault)
		c, began := connect(t, service, readTimeout(r.read), requestTimeout(r.single), maxRetries(100)), time.Now()
		err := theGroup.read(t, c).err
		took := time.Since(began)
		if took < r.least || took > r.most {
			t.Errorf("the read took %s, want %s to %s", took, r.least, r.most)
		}
		expectError(t, err, r.kind, fmt.Sprintf("gave up after %d attempts in %s", r.attempts, took.Round(time.Millisecond)), r.says)
		expectWaits(t, arrivals(service, sandbox.RouteGroup), r.waits)
	})
}

func TestTheLastFailureIsTheOneReported(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		for _, f := range []sandbox.Fault{
			status(500, `{"code":"FIRST","message":"The first."}`, 1),
			{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON, Times: 1},
			status(503, `{"code":"THIRD","message":"The third."}`, 1),
			status(502, "<html><title>The fourth</title></html>", 1),
			status(504, `{"code":"LAST","message":"The last."}`, 0),
		} {
			service.Inject(f)
		}
		err := theGroup.read(t, connect(t, service)).err
		expectError(t, err, toldUnavailable, "504 Gateway Timeout (LAST): The last.")
		if others := []string{"FIRST", "The first", "THIRD", "fourth", "cut short"}; slices.ContainsFunc(others, func(other string) bool {
			return strings.Contains(err.Error(), other)
		}) {
			t.Errorf("another failure is told as well: %v", err)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 5})
	})
}

// TestAFailureIsNotKept: each read asks once, because the failure is final or because there are no retries, and the
// next read asks again.
func TestAFailureIsNotKept(t *testing.T) {
	type row struct {
		fault   sandbox.Fault
		retries int
		kind    simTold
	}
	with := func(status int, name, value, body string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteGroup, Status: status, Header: http.Header{name: {value}}, Body: body}
	}
	eachOnFakeClock(t, map[string]row{
		"404":                            {sandbox.Refuse(sandbox.RouteGroup, "NOT_FOUND", "Not yet."), 4, toldStatus},
		"404 with a code of tokens":      {status(404, `{"code":"temporarily_unavailable","message":"No."}`, 0), 4, toldStatus},
		"a redirect to nowhere":          {with(302, "Location", "http://[::1/%zz", ""), 4, toldStatus},
		"200 labelled gzip that is not":  {with(200, "Content-Encoding", "gzip", `{"id":"x"}`), 4, toldUnusable},
		"a shape that is not understood": {status(200, `[]`, 0), 4, toldUnusable},
		"503":                            {status(503, "", 0), 0, toldUnavailable},
		"a body that is cut":             {sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON}, 0, toldNetwork},
	}, func(t *testing.T, r row) {
		service := sandbox.New(sandbox.Default())
		remove := service.Inject(r.fault)
		c := connect(t, service, maxRetries(r.retries))
		expectAllTold(t, readAll(t, c, 1, []reading{theGroup, theGroup}), r.kind)
		remove()
		expectAllRead(t, readAll(t, c, 1, []reading{theGroup, theGroup}))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 3})
	})
}

// 429s and renewals are no attempts that max_retries counts.
func TestWaitsUseUpNoRetries(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(status(401, "", 1))
		service.Inject(limited(sandbox.RouteGroup, "3", 4))
		service.Inject(status(503, "", 1))
		theGroup.mustRead(t, connect(t, service, maxRetries(1)))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 7})
	})
}
