package sandbox

import (
	"cmp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// group is a model group with its revisions. It never changes: publishing makes a new one, so answers are written
// without a lock. Templates of the page use its exported names.
type group struct {
	Owner    string // the organisation's name
	ID       string
	Stated   object                // the document in the catalogue file
	Models   []model               // newest first
	recorded bool                  // whether its documents come from a service and are served unchanged
	served   func() jsontext.Value // the document with the fields that the revisions imply
	words    func() string         // the text of its rows on the page
}

// model is one revision.
type model struct {
	Document object
	revision int64
}

func newModel(document object) model { return model{document, integer(document["revision"])} }

// newestFirst compares two models, for sorting.
func newestFirst(a, b model) int { return cmp.Compare(b.revision, a.revision) }

// newGroup sorts the models of a group and sets its functions. Its document is derived for the first read and its rows
// are rendered for the first search. Otherwise publishing many revisions would be quadratic.
func newGroup(g *group) *group {
	slices.SortStableFunc(g.Models, newestFirst)
	g.served = sync.OnceValue(func() jsontext.Value { return encode(g.derive().with(g.Stated)) })
	g.words = sync.OnceValue(func() string { return words(execute("group", groupRow{group: g, Open: true})) })
	return g
}

// derive returns the fields of the document that the revisions imply (INTERFACE.md, Resources 2).
func (g *group) derive() object {
	// A group without revisions has 0, because the field must be a number.
	latest := jsontext.Value("0")
	summaries := []object{}
	for i, m := range g.Models {
		if i == 0 && m.Document["revision"] != nil {
			latest = m.Document["revision"]
		}
		if !m.Document.is("archived", "true") {
			summaries = append(summaries, m.Document.pick("id", "revision", "createdAt"))
		}
	}
	return object{
		"latestRevision": latest,
		"models":         encode(summaries),
		"axes":           g.axes(),
	}
}

// visibleTo reports whether an organisation may see the group (INTERFACE.md, Authentication 4).
func (g *group) visibleTo(organisation string) bool {
	return g.Owner == organisation || g.Stated.is("public", "true")
}

// Horizon returns the key of the group's time horizon, or "".
func (g *group) Horizon() string { return parseObject(g.Stated["timeHorizon"]).text("key") }

// modelFor returns the revision as a member of the organisation sees it (INTERFACE.md, Authentication 4).
func (g *group) modelFor(organisation string, m model) object {
	switch {
	case g.recorded:
		return m.Document
	case organisation == g.Owner:
		return m.Document.with(object{"isOwner": jsontext.Value("true")})
	}
	return m.Document.with(withheld).with(object{"isOwner": jsontext.Value("false")})
}

// withheld are the values for everyone but members of the owner (INTERFACE.md, Resources 4).
var withheld = object{
	"notes":       jsontext.Value("null"),
	"dockerImage": jsontext.Value(`""`),
}

// axisValue is a value of a group's axis.
type axisValue struct {
	Value      jsontext.Value `json:"value"`
	Historical bool           `json:"historical"`
}

// axes returns the union of the axes of all revisions (INTERFACE.md, Resources 2 and 3), from the newest revision to
// the oldest. The newest revision with an axis describes it. A value is historical if the latest revision lacks it.
func (g *group) axes() jsontext.Value {
	axes := []object{}
	values := map[string][]axisValue{} // by key
	for i, m := range g.Models {
		for _, raw := range elements(m.Document["axes"]) {
			declaration := parseObject(raw)
			key := declaration.text("key")
			if key == "" {
				continue
			}
			if _, known := values[key]; !known {
				axes = append(axes, declaration.pick("key", "kind", "label", "description", "type"))
				values[key] = []axisValue{}
			}
			values[key] = union(values[key], elements(declaration["values"]), i > 0)
		}
	}
	for _, axis := range axes {
		axis["values"] = encode(values[axis.text("key")])
	}
	return encode(axes)
}

// union appends the values not known yet.
func union(known []axisValue, values []jsontext.Value, historical bool) []axisValue {
	for _, raw := range values {
		isSame := func(v axisValue) bool { return canonical(v.Value) == canonical(raw) }
		if !slices.ContainsFunc(known, isSame) {
			known = append(known, axisValue{raw, historical})
		}
	}
	return known
}
