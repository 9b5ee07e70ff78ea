package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// shownRequests is how many requests the page shows at most.
const shownRequests = 100

// requestView is a request as the page shows it, without credentials.
type requestView struct {
	entry

	Name          string // of the group in its path
	Before, After string // the path around the group's id
}

func (s *Sandbox) requestsLocked() *requestsView {
	names := s.namesLocked()
	v := &requestsView{Arrived: s.countLocked(RouteAny)}
	for _, e := range slices.Backward(s.requests[max(0, len(s.requests)-shownRequests):]) {
		v.Rows = append(v.Rows, newRequestView(*e, names[e.Group]))
	}
	return v
}

// namesLocked returns the names of the groups by id.
func (s *Sandbox) namesLocked() map[string]string {
	names := make(map[string]string, len(s.groups))
	for _, g := range s.groups {
		names[g.id] = g.stated.text("name")
	}
	return names
}

func newRequestView(e entry, name string) requestView {
	at := e.At // in the local time zone, as in the logs of clients
	e.Request = e.listed()
	e.At = at
	v := requestView{entry: e, Name: name, Before: e.Path}
	prefix := paths[RouteGroups] + "/"
	if below, found := strings.CutPrefix(e.Path, prefix); found && e.Group != "" {
		id, _, _ := strings.Cut(below, "/")
		v.Before, v.After = prefix, below[len(id):]
	}
	return v
}

// GroupID is the escaped id of the group in the path, or "".
func (v requestView) GroupID() string {
	return strings.TrimSuffix(strings.TrimPrefix(v.Path, v.Before), v.After)
}

// AnsweredBy names the maker of the answer, or "" if that is not known yet.
func (v requestView) AnsweredBy() string {
	if !v.Ended {
		return v.Cause
	}
	return cmp.Or(v.Cause, "service")
}

// StatusText is the status, or says why there is none.
func (v requestView) StatusText() string {
	switch {
	case !v.Ended:
		return "under way"
	case v.Status == 0:
		return "no answer"
	}
	return strings.TrimSpace(fmt.Sprint(v.Status))
}

// Tone is the class of the status.
func (v requestView) Tone() string {
	switch {
	case !v.Ended:
		return "soft"
	case v.Status == 0 || v.Status >= http.StatusInternalServerError:
		return "bad"
	case v.Status >= http.StatusBadRequest:
		return "warn"
	}
	return "good"
}

// Duration is how long the answer took, such as 0.4 ms or 2.1 s.
func (v requestView) Duration() string {
	milliseconds := float64(v.Took) / float64(time.Millisecond)
	switch {
	case !v.Ended:
		return ""
	case v.Took >= time.Second:
		return fmt.Sprintf("%.1f s", v.Took.Seconds())
	case v.Took >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", milliseconds)
	}
	return fmt.Sprintf("%.2f ms", milliseconds)
}

// AnswerHeader is the header of the answer.
func (v requestView) AnswerHeader() http.Header { return listedHeader(v.Answer) }

// Text is the kept part of the answer's body, indented if it is JSON.
func (v requestView) Text() string {
	text := jsontext.Value(v.listedBody())
	_ = text.Indent(jsontext.WithIndent("  ")) // it may be any text
	return string(text)
}

// Remark says what is missing of the body, or "".
func (v requestView) Remark() string {
	switch {
	case !v.Ended:
		return "It is not answered yet."
	case v.Status == 0:
		return "It got no answer."
	case v.Size == 0:
		return "The body is empty."
	case v.Body == nil:
		return fmt.Sprintf("Its %d bytes are no longer kept.", v.Size)
	case len(v.Body) < v.Size:
		return fmt.Sprintf("The first %d of %d bytes.", len(v.Body), v.Size)
	}
	return fmt.Sprintf("%d bytes.", v.Size)
}
