package sandbox

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// group is a model group with its revisions. It never changes: publishing
// makes a new one, so that answers are written without holding a lock.
type group struct {
	owner    string // the organisation's name
	recorded bool   // from a service: its documents are served as they came
	id       string
	stated   object         // as the catalogue file has it
	served   jsontext.Value // with what is derived from the revisions
	models   []model        // newest first
}

// model is one revision.
type model struct {
	document object
	revision int64
}

func newModel(document object) model { return model{document, integer(document["revision"])} }

// newGroup adds what follows from the group's revisions (INTERFACE.md,
// Resources 2). A value that the document states itself is kept.
func newGroup(g *group) *group {
	slices.SortStableFunc(g.models, func(a, b model) int { return cmp.Compare(b.revision, a.revision) })
	// A group without revisions has 0: the interface says "number".
	latest, summaries := jsontext.Value("0"), []object{}
	for i, m := range g.models {
		if i == 0 && m.document["revision"] != nil {
			latest = m.document["revision"]
		}
		if !m.document.is("archived", "true") {
			summaries = append(summaries, m.document.pick("id", "revision", "createdAt"))
		}
	}
	derived := object{"latestRevision": latest, "models": encode(summaries), "axes": g.axes()}
	g.served = encode(derived.with(g.stated))
	return g
}

// visibleTo reports whether an organisation may see the group (INTERFACE.md,
// Authentication 4).
func (g *group) visibleTo(organisation string) bool {
	return g.owner == organisation || !g.stated.is("public", "false")
}

// on reports whether the group is on the time horizon with that key.
func (g *group) on(horizon string) bool {
	return parseObject(g.stated["timeHorizon"]).text("key") == horizon
}

// modelFor returns the revision as a member of the organisation sees it
// (INTERFACE.md, Resources 4: notes, dockerImage and isOwner).
func (g *group) modelFor(organisation string, m model) object {
	switch {
	case g.recorded:
		return m.document
	case organisation == g.owner:
		return m.document.with(object{"isOwner": jsontext.Value("true")})
	}
	return m.document.with(object{
		"isOwner": jsontext.Value("false"), "notes": jsontext.Value("null"), "dockerImage": jsontext.Value(`""`),
	})
}

// axes is the union of the axes of all revisions (INTERFACE.md, Resources 2
// and 3), in the order in which they first appear from the newest revision to
// the oldest. The newest revision that has an axis describes it. What the latest
// revision does not offer is historical. An axis without a key is left out.
func (g *group) axes() jsontext.Value {
	type value struct {
		Value      jsontext.Value `json:"value"`
		Historical bool           `json:"historical"`
	}
	axes, values := []object{}, map[string][]value{} // by key
	for i, m := range g.models {
		for _, raw := range elements(m.document["axes"]) {
			declaration := parseObject(raw)
			key := declaration.text("key")
			if key == "" {
				continue
			}
			if _, known := values[key]; !known {
				axes, values[key] = append(axes, declaration.pick("key", "kind", "label", "description", "type")), []value{}
			}
			for _, raw := range elements(declaration["values"]) {
				if !slices.ContainsFunc(values[key], func(v value) bool { return sameValue(v.Value) == sameValue(raw) }) {
					values[key] = append(values[key], value{raw, i > 0})
				}
			}
		}
	}
	for _, axis := range axes {
		axis["values"] = encode(values[axis.text("key")])
	}
	return encode(axes)
}
