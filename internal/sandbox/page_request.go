package sandbox

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// requestRows are the requests that the page shows.
type requestRows struct {
	Arrived int // so far
	Found   int // of those that are kept
	Newest  int // the number of the newest
	Form    pageForm
	Rows    []requestRow // the newest first
}

// requestRow is a request as the page shows it, without credentials.
type requestRow struct{ entry }

// requestRows returns the requests that the form asks for. A list is no longer paused once its requests have been
// cleared.
func (s *Sandbox) requestRows(form pageForm) requestRows {
	s.mu.Lock()
	arrived, newest := s.countLocked(RouteAny), s.arrivals
	kept := make([]entry, len(s.requests)) // a copy, so that their text is searched without the lock
	for i, e := range s.requests {
		kept[i] = *e
	}
	s.mu.Unlock()
	if form.Until > newest || form.Until <= newest-arrived {
		form.Until = 0
	}
	list := requestRows{Arrived: arrived, Newest: newest, Form: form}
	for _, e := range slices.Backward(kept) {
		row := newRequestRow(e)
		if !form.asksFor(row) {
			continue
		}
		list.Found++
		if len(list.Rows) < form.Rows {
			list.Rows = append(list.Rows, row)
		}
	}
	return list
}

func (f pageForm) asksFor(r requestRow) bool {
	return (f.Until == 0 || r.Number <= f.Until) &&
		strings.HasPrefix(r.StatusText(), f.Status) &&
		(f.Text == "" || strings.Contains(r.words(), f.Text))
}

// words returns what is written in the row. No template makes it, because a page asks it of 10,000 requests each
// second.
func (r requestRow) words() string {
	return plain(strings.Join([]string{
		r.Clock(), r.ID, r.Method, r.Path, r.Group, r.StatusText(), r.Took.String(),
		r.Client, cmp.Or(r.Cause, "service"),
	}, " "))
}

func newRequestRow(e entry) requestRow {
	if e.Query != "" {
		e.Path += "?" + listedQuery(e.Query)
	}
	return requestRow{e}
}

// Clock is the time of its arrival, in the local time zone, as in the logs of clients.
func (r requestRow) Clock() string { return r.At.Format("15:04:05.000") }

// StatusText is the status, or says why there is none.
func (r requestRow) StatusText() string {
	switch {
	case !r.Ended:
		return "under way"
	case r.Status == 0:
		return "no answer"
	}
	return strconv.Itoa(r.Status)
}

// Text is the kept part of the answer's body, indented if it is JSON.
func (r requestRow) Text() string {
	text := jsontext.Value(r.listedBody())
	_ = text.Indent(jsontext.WithIndent("  ")) // it may be any text
	return string(text)
}
