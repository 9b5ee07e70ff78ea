package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Request is what the sandbox was asked, and what came of it.
type Request struct {
	At     time.Time // arrival
	Route  Route
	Method string
	Path   string // escaped, as it was sent
	Query  string // escaped, without the question mark
	Header http.Header
	Form   url.Values // the fields of token requests, of a form or of JSON; nil where the body is neither
	Remote string     // the connection's remote address; tells connections apart
	ID     string     // X-Request-Id of the answer
	Status int        // 0 while there is no answer, and where none was given
}

// Requests returns what was asked so far, in the order of arrival, without the
// control routes.
func (s *Sandbox) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Request, len(s.requests))
	for i, r := range s.requests {
		list[i] = *r
	}
	return list
}

// Count returns how many requests of the route have arrived.
func (s *Sandbox) Count(route Route) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if route.covers(r.Route) {
			n++
		}
	}
	return n
}

// ResetRequests forgets the requests so far.
func (s *Sandbox) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// arrive records the request and returns the id of its answer.
func (s *Sandbox) arrive(x *exchange) string {
	r := x.request
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrivals++
	id := fmt.Sprintf("sandbox-%06d", s.arrivals)
	x.record = &Request{
		At: time.Now(), Route: x.target.route, Method: r.Method, Path: r.URL.EscapedPath(),
		Query: r.URL.RawQuery, Header: r.Header.Clone(), Remote: r.RemoteAddr, ID: id,
	}
	if !x.target.isControl() {
		s.requests = append(s.requests, x.record)
	}
	return id
}

// listed is the request as the control route lists it. Credentials are left
// out: those who point the wrong client at the sandbox send real ones.
func (r Request) listed() object {
	header := r.Header.Clone()
	header.Del("Authorization")
	o := object{
		{"id", encode(r.ID)},
		{"at", encode(r.At.UTC().Format(time.RFC3339Nano))},
		{"route", encode(string(r.Route))},
		{"method", encode(r.Method)},
		{"path", encode(r.Path)},
		{"query", encode(r.Query)},
		{"status", encode(r.Status)},
		{"header", encode(header)},
	}
	if r.Form != nil {
		o = append(o, member{"clientId", encode(r.Form.Get("client_id"))})
	}
	return o
}

func (s *Sandbox) readFields(x *exchange) {
	if x.target.route != RouteToken {
		return
	}
	fields, err := parseToken(mediaType(x.request), x.body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x.record.Form = fields
}

func (s *Sandbox) settle(x *exchange, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.record.Status = status
}
