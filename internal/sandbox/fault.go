package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Fault makes requests fail or slow. Its zero value changes nothing.
type Fault struct {
	Route Route  // the route it hits; "" is [RouteAny]
	Path  string // if set, the exact escaped path of the requests it hits
	// The first Skip matching requests pass. Each Every-th request after them is hit, or each one if Every is 0, until
	// Times requests have been hit, or for good if Times is 0. Requests hit by an earlier fault do not count.
	Skip, Every, Times int

	Drop   bool          // the connection is closed without an answer, on TCP with a reset
	Hang   bool          // no answer until the caller gives up
	Cut    string        // "length": a longer Content-Length; "json": half of the answer
	Status int           // 0 for the service's own answer
	Header http.Header   // replaces headers of the answer
	Body   string        // of an answer with that Status
	Delay  time.Duration // passes first, unless the caller gives up before
	// Mutate changes the answer before it is cut and sent. It may be called concurrently. It owns its arguments.
	Mutate func(status int, header http.Header, body []byte) (int, http.Header, []byte)
	// OnRequest is called when a request is hit, before the delay.
	OnRequest func(*http.Request)

	answer func(Route) *answer // in place of Status and Body, if not nil
}

// Refuse returns a fault that answers with a code of INTERFACE.md, Errors.
func Refuse(route Route, code, message string) Fault {
	a := promised(statuses[code], code, message, nil)
	return Fault{
		Route:  route,
		Status: a.status,
		Header: a.header,
		Body:   string(a.body),
	}
}

type injected struct {
	Fault
	id         int
	order      object // the body of the control request, if one injected it
	seen, hits int
}

// Inject makes matching requests fail until remove is called. If several faults are due, the oldest hits the request. A
// fault never hits control routes.
func (s *Sandbox) Inject(f Fault) (remove func()) {
	in := s.inject(f, nil)
	return func() { s.removeFault(in.id) }
}

// removeFault removes the fault with that id, and reports whether there was one.
func (s *Sandbox) removeFault(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.faults)
	s.faults = slices.DeleteFunc(s.faults, func(f *injected) bool { return f.id == id })
	return len(s.faults) < before
}

func (s *Sandbox) inject(f Fault, order object) *injected {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastFault++
	in := &injected{Fault: f, id: s.lastFault, order: order}
	s.faults = append(s.faults, in)
	return in
}

// takeFault returns the fault that hits the request, if there is one, and counts the hit.
func (s *Sandbox) takeFault(x *exchange) (Fault, bool) {
	if x.own {
		return Fault{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		isOther := f.Path != "" && f.Path != x.request.URL.EscapedPath()
		if !isOther && f.Route.covers(x.route) && f.takes() {
			x.record.Cause = "fault " + strconv.Itoa(f.id)
			return f.Fault, true
		}
	}
	return Fault{}, false
}

// takes counts a matching request, and reports whether the fault hits it.
func (f *injected) takes() bool {
	if f.Times > 0 && f.hits == f.Times {
		return false
	}
	f.seen++
	past := f.seen - f.Skip
	if past < 1 || past%max(1, f.Every) != 0 {
		return false
	}
	f.hits++
	return true
}

// fail applies the fault, and returns the answer or aborts the request.
func fail(w http.ResponseWriter, x *exchange, f Fault, reply func(*exchange) *answer) *answer {
	if f.OnRequest != nil {
		f.OnRequest(x.request)
	}
	pass(x.request.Context(), f.Delay)
	switch {
	case f.Hang:
		<-x.request.Context().Done()
		panic(http.ErrAbortHandler)
	case f.Drop:
		drop(w)
		panic(http.ErrAbortHandler)
	}
	a := f.reply(x, reply)
	for name, values := range f.Header {
		a.header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	if f.Mutate != nil {
		a.status, a.header, a.body = f.Mutate(a.status, a.header, a.body)
	}
	switch f.Cut {
	case "length":
		const missing = 64
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)+missing))
	case "json":
		a.body = a.body[:len(a.body)/2]
	}
	return a
}

// reply returns the answer of the fault or, if it has none, of the service.
func (f *Fault) reply(x *exchange, reply func(*exchange) *answer) *answer {
	switch {
	case f.answer != nil:
		return f.answer(x.route)
	case f.Status != 0:
		return respond(f.Status, []byte(f.Body))
	}
	return reply(x)
}

// pass returns after a delay, or aborts the request if its caller gives up before.
func pass(ctx context.Context, delay time.Duration) {
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		panic(http.ErrAbortHandler)
	}
}

// drop closes the connection without an answer. Without lingering, TCP resets the connection.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (s *Sandbox) controlInject(x *exchange) *answer {
	fault, order, err := s.readFault(x.body)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusCreated, encode(object{"id": encode(s.inject(fault, order).id)}))
}

func (s *Sandbox) controlFaults(*exchange) *answer {
	return respond(http.StatusOK, encode(s.listedFaults()))
}

// listedFaults returns the faults' orders with their ids and hits.
func (s *Sandbox) listedFaults() []object {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]object, len(s.faults))
	for i, f := range s.faults {
		list[i] = object{"id": encode(f.id), "hits": encode(f.hits)}.with(f.order)
	}
	return list
}

func (s *Sandbox) controlRemove(x *exchange) *answer {
	said := x.request.PathValue("fault")
	if id, _ := strconv.Atoi(said); !s.removeFault(id) { // no fault has the id 0
		return deny("NOT_FOUND", fmt.Sprintf("There is no fault with the id %q.", said))
	}
	return respond(http.StatusNoContent, nil)
}

func (s *Sandbox) clearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}
