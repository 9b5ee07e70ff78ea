package sandbox

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// view is what the page's templates show. A part that has not changed is nil.
type view struct {
	Mark      mark
	Base      string // the address by which the browser knows the sandbox
	Authority string
	Find      string // what the requests are searched for
	Controls  []Control
	Requests  *requestsView
	Limits    *limitsView
	Groups    []groupView
	AllGroups bool // whether Groups has them all
}

type requestsView struct {
	Arrived int           // so far
	Rows    []requestView // the newest first
}

type limitsView struct {
	Faults        []object
	Allowance     Allowance
	Organisations []Organisation
	Left          map[string]int // by client id: how many requests the allowance leaves
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
		Base:      scheme + "://" + r.Host,
		Authority: s.settings.authority,
		Find:      strings.TrimSpace(r.FormValue("find")),
		Controls:  Controls(),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	limits := s.limitsLocked()
	v.Mark = s.markLocked(v.Find, limits)
	if since.Boot != v.Mark.Boot {
		since, v.AllGroups = mark{}, true
	}
	if since.Requests != v.Mark.Requests {
		v.Requests = s.requestsLocked(v.Find)
	}
	if since.Limits != v.Mark.Limits {
		v.Limits = limits
	}
	for i, g := range s.groups {
		if v.AllGroups || s.shown.changes[i] > since.Groups {
			shown := groupView{Index: i, ID: g.id, Owner: g.owner, Group: g.stated, Open: len(s.groups) <= openUpTo}
			for _, m := range g.models {
				shown.Models = append(shown.Models, m.document)
			}
			v.Groups = append(v.Groups, shown)
		}
	}
	return v
}

func (s *Sandbox) limitsLocked() *limitsView {
	v := &limitsView{
		Allowance:     s.settings.allowance,
		Organisations: s.catalogue.organisations,
		Left:          map[string]int{},
	}
	for _, f := range s.faults {
		v.Faults = append(v.Faults, f.listed())
	}
	if v.Allowance.Requests > 0 {
		for _, o := range v.Organisations {
			v.Left[o.ClientID] = s.counterLocked(o.ClientID).left(time.Now())
		}
	}
	return v
}

// mark tells which state of the sandbox a page shows: with the same mark they show the same.
type mark struct {
	Boot             string // another one in every process
	Requests, Limits string
	Groups           int // how many changes of groups there were
}

func (m mark) String() string {
	return fmt.Sprintf("%s-%s-%s-%d", m.Boot, m.Requests, m.Limits, m.Groups)
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

func (s *Sandbox) markLocked(find string, limits *limitsView) mark {
	s.shown.notice(s.groups)
	return mark{
		Boot:     s.shown.boot,
		Requests: sum(len(s.requests), s.arrivals, s.ended, find),
		Limits:   sum(limits.Faults, limits.Left),
		Groups:   s.shown.count,
	}
}

// sum returns a text that is another one for other values.
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
