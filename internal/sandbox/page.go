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

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"text":   object.text,
	"is":     object.is,
	"raw":    func(o object, name string) string { return string(o[name]) },
	"escape": url.PathEscape,
}).Parse(pageText))

// shownRequests is how many requests the page shows at most.
const shownRequests = 100

// pageGroup is a group as the page shows it.
type pageGroup struct {
	ID, Owner string
	Group     object
	Models    []object // newest first
}

// page answers GET /, which is no part of the interface.
func (s *Sandbox) page(*exchange) *answer {
	requests, arrived := s.last(shownRequests), s.Count(RouteAny)
	slices.Reverse(requests)
	s.mu.Lock()
	var groups []pageGroup
	for _, g := range s.groups {
		shown := pageGroup{ID: g.id, Owner: g.owner, Group: g.stated}
		for _, m := range g.models {
			shown.Models = append(shown.Models, m.document)
		}
		groups = append(groups, shown)
	}
	var faults []string
	for _, f := range s.faults {
		faults = append(faults, string(encode(f.listed())))
	}
	left := map[string]int{}
	for _, o := range s.catalogue.organisations {
		if s.settings.allowance.Requests > 0 {
			left[o.ClientID] = s.counterLocked(o.ClientID).left(time.Now())
		}
	}
	s.mu.Unlock()
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, map[string]any{
		"Groups": groups, "Requests": requests, "Arrived": arrived, "Faults": faults, "Left": left,
		"Allowance": s.settings.allowance, "Organisations": s.catalogue.organisations, "Controls": Controls(),
	}); err != nil {
		panic("sandbox: " + err.Error())
	}
	return respond(http.StatusOK, text.Bytes()).with("Content-Type", "text/html; charset=utf-8").
		with("Cache-Control", "no-store").
		with("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "+
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
}
