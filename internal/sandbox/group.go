package sandbox

import (
	"math/big"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// group is a model group with its revisions. It never changes: publishing
// makes a new one, so that answers are written without holding a lock.
type group struct {
	owner  string // the organisation's name
	id     string
	stated object   // as the catalogue file has it
	served object   // with what is derived from the revisions
	models []*model // newest first
}

// model is one revision. Revisions whose number is no number (a catalogue may
// hold such documents on purpose) have a nil revision and count as the oldest.
type model struct {
	document object
	revision *big.Float
}

func newModel(document object) *model {
	raw, _ := document.get("revision")
	return &model{document: document, revision: number(raw)}
}

// is tells whether the model is that revision of its group.
func (m *model) is(revision int64) bool {
	return m.revision != nil && m.revision.Cmp(new(big.Float).SetInt64(revision)) == 0
}

// same tells whether both are the same revision.
func (m *model) same(other *model) bool {
	return m.revision != nil && other.revision != nil && m.revision.Cmp(other.revision) == 0
}

func newGroup(owner, id string, stated object, models []*model) *group {
	g := &group{owner: owner, id: id, stated: stated, models: slices.Clone(models)}
	slices.SortStableFunc(g.models, newestFirst)
	g.served = g.withDerived()
	return g
}

func newestFirst(a, b *model) int {
	switch {
	case a.revision == nil && b.revision == nil:
		return 0
	case a.revision == nil:
		return 1
	case b.revision == nil:
		return -1
	}
	return b.revision.Cmp(a.revision)
}

// withDerived adds what follows from the group's revisions (INTERFACE.md,
// Resources 2). A value that the document states itself is kept.
func (g *group) withDerived() object {
	served := g.stated
	for _, derived := range []struct {
		name  string
		value func() jsontext.Value
	}{
		{"latestRevision", g.latestRevision},
		{"models", g.summaries},
		{"axes", g.axes},
	} {
		if _, stated := g.stated.get(derived.name); !stated {
			served = served.with(member{derived.name, derived.value()})
		}
	}
	return served
}

// latestRevision is 0 in a group without revisions: the interface says
// "number", and the first one published then raises it, as it says too.
func (g *group) latestRevision() jsontext.Value {
	if len(g.models) == 0 {
		return jsontext.Value("0")
	}
	if raw, ok := g.models[0].document.get("revision"); ok {
		return raw
	}
	return jsontext.Value("null")
}

func (g *group) summaries() jsontext.Value {
	list := []jsontext.Value{}
	for _, m := range g.models {
		if m.document.is("archived", "true") {
			continue
		}
		summary := object{}
		for _, name := range []string{"id", "revision", "createdAt"} {
			if value, ok := m.document.get(name); ok {
				summary = append(summary, member{name, value})
			}
		}
		list = append(list, summary.json())
	}
	return array(list)
}

// visibleTo tells whether an organisation may know of the group (INTERFACE.md,
// Authentication 4).
func (g *group) visibleTo(organisation string) bool {
	return g.owner == organisation || !g.stated.is("public", "false")
}

// on tells whether the group is on the time horizon with that key.
func (g *group) on(horizon string) bool {
	raw, ok := g.stated.get("timeHorizon")
	if !ok {
		return false
	}
	document, err := parseObject(raw)
	if err != nil {
		return false
	}
	key, ok := document.text("key")
	return ok && key == horizon
}

// modelFor returns the revision as a member of the organisation sees it
// (INTERFACE.md, Resources 4: notes, dockerImage and isOwner).
func (g *group) modelFor(organisation string, m *model) jsontext.Value {
	if organisation == g.owner {
		return m.document.with(member{"isOwner", jsontext.Value("true")}).json()
	}
	return m.document.with(
		member{"isOwner", jsontext.Value("false")},
		member{"notes", jsontext.Value("null")},
		member{"dockerImage", jsontext.Value(`""`)},
	).json()
}
