package sandbox

import (
	"fmt"
	"net/http"
	"regexp"
	"time"
)

// keptRequests is how many requests are kept; those before are forgotten.
const keptRequests = 10_000

// Request is a request that the sandbox received, and its answer.
type Request struct {
	At     time.Time // arrival
	Route  Route
	Method string
	Path   string // escaped, as it was sent
	Query  string // escaped, without the question mark
	Header http.Header
	Remote string // the connection's remote address; tells connections apart
	ID     string // X-Request-Id of the answer
	Client string // the client id of its token, or the one that asks for a token
	Cause  string // "fault 1" or "allowance" if one of them made the answer
	Status int    // 0 while there is no answer, and if none was given
}

// Requests returns the last 10,000 requests in the order of arrival, without
// the control routes.
func (s *Sandbox) Requests() []Request { return s.last(keptRequests) }

func (s *Sandbox) last(n int) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Request, min(n, len(s.requests)))
	for i, r := range s.requests[len(s.requests)-len(list):] {
		list[i] = *r
	}
	return list
}

// Count returns how many requests of the route have arrived.
func (s *Sandbox) Count(route Route) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for arrived, count := range s.counts {
		if route.covers(arrived) {
			n += count
		}
	}
	return n
}

// ResetRequests forgets the requests so far.
func (s *Sandbox) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
	clear(s.counts)
}

// arrive records the request and names its answer.
func (s *Sandbox) arrive(x *exchange) {
	r := x.request
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrivals++
	x.record = &Request{
		At: time.Now(), Route: x.route, Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery,
		Header: r.Header.Clone(), Remote: r.RemoteAddr, ID: fmt.Sprintf("sandbox-%06d", s.arrivals),
	}
	if x.own {
		return
	}
	if held, ok := s.tokens[bearer(r)]; ok {
		x.record.Client = held.organisation.ClientID
	}
	s.counts[x.route]++
	s.requests = append(s.requests, x.record)
	if len(s.requests) > keptRequests {
		s.requests = s.requests[1:] // append leaves it behind when it next grows
	}
}

var credential = regexp.MustCompile(`(?i)auth|cookie|token|secret|key|passw|credential|signature|session`)

// listed is the request as the control route lists it. Credentials are left
// out: whoever points the wrong client at the sandbox sends real ones.
func (r Request) listed() object {
	header, query := r.Header.Clone(), r.Query
	for name := range header {
		if credential.MatchString(name) {
			header[name] = []string{"(hidden)"}
		}
	}
	if credential.MatchString(query) {
		query = "(hidden)"
	}
	return object{
		"id": encode(r.ID), "at": encode(r.At.UTC().Format(time.RFC3339Nano)), "route": encode(string(r.Route)),
		"method": encode(r.Method), "path": encode(r.Path), "query": encode(query), "status": encode(r.Status),
		"clientId": encode(r.Client), "cause": encode(r.Cause), "header": encode(header),
	}
}
