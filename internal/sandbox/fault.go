package sandbox

import (
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
	Answer    Kind = iota // the fault's Status, Header and Body, or the service's own answer if Status is 0
	Hang                  // no answer until the caller gives up
	Reset                 // the connection is closed without an answer, on TCP with a reset
	CutLength             // the whole answer, and a longer Content-Length
	CutJSON               // half of the answer, and a Content-Length that agrees
)

// Page is a way in which a list says that there is more, and is wrong.
type Page string

const (
	OtherOrigin Page = "origin"   // the next page is at another origin
	Loop        Page = "loop"     // the next page is this one
	WrongCount  Page = "count"    // X-Total-Count is above the number of elements
	Envelope    Page = "envelope" // an object has the list in items
)

// Fault makes requests fail, or go slowly. Its zero value changes nothing.
type Fault struct {
	Route Route  // what it hits; "" is [RouteAny]
	Path  string // if set, the exact escaped path of what it hits
	// Skip lets that many matching requests through, then Times are hit, or
	// every further one if it is 0. Requests that an earlier fault hit are not
	// counted.
	Skip, Times int

	Kind   Kind
	Status int // 0 for the service's own answer
	Header http.Header
	Body   string
	Page   Page          // makes the answer of a list a wrong page
	Delay  time.Duration // passes before anything else, or until the caller gives up
	// Mutate changes the answer before it is sent, or cut. It may be called by
	// several requests at once and owns what it is given.
	Mutate func(status int, header http.Header, body []byte) (int, http.Header, []byte)
	// OnRequest is called when a request is hit, before the delay.
	OnRequest func(*http.Request)
}

// Refuse returns a fault that answers with a code of INTERFACE.md, Errors, and
// its status. It panics on any other code.
func Refuse(route Route, code, message string) Fault {
	if statuses[code] == 0 {
		panic(fmt.Sprintf("sandbox: the interface has no code %q", code))
	}
	return answering(route, deny(code, message))
}

// RefuseToken returns a fault of the token endpoint that answers with an error
// of INTERFACE.md, Token endpoint errors. It panics on any other error.
func RefuseToken(code, description string) Fault {
	if oauthStatuses[code] == 0 {
		panic(fmt.Sprintf("sandbox: the token endpoint has no error %q", code))
	}
	return answering(RouteToken, badToken(code, description))
}

func answering(route Route, a *answer) Fault {
	return Fault{Route: route, Status: a.status, Header: a.header, Body: string(a.body)}
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
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = slices.DeleteFunc(s.faults, func(f *injected) bool { return f == in })
	}
}

func (s *Sandbox) inject(f Fault, order object) *injected {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastFault++
	in := &injected{Fault: f, id: s.lastFault, order: order}
	s.faults = append(s.faults, in)
	return in
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
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-ctx.Done():
			panic(http.ErrAbortHandler)
		}
	}
	if f.Kind == Hang || f.Kind == Reset {
		if f.Kind == Hang {
			<-ctx.Done()
		} else {
			reset(w)
		}
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
	switch f.Kind {
	case CutLength:
		const missing = 64
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)+missing))
	case CutJSON:
		a.body = a.body[:len(a.body)/2]
	}
	return a
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
