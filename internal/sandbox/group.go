package sandbox

import (
	"cmp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// group is a model group with its revisions. It never changes: publishing makes a new one, so that answers are written
// without a lock.
type group struct {
	owner    string // the organisation's name
	recorded bool   // from a service, so its documents are served as they came
	id       string
	stated   object                // the document in the catalogue file
	served   func() jsontext.Value // the document with the fields that the revisions imply
	words    func() string         // the texts of its rows of the page
	models   []model               // newest first
}

// model is one revision.
type model struct {
	document object
	revision int64
}

func newModel(document object) model { return model{document, integer(document["revision"])} }

func byRevision(a, b model) int { return cmp.Compare(b.revision, a.revision) } // newest first

// newGroup completes a group. Its document is derived when it is first read, and its rows when they are first searched:
// publishing many revisions would be quadratic otherwise.
func newGroup(g *group) *group {
	slices.SortStableFunc(g.models, byRevision)
	g.served = sync.OnceValue(g.derive)
	g.words = sync.OnceValue(func() string { return words(execute("group", newGroupRow(0, g, true))) })
	return g
}

// derive returns the document with the fields that the revisions imply (INTERFACE.md, Resources 2), unless the
// catalogue file states them.
func (g *group) derive() jsontext.Value {
	// A group without revisions has 0: the interface says "number".
	latest := jsontext.Value("0")
	summaries := []object{}
	for i, m := range g.models {
		if i == 0 && m.document["revision"] != nil {
			latest = m.document["revision"]
		}
		if !m.document.is("archived", "true") {
			summaries = append(summaries, m.document.pick("id", "revision", "createdAt"))
		}
	}
	derived := object{
		"latestRevision": latest,
		"models":         encode(summaries),
		"axes":           g.axes(),
	}
	return encode(derived.with(g.stated))
}

// visibleTo reports whether an organisation may see the group (INTERFACE.md, Authentication 4).
func (g *group) visibleTo(organisation string) bool {
	return g.owner == organisation || !g.stated.is("public", "false")
}

// horizon returns the key of the group's time horizon, or "".
func (g *group) horizon() string { return parseObject(g.stated["timeHorizon"]).text("key") }

// modelFor returns the revision as a member of the organisation sees it (INTERFACE.md, Authentication 4).
func (g *group) modelFor(organisation string, m model) object {
	switch {
	case g.recorded:
		return m.document
	case organisation == g.owner:
		return m.document.with(object{"isOwner": jsontext.Value("true")})
	}
	return m.document.with(object{
		"isOwner":     jsontext.Value("false"),
		"notes":       jsontext.Value("null"),
		"dockerImage": jsontext.Value(`""`),
	})
}

// axisValue is a value of a group's axis.
type axisValue struct {
	Value      jsontext.Value `json:"value"`
	Historical bool           `json:"historical"`
}

// axes returns the union of the axes of all revisions (INTERFACE.md, Resources 2 and 3), from the newest revision to
// the oldest. The newest revision that has an axis describes it. A value that the latest revision lacks is historical.
func (g *group) axes() jsontext.Value {
	axes := []object{}
	values := map[string][]axisValue{} // by key
	for i, m := range g.models {
		for _, raw := range elements(m.document["axes"]) {
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

// union appends the values that are not known yet.
func union(known []axisValue, values []jsontext.Value, historical bool) []axisValue {
	for _, raw := range values {
		isSame := func(v axisValue) bool { return canonical(v.Value) == canonical(raw) }
		if !slices.ContainsFunc(known, isSame) {
			known = append(known, axisValue{raw, historical})
		}
	}
	return known
}
