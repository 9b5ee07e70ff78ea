package sandbox

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Kind is what happens to a request that a [Fault] hits.
type Kind int

// The kinds of a [Fault].
const (
	Answer    Kind = iota // the fault's Status and Body, or the service's own answer if Status is 0, with its Header
	Hang                  // no answer until the caller gives up
	Reset                 // the connection is closed without an answer, on TCP with a reset
	CutLength             // the whole answer, and a longer Content-Length
	CutJSON               // half of the answer, and a Content-Length that agrees
)

// Fault makes requests fail, or go slowly. Its zero value changes nothing.
type Fault struct {
	Route Route  // what it hits; "" is [RouteAny]
	Path  string // if set, the exact escaped path of what it hits
	// Skip lets that many matching requests through, then Times are hit, or every further one if it is 0. Requests
	// that an earlier fault hit are not counted.
	Skip, Times int

	Kind   Kind
	Status int         // 0 for the service's own answer
	Header http.Header // replaces headers of the answer
	Body   string
	Delay  time.Duration // passes before anything else, or until the caller gives up
	// Mutate changes the answer before it is sent or cut. Several requests may call it at once. It owns its arguments.
	Mutate func(status int, header http.Header, body []byte) (int, http.Header, []byte)
	// OnRequest is called when a request is hit, before the delay.
	OnRequest func(*http.Request)
}

// Refuse returns a fault that answers with a code of INTERFACE.md, Errors. It panics on any other code.
func Refuse(route Route, code, message string) Fault {
	return answering(route, deny(code, message))
}

// RefuseToken returns a fault that answers with an error of INTERFACE.md, Token endpoint errors. It panics on others.
func RefuseToken(code, description string) Fault {
	return answering(RouteToken, badToken(code, description))
}

func answering(route Route, a *answer) Fault {
	if a.status == 0 {
		panic("sandbox: the interface has no such code: " + string(a.body))
	}
	return Fault{Route: route, Status: a.status, Header: a.header, Body: string(a.body)}
}

type injected struct {
	Fault
	id            int
	order         object // the body of the control request, if one injected it
	skipped, hits int
}

// Inject makes matching requests fail until remove is called. If several faults are due, the one injected first hits
// the request. Control routes are never hit.
func (s *Sandbox) Inject(f Fault) (remove func()) {
	in := s.inject(f, nil)
	return func() { s.removeFault(in.id) }
}

// removeFault reports whether there was a fault with that id.
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
		switch {
		case f.skipped < f.Skip:
			f.skipped++
		case f.Times == 0 || f.hits < f.Times:
			f.hits++
			x.record.Cause = "fault " + strconv.Itoa(f.id)
			return f.Fault, true
		}
	}
	return Fault{}, false
}

