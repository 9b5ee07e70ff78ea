package sandbox

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// What the page shows at most, so that it costs little however much there is.
const (
	shownGroups    = 50
	shownRevisions = 10
	shownRequests  = 100
)

// pageView is the data of page.html.
type pageView struct {
	Groups        []groupView
	MoreGroups    int
	Requests      []Request // the newest first
	Arrived       int
	Faults        []faultView
	Allowance     string
	Organisations []organisationView
	Controls      []Control
}

type groupView struct {
	ID, Name, Owner string
	Path            string // the id as an element of a path
	Public          bool
	Revisions       []revisionView // the newest first
	MoreRevisions   int
}

type revisionView struct {
	Revision, Image, Created, Updated string
	Enabled, Archived                 bool
}

type faultView struct {
	ID, Hits int
	Order    string
}

type organisationView struct {
	Organisation
	Left int // of its allowance
}

// page answers GET /, which is no part of the interface.
func (s *Sandbox) page(*exchange) *answer {
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, s.view()); err != nil {
		panic("sandbox: " + err.Error())
	}
	return respond(http.StatusOK, text.Bytes()).with("Content-Type", "text/html; charset=utf-8").
		with("Cache-Control", "no-store").
		with("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "+
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
}

func (s *Sandbox) view() pageView {
	v := pageView{Requests: s.last(shownRequests), Arrived: s.Count(RouteAny), Controls: Controls()}
	slices.Reverse(v.Requests)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, g := range s.groups {
		if i == shownGroups {
			v.MoreGroups = len(s.groups) - i
			break
		}
		v.Groups = append(v.Groups, g.view())
	}
	for _, f := range s.faults {
		v.Faults = append(v.Faults, faultView{f.id, f.hits(), string(encode(f.order))})
	}
	if s.settings.allowance.limited() {
		v.Allowance = s.settings.allowance.String()
	}
	for _, o := range s.organisations {
		left := s.settings.allowance.Requests
		if counter := s.counters[o.ClientID]; counter != nil {
			left = counter.left(time.Now())
		}
		v.Organisations = append(v.Organisations, organisationView{*o, left})
	}
	return v
}

func (g *group) view() groupView {
	v := groupView{
		ID: g.id, Path: url.PathEscape(g.id), Name: g.stated.text("name"), Owner: g.owner, Public: !g.stated.is("public", "false"),
	}
	for i, m := range g.models {
		if i == shownRevisions {
			v.MoreRevisions = len(g.models) - i
			break
		}
		d := m.document
		v.Revisions = append(v.Revisions, revisionView{
			Revision: string(d["revision"]), Image: d.text("dockerImage"),
			Created: d.text("createdAt"), Updated: d.text("updatedAt"),
			Enabled: !d.is("enabled", "false"), Archived: d.is("archived", "true"),
		})
	}
	return v
}
