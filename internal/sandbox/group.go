package sandbox

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// group is a model group with its revisions. It never changes: publishing
// makes a new one, so that answers are written without holding a lock.
type group struct {
	owner  string // the organisation's name
	id     string
	stated object         // as the catalogue file has it
	served jsontext.Value // with what is derived from the revisions
	models []*model       // newest first
}

// model is one revision. One whose number is no number (a catalogue may hold
// such documents on purpose) has an infinite one below all others.
type model struct {
	document object
	revision *big.Float
}

func newModel(document object) *model {
	raw, _ := document.get("revision")
	return &model{document: document, revision: cmp.Or(number(raw), new(big.Float).SetInf(true))}
}

// is tells whether the model is that revision of its group.
func (m *model) is(revision *big.Float) bool { return m.revision.Cmp(revision) == 0 }

// newGroup adds what follows from the group's revisions (INTERFACE.md,
// Resources 2). A value that the document states itself is kept.
func newGroup(owner, id string, stated object, models []*model) *group {
	g := &group{owner: owner, id: id, stated: stated, models: slices.Clone(models)}
	slices.SortStableFunc(g.models, func(a, b *model) int { return b.revision.Cmp(a.revision) })
	derived := object{{"latestRevision", g.latestRevision()}, {"models", g.summaries()}, {"axes", g.axes()}}
	g.served = encode(stated.with(slices.DeleteFunc(derived, func(m member) bool {
		_, isStated := stated.get(m.name)
		return isStated
	})...))
	return g
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
	list := []object{}
	for _, m := range g.models {
		if !m.document.is("archived", "true") {
			list = append(list, m.document.pick("id", "revision", "createdAt"))
		}
	}
	return encode(list)
}

// visibleTo tells whether an organisation may know of the group (INTERFACE.md,
// Authentication 4).
func (g *group) visibleTo(organisation string) bool {
	return g.owner == organisation || !g.stated.is("public", "false")
}

// on tells whether the group is on the time horizon with that key.
func (g *group) on(horizon string) bool {
	raw, _ := g.stated.get("timeHorizon")
	key, ok := parseObject(raw).text("key")
	return ok && key == horizon
}

// modelFor returns the revision as a member of the organisation sees it
// (INTERFACE.md, Resources 4: notes, dockerImage and isOwner).
func (g *group) modelFor(organisation string, m *model) object {
	if organisation == g.owner {
		return m.document.with(member{"isOwner", jsontext.Value("true")})
	}
	return m.document.with(
		member{"isOwner", jsontext.Value("false")},
		member{"notes", jsontext.Value("null")},
		member{"dockerImage", jsontext.Value(`""`)},
	)
}
