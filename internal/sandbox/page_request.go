package sandbox

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// requestRows is the list of requests on the page.
type requestRows struct {
	Arrived int // so far
	Kept    int // of these
	Found   int // of the kept ones
	Newest  int // the number of the newest one
	Form    pageForm
	Rows    []requestRow // the newest first
	Shown   shownRequest
}

// requestRow is a request as the page shows it.
type requestRow struct{ entry }

// requestRows returns the list for a form. Once the requests of a paused list have been cleared, the list is no longer
// paused.
func (s *Sandbox) requestRows(base *url.URL, form pageForm) requestRows {
	s.mu.Lock()
	arrived, newest := s.countLocked(RouteAny), s.arrivals
	kept := make([]entry, len(s.requests)) // a copy, to search without the lock
	for i, e := range s.requests {
		kept[i] = *e
	}
	s.mu.Unlock()
	if form.Until > newest || form.Until <= newest-arrived {
		form.Until = 0
	}
	list := requestRows{Arrived: arrived, Kept: len(kept), Newest: newest, Form: form}
	list.Shown = shownRequest{Base: base, Asked: form.Request}
	for _, e := range slices.Backward(kept) {
		list.take(newRequestRow(e))
	}
	return list
}

// take adds a request to the list if the form asks for it, and notes the open one and its neighbours. The newest comes
// first.
func (l *requestRows) take(row requestRow) {
	isListed, shown := l.Form.asksFor(row), &l.Shown
	switch {
	case row.Number == shown.Asked:
		shown.requestRow = row
	case !isListed:
	case row.Number > shown.Asked:
		shown.Newer = row.Number
	case shown.Older == 0:
		shown.Older = row.Number
	}
	if isListed {
		l.Found++
	}
	if isListed && len(l.Rows) < l.Form.Rows {
		l.Rows = append(l.Rows, row)
	}
}

func (f pageForm) asksFor(r requestRow) bool {
	return (f.Until == 0 || r.Number <= f.Until) &&
		strings.HasPrefix(r.StatusText(), f.Status) &&
		(f.Text == "" || hasWords(r.words(), f.Text))
}

// words returns the text of the row. It does not use a template, because a page needs the words of 10,000 requests each
// second.
func (r requestRow) words() string {
	return plain(strings.Join([]string{
		r.Clock(), r.ID, r.Method, r.Path, r.Group, r.StatusText(), r.Took(),
		r.Client, cmp.Or(r.Cause, "service"),
	}, " "))
}

func newRequestRow(e entry) requestRow {
	if e.Query != "" {
		e.Path += "?" + listedQuery(e.Query)
	}
	return requestRow{e}
}

// shownRequest is a request in the drawer or on its own page. It has no entry if the request is no longer kept.
type shownRequest struct {
	requestRow
	Base         *url.URL
	Asked        int // the number in the form, whether the request is still kept or not; 0 for none
	Newer, Older int // the numbers of its neighbours in the list, or 0
}

// Missing returns the message for a request that is not kept.
func (r shownRequest) Missing() string {
	return fmt.Sprintf("The sandbox has no request with the number %d. It keeps the last %d.", r.Asked, keptRequests)
}

// Took returns the duration of the request in milliseconds or, above a second, in tenths of a second.
func (r requestRow) Took() string {
	unit := time.Millisecond
	if r.entry.Took > time.Second {
		unit = 100 * time.Millisecond
	}
	return max(unit, r.entry.Took.Round(unit)).String()
}

// moment returns a timestamp in UTC to the minute, and any other text unchanged.
func moment(text string) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC().Format("2006-01-02 15:04")
	}
	return text
}

// Clock returns the time of arrival in the local time zone, as in the logs of clients.
func (r requestRow) Clock() string { return r.At.Format("15:04:05.000") }

// StatusText returns the status, or the reason why there is none.
func (r requestRow) StatusText() string {
	switch {
	case !r.Ended:
		return "under way"
	case r.Status == 0:
		return "no answer"
	}
	return strconv.Itoa(r.Status)
}

// Text returns the kept part of the answer's body, indented if it is JSON.
func (r requestRow) Text() string {
	text := jsontext.Value(r.listedBody())
	_ = text.Indent(jsontext.WithIndent("  ")) // it may be any text
	return string(text)
}
