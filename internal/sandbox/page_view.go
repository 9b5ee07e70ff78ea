package sandbox

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
)

// view is what the page's templates show.
type view struct {
	Mark          mark
	Base          string // the address by which the browser knows the sandbox
	Authority     string
	Controls      []Control
	Allowance     Allowance
	Organisations []Organisation
	IsWhole       bool // whether everything is shown, and not only what has changed
	HasFaults     bool // whether Faults is shown
	Faults        []object
	Requests      *requestsView // nil if it is not shown
	Groups        []groupView   // those that are shown
}

type requestsView struct {
	Arrived int           // so far
	Rows    []requestView // the newest first
}

type groupView struct {
	Index  int
	ID     string
	Owner  string
	Group  object
	Models []object // newest first
	Open   bool     // at first
}

// view returns what has changed since a mark.
func (s *Sandbox) view(r *http.Request, since mark) view {
	const openUpTo = 10 // of so few groups the revisions are shown at once
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	v := view{
		Base:          scheme + "://" + r.Host,
		Authority:     s.settings.authority,
		Controls:      Controls(),
		Allowance:     s.settings.allowance,
		Organisations: s.catalogue.organisations,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.Faults = s.listedFaultsLocked()
	v.Mark = s.markLocked(v.Faults)
	if since.Boot != v.Mark.Boot {
		since, v.IsWhole = mark{}, true
	}
	if since.Requests != v.Mark.Requests {
		v.Requests = s.requestsLocked()
	}
	v.HasFaults = since.Faults != v.Mark.Faults
	for i, g := range s.groups {
		if v.IsWhole || s.shown.changes[i] > since.Groups {
			v.Groups = append(v.Groups, newGroupView(i, g, len(s.groups) <= openUpTo))
		}
	}
	return v
}

func newGroupView(i int, g *group, isOpen bool) groupView {
	v := groupView{
		Index: i,
		ID:    g.id,
		Owner: g.owner,
		Group: g.stated,
		Open:  isOpen,
	}
	for _, m := range g.models {
		v.Models = append(v.Models, m.document)
	}
	return v
}

// mark tells which state of the sandbox a page shows: with the same mark they show the same.
type mark struct {
	Boot             string // differs in every process
	Requests, Faults string
	Groups           int // how many changes of groups there were
}

func (m mark) String() string {
	return fmt.Sprintf("%s-%s-%s-%d", m.Boot, m.Requests, m.Faults, m.Groups)
}

// parseMark reads a mark. Another text is the mark of no page.
func parseMark(text string) mark {
	words := strings.Split(text, "-")
	const fields = 4
	if len(words) != fields {
		return mark{}
	}
	groups, _ := strconv.Atoi(words[3])
	return mark{words[0], words[1], words[2], groups}
}

func (s *Sandbox) markLocked(faults []object) mark {
	s.shown.notice(s.groups)
	return mark{
		Boot:     s.shown.boot,
		Requests: sum(len(s.requests), s.arrivals, s.ended),
		Faults:   sum(faults),
		Groups:   s.shown.count,
	}
}

// sum returns a text that differs for different values.
func sum(values ...any) string {
	h := fnv.New64a()
	fmt.Fprintln(h, values...)
	return strconv.FormatUint(h.Sum64(), 36)
}

// shown remembers which groups were shown, to tell which have changed since.
type shown struct {
	boot    string
	groups  []*group
	changes []int // of each group: the count after its last change
	count   int   // of changes
}

// notice counts the groups that are not those of the last time. A group never changes, but is replaced. All of them
// keep their places.
func (s *shown) notice(groups []*group) {
	if s.groups == nil {
		s.changes = make([]int, len(groups))
		s.groups = groups
	}
	for i, g := range groups {
		if g != s.groups[i] {
			s.count++
			s.changes[i] = s.count
		}
	}
	s.groups = groups
}