// fail applies the fault. It returns the answer, or aborts the request.
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
	}
	a.identify(x.record.ID)
	for name, values := range f.Header {
		a.header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
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

// reset closes the connection without an answer. A TCP connection that does not linger is reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// faultOrder is the body of POST /control/faults, as sandbox.schema.json and `help fault` describe it. If it has
// several, hang wins over drop, and drop over an answer of its own.
type faultOrder struct {
	Route       Route
	Path        string
	Skip, Times int

	// What is answered in place of the service: an error, or the HTML page of a gateway.
	Code       string
	Message    string
	Status     int
	HTML       bool
	RetryAfter int

	// What happens to either answer.
	Delay      string
	Drop, Hang bool
	Cut        string
	Headers    map[string]string
}

// readFault reads a faultOrder, and returns the fault and the order. Its errors are [TextErrors].
func readFault(text []byte) (Fault, object, error) {
	order, err := readObject(text, "Fault", `{"route": "models", "status": 503}`)
	if err != nil {
		return Fault{}, nil, err
	}
	var o faultOrder
	var m TextErrors
	if err := json.Unmarshal(encode(order), &o, json.MatchCaseInsensitiveNames(true)); err != nil {
		m.add("", "%s", err)
	}
	delay, err := time.ParseDuration(cmp.Or(o.Delay, "0"))
	if err != nil || delay < 0 {
		m.add("/delay", `a time is expected, such as "500ms" or "2s"`)
	}
	status := cmp.Or(o.Status, statuses[o.Code], oauthStatuses[o.Code])
	answers := o.Code != "" || o.Status != 0 || o.HTML
	switch {
	case o.Code != "" && status == 0:
		known := slices.Sorted(maps.Keys(statuses))
		m.add("/code", "the interface has no such code, so a status is needed; known are %q", known)
	case !answers && !o.Drop && !o.Hang && o.Cut+o.Delay == "" && len(o.Headers) == 0:
		m.add("", "this does nothing: give code, status, html, headers, delay, drop, hang or cut")
	}
	if err := m.err(); err != nil {
		return Fault{}, nil, err
	}
	f := Fault{
		Route: o.Route, Path: o.Path, Skip: o.Skip, Times: o.Times, Delay: delay,
		Kind: map[string]Kind{"length": CutLength, "json": CutJSON}[o.Cut],
	}
	switch {
	case o.Hang:
		f.Kind = Hang
	case o.Drop:
		f.Kind = Reset
	case answers:
		a := o.answer(status)
		f.Status, f.Header, f.Body = a.status, a.header, string(a.body)
	}
	if len(o.Headers) > 0 && f.Header == nil {
		f.Header = http.Header{}
	}
	for name, value := range o.Headers {
		f.Header.Set(name, value)
	}
	return f, order, nil
}

// answer returns the answer of the fault in place of the service's.
func (o faultOrder) answer(status int) *answer {
	message := cmp.Or(o.Message, "A fault was injected into the sandbox.")
	var a *answer
	switch {
	case o.HTML:
		status = cmp.Or(status, http.StatusBadGateway)
		a = respond(status, fmt.Appendf(nil, "<!DOCTYPE html>\n<title>%[1]s</title>\n<h1>%[1]s</h1>\n<p>%[2]s</p>\n",
			http.StatusText(status), html.EscapeString(message))).with("Content-Type", "text/html; charset=utf-8")
	case oauthStatuses[o.Code] != 0:
		a = refuseToken(status, o.Code, message)
	default:
		// Without a code it is the generic one of the status.
		plain := map[int]string{429: "RATE_LIMITED", 500: "INTERNAL_ERROR"}[status]
		named := strings.NewReplacer(" ", "_", "-", "_", "'", "").Replace(http.StatusText(status))
		a = refuse(status, cmp.Or(o.Code, plain, strings.ToUpper(named), "UNKNOWN"), message)
	}
	if o.RetryAfter > 0 {
		a.with("Retry-After", strconv.Itoa(o.RetryAfter))
	}
	return a
}

func (s *Sandbox) controlInject(x *exchange) *answer {
	fault, order, err := readFault(x.body)
	if err != nil {
		return refuseControl(err)
	}
	return respond(http.StatusCreated, encode(object{"id": encode(s.inject(fault, order).id)}))
}

// listed returns the fault as it was ordered, with its id and its hits.
func (f *injected) listed() object {
	return object{"id": encode(f.id), "hits": encode(f.hits)}.with(f.order)
}

func (s *Sandbox) controlFaults(*exchange) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]object, len(s.faults))
	for i, f := range s.faults {
		list[i] = f.listed()
	}
	return respond(http.StatusOK, encode(list))
}

func (s *Sandbox) controlRemove(x *exchange) *answer {
	said := x.request.PathValue("fault")
	if id, err := strconv.Atoi(said); err != nil || !s.removeFault(id) {
		return deny("NOT_FOUND", fmt.Sprintf("There is no fault with the id %q.", said))
	}
	return respond(http.StatusNoContent, nil)
}

func (s *Sandbox) clearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}
