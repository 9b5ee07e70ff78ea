package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what happens to a request that a [Fault] hits.
type Kind int

const (
	// Answer sends the fault's Status, Header and Body, or what the service
	// would have answered if Status is 0.
	Answer Kind = iota
	// Hang leaves the request without an answer until its caller gives up.
	Hang
	// Reset closes the connection without an answer, on TCP with a reset.
	Reset
	// CutLength sends the whole answer, but announces a longer one in
	// Content-Length: only the length tells that something is missing.
	CutLength
	// CutJSON sends half of the answer and a Content-Length that agrees: only
	// the JSON tells that something is missing.
	CutJSON
)

// Page is a way in which a list says that there is more, and is wrong.
type Page string

const (
	// OtherOrigin names a next page that another origin has.
	OtherOrigin Page = "origin"
	// Loop names the page itself as the next one.
	Loop Page = "loop"
	// WrongCount has an X-Total-Count above the number of elements.
	WrongCount Page = "count"
	// Envelope sends an object with the list in items.
	Envelope Page = "envelope"
)

// Fault makes requests fail, or go slowly. Its zero value changes nothing.
type Fault struct {
	// Route is what it hits; empty is [RouteAny].
	Route Route
	// Path, if set, is the exact escaped path of what it hits.
	Path string
	// Skip lets that many matching requests through, then Times are hit, or
	// every further one if it is 0. Requests that an earlier fault hit are not
	// counted.
	Skip, Times int

	// Kind is what happens to the request.
	Kind Kind
	// Status, Header and Body are the answer of the kinds that send one; with
	// a Status of 0 it is the service's own. The Content-Type is JSON unless
	// Header has another.
	Status int
	Header http.Header
	Body   string
	// Delay passes before anything else, or until the caller gives up.
	Delay time.Duration
	// Mutate changes the answer before it is sent, or cut. It may be called by
	// several requests at once and owns what it is given.
	Mutate func(status int, header http.Header, body []byte) (int, http.Header, []byte)
	// Page makes the answer of a list a wrong page.
	Page Page
	// OnRequest is called when a request is hit, before the delay.
	OnRequest func(*http.Request)
}

// Refuse returns a fault that answers with a code of INTERFACE.md, Errors, and
// the status that belongs to it. It panics on any other code.
func Refuse(route Route, code, message string) Fault {
	if statuses[code] == 0 {
		panic(fmt.Sprintf("sandbox: the interface has no code %q", code))
	}
	a := deny(code, message)
	return Fault{Route: route, Status: a.status, Header: a.header, Body: string(a.body)}
}

// RefuseToken returns a fault of the token endpoint that answers with an error
// of INTERFACE.md, Token endpoint errors, and its status. It panics on any
// other error.
func RefuseToken(code, description string) Fault {
	if oauthStatuses[code] == 0 {
		panic(fmt.Sprintf("sandbox: the token endpoint has no error %q", code))
	}
	a := badToken(code, description)
	return Fault{Route: RouteToken, Status: a.status, Header: a.header, Body: string(a.body)}
}

type injected struct {
	Fault
	id      int
	order   object // what a control route was sent, to list it
	matched int
}

// hits is how many requests the fault has hit.
func (f *injected) hits() int {
	hits := max(0, f.matched-f.Skip)
	if f.Times > 0 {
		hits = min(hits, f.Times)
	}
	return hits
}

// Inject makes matching requests fail until remove is called. Of several
// faults the one injected first that is due hits the request. The control
// routes are spared.
func (s *Sandbox) Inject(f Fault) (remove func()) {
	in := s.inject(f, nil)
	return func() { s.removeFault(in.id) }
}

func (s *Sandbox) inject(f Fault, order object) *injected {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastFault++
	in := &injected{Fault: f, id: s.lastFault, order: order}
	s.faults = append(s.faults, in)
	return in
}

// removeFault reports whether the fault existed.
func (s *Sandbox) removeFault(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.faults)
	s.faults = slices.DeleteFunc(s.faults, func(f *injected) bool { return f.id == id })
	return len(s.faults) < before
}

// dueFault returns the fault that hits the request, if one does.
func (s *Sandbox) dueFault(x *exchange) (Fault, bool) {
	if x.own {
		return Fault{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if !f.Route.covers(x.route) || f.Path != "" && f.Path != x.request.URL.EscapedPath() {
			continue
		}
		before := f.hits()
		f.matched++
		if f.hits() > before {
			x.record.Cause = "fault " + strconv.Itoa(f.id)
			return f.Fault, true
		}
	}
	return Fault{}, false
}

// fail does what the fault says. It returns the answer, or aborts the request.
func fail(w http.ResponseWriter, x *exchange, f Fault, reply func(*exchange) *answer) *answer {
	if f.OnRequest != nil {
		f.OnRequest(x.request)
	}
	ctx := x.request.Context()
	if !pause(ctx, f.Delay) {
		panic(http.ErrAbortHandler)
	}
	switch f.Kind {
	case Hang:
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	case Reset:
		reset(w)
		panic(http.ErrAbortHandler)
	}
	var a *answer
	if f.Status == 0 {
		a = reply(x)
	} else {
		a = respond(f.Status, []byte(f.Body))
		for name, values := range f.Header {
			a.header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	a.identify(x.record.ID)
	a.turnPage(f.Page, x.request.URL.EscapedPath())
	if f.Mutate != nil {
		a.status, a.header, a.body = f.Mutate(a.status, a.header, a.body)
	}
	return cut(a, f.Kind)
}

// turnPage makes the list at that path a wrong page. Other answers stay.
func (a *answer) turnPage(page Page, path string) {
	list := elements(a.body)
	if a.status != http.StatusOK || list == nil {
		return
	}
	switch page {
	case OtherOrigin:
		a.with("Link", "<https://elsewhere.example"+path+`?page=2>; rel="next"`)
	case Loop:
		a.with("Link", "<"+path+`>; rel="next"`)
	case WrongCount:
		a.with("X-Total-Count", strconv.Itoa(len(list)+1))
	case Envelope:
		a.body = encode(object{"items": a.body, "next": jsontext.Value("null")})
	}
}

func cut(a *answer, kind Kind) *answer {
	switch kind {
	case CutLength:
		const missing = 64
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)+missing))
	case CutJSON:
		a.body = a.body[:len(a.body)/2]
	}
	return a
}

// pause waits, and reports whether the context let it.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// reset closes the connection below HTTP and TLS. A TCP connection that does
// not linger is reset, not shut down in order.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
