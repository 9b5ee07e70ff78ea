package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"
)

// The record keeps the last requests and the first bytes of each answer's body.
const (
	keptRequests = 10_000
	keptOfBody   = 8 << 10
)

// Request is a received request with its answer.
type Request struct {
	At     time.Time   `json:"at"` // arrival
	Route  Route       `json:"route"`
	Method string      `json:"method"`
	Path   string      `json:"path"`  // escaped, as sent
	Query  string      `json:"query"` // escaped, without the question mark
	Header http.Header `json:"header"`
	ID     string      `json:"id"`       // X-Request-Id of the answer
	Client string      `json:"clientId"` // the client id of its token or, in a token request, of its form
	Cause  string      `json:"cause"`    // "fault 1", "allowance" or "foreign host" if it made the answer
	Status int         `json:"status"`   // 0 without an answer
}

// entry is a request in the list, with details for the page alone.
type entry struct {
	Request

	Number int           // counts requests from 1, and continues after a reset
	Group  string        // the name of the model group in its path, or ""
	Took   time.Duration // from arrival until the answer or the end of the connection
	Ended  bool
	Answer http.Header
	Body   []byte // the first bytes of the answer's body
	Size   int    // of the whole body, in bytes
}

// Requests returns the last 10,000 requests in the order of arrival, without those of control routes.
func (s *Sandbox) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Request, len(s.requests))
	for i, e := range s.requests {
		list[i] = e.Request
	}
	return list
}

// Count returns the number of requests of the route so far.
func (s *Sandbox) Count(route Route) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.countLocked(route)
}

func (s *Sandbox) countLocked(route Route) int {
	n := 0
	for arrived, count := range s.counts {
		if route.covers(arrived) {
			n += count
		}
	}
	return n
}

// ResetRequests clears the list of requests and the counts.
func (s *Sandbox) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
	clear(s.counts)
}

// arrive records the request and chooses the id of its answer. Requests of the sandbox's own routes get no number: an
// open page would use up one each second.
func (s *Sandbox) arrive(x *exchange) {
	r := x.request
	s.mu.Lock()
	defer s.mu.Unlock()
	x.record = &entry{Request: Request{
		At:     time.Now(),
		Route:  x.route,
		Method: r.Method,
		Path:   r.URL.EscapedPath(),
		Query:  r.URL.RawQuery,
		Header: r.Header.Clone(),
		ID:     "sandbox-control",
	}}
	if x.own {
		return
	}
	s.arrivals++
	x.record.Number = s.arrivals
	x.record.ID = fmt.Sprintf("sandbox-%06d", s.arrivals)
	if i := s.indexLocked(r.PathValue("id")); i >= 0 {
		x.record.Group = s.groups[i].Stated.text("name")
	}
	if held, ok := s.tokens[bearer(r)]; ok {
		x.record.Client = held.organisation.ClientID
	}
	s.counts[x.route]++
	s.requests = append(s.requests, x.record)
	if len(s.requests) > keptRequests {
		s.requests = s.requests[1:] // the next growth by append frees the element
	}
}

// end records the answer, or nil for an aborted request. It is called before the answer is sent, so a client with the
// answer finds it in the list.
func (s *Sandbox) end(x *exchange, a *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := x.record
	if x.own || e.Ended {
		return
	}
	e.Ended = true
	e.Took = time.Since(e.At).Round(10 * time.Microsecond)
	if a == nil {
		return
	}
	e.Status = a.status
	e.ID = cmp.Or(a.header.Get("X-Request-Id"), e.ID) // a fault may have replaced it
	e.Answer = a.header.Clone()
	e.Size = len(a.body)
	e.Body = slices.Clone(a.body[:min(e.Size, keptOfBody)]) // a slice would keep the whole body
}

// credential matches names of headers and parameters with credentials.
var credential = regexp.MustCompile(`(?i)auth|cookie|token|secret|key|passw|credential|signature|session`)

const hidden = "(hidden)"

// listed hides credentials. They are real if somebody points the wrong client at the sandbox.
func (r Request) listed() Request {
	r.At, r.Header, r.Query = r.At.UTC(), listedHeader(r.Header), listedQuery(r.Query)
	return r
}

func listedQuery(query string) string {
	if credential.MatchString(query) {
		return hidden
	}
	return query
}

func listedHeader(header http.Header) http.Header {
	shown := header.Clone()
	for name := range shown {
		if credential.MatchString(name) {
			shown[name] = []string{hidden}
		}
	}
	return shown
}

// tokenMember matches a member with a token in a JSON text, even if the text ends inside it.
var tokenMember = regexp.MustCompile(`(?i)("(?:access|refresh|id)_?token"\s*:\s*)"(?:[^"\\]|\\.)*"?`)

// listedBody returns the kept part of the answer's body without tokens.
func (e *entry) listedBody() []byte {
	body := tokenMember.ReplaceAll(e.Body, []byte(`$1"`+hidden+`"`))
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}
