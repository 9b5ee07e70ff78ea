package sandbox

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// group is a model group with its revisions. It never changes: publishing makes a new one, so that answers are written
// without a lock.
type group struct {
	owner    string // the organisation's name
	recorded bool   // from a service, so its documents are served as they came
	id       string
	stated   object                // the document in the catalogue file
	served   func() jsontext.Value // the document with what follows from the revisions
	models   []model               // newest first
}

// model is one revision.
type model struct {
	document object
	revision int64
}

func newModel(document object) model { return model{document, integer(document["revision"])} }

func byRevision(a, b model) int { return cmp.Compare(b.revision, a.revision) } // newest first

// newGroup completes a group. Its document is derived when it is first read: publishing many revisions would be
// quadratic otherwise.
func newGroup(g *group) *group {
	slices.SortStableFunc(g.models, byRevision)
	g.served = sync.OnceValue(g.derive)
	return g
}

// derive returns the document with what follows from the revisions (INTERFACE.md, Resources 2), unless the catalogue
// file states it.
func (g *group) derive() jsontext.Value {
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
	return encode(derived.with(g.stated))
}

// visibleTo reports whether an organisation may see the group (INTERFACE.md, Authentication 4).
func (g *group) visibleTo(organisation string) bool {
	return g.owner == organisation || !g.stated.is("public", "false")
}

// on reports whether the group is on the time horizon with that key.
func (g *group) on(horizon string) bool {
	return parseObject(g.stated["timeHorizon"]).text("key") == horizon
}

// modelFor returns the revision as a member of the organisation sees it (INTERFACE.md, Authentication 4).
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

// axes returns the union of the axes of all revisions (INTERFACE.md, Resources 2 and 3), from the newest revision to
// the oldest. The newest revision that has an axis describes it. What the latest revision lacks is historical.
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
				if !slices.ContainsFunc(values[key], func(v value) bool { return canonical(v.Value) == canonical(raw) }) {
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

// notFoundError names a group or a revision that does not exist.
type notFoundError string

func (e notFoundError) Error() string { return string(e) }

// Publish publishes a copy of the group's newest revision, with the fields of overrides (a JSON object, or nothing)
// replaced, and returns it as its owner sees it. The new revision is one more than the latest, or 0 in an empty group.
// Its id depends only on group and revision. Unless overrides has them, its timestamps are now and archived is false.
// Overrides with revision, id or modelGroupId are an error, a [TextErrors].
func (s *Sandbox) Publish(groupID string, overrides []byte) ([]byte, error) {
	changes, err := parseOverrides(overrides)
	if err != nil {
		return nil, err
	}
	return s.changeGroup(groupID, func(old *group) (object, error) {
		document, next := object{}, int64(0)
		if len(old.models) > 0 {
			document, next = old.models[0].document, old.models[0].revision+1
		}
		if next < 0 {
			return nil, fmt.Errorf("the latest revision of the model group %q is no integer", groupID)
		}
		now := encode(timestamp(document))
		return document.with(object{
			"id": encode(modelID(groupID, next)), "modelGroupId": encode(groupID), "revision": encode(next),
			"createdAt": now, "updatedAt": now, "archived": jsontext.Value("false"),
		}).with(changes), nil
	})
}

// Republish replaces the fields of overrides in a revision and moves its updatedAt. Overrides and result are as in
// [Sandbox.Publish].
func (s *Sandbox) Republish(groupID string, revision int64, overrides []byte) ([]byte, error) {
	changes, err := parseOverrides(overrides)
	if err != nil {
		return nil, err
	}
	return s.changeModel(groupID, revision, func(document object) object {
		return document.with(object{"updatedAt": encode(timestamp(document))}).with(changes)
	})
}

// SetArchived archives a revision, or lists it again, and moves its updatedAt.
func (s *Sandbox) SetArchived(groupID string, revision int64, archived bool) ([]byte, error) {
	return s.set(groupID, revision, "archived", archived)
}

// SetEnabled enables or disables a revision, and moves its updatedAt.
func (s *Sandbox) SetEnabled(groupID string, revision int64, enabled bool) ([]byte, error) {
	return s.set(groupID, revision, "enabled", enabled)
}

// set keeps the document of a revision whose setting has that value already.
func (s *Sandbox) set(groupID string, revision int64, name string, value bool) ([]byte, error) {
	return s.changeModel(groupID, revision, func(document object) object {
		if document.is(name, strconv.FormatBool(value)) {
			return document
		}
		return document.with(object{name: encode(value), "updatedAt": encode(timestamp(document))})
	})
}

func (s *Sandbox) changeModel(groupID string, revision int64, change func(object) object) ([]byte, error) {
	return s.changeGroup(groupID, func(old *group) (object, error) {
		i := slices.IndexFunc(old.models, func(m model) bool { return m.revision == revision })
		if i < 0 {
			return nil, notFoundError(fmt.Sprintf("no such revision: the model group %q has no revision %d", groupID, revision))
		}
		return change(old.models[i].document), nil
	})
}

// changeGroup puts the document that change returns into the group, in place of the same revision, and returns it as
// its owner sees it. From then on the group's document follows from its revisions, whatever the catalogue states.
func (s *Sandbox) changeGroup(groupID string, change func(*group) (object, error)) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.groups, func(g *group) bool { return g.id == groupID })
	if i < 0 {
		return nil, notFoundError(fmt.Sprintf("no such model group: %q", groupID))
	}
	old := s.groups[i]
	document, err := change(old)
	if err != nil {
		return nil, err
	}
	changed, stated := newModel(document), maps.Clone(old.stated)
	for _, name := range []string{"latestRevision", "models", "axes"} {
		delete(stated, name)
	}
	g := *old
	g.stated, g.models = stated, slices.Clone(old.models)
	at, exists := slices.BinarySearchFunc(g.models, changed, byRevision)
	if !exists {
		g.models = slices.Insert(g.models, at, changed)
	}
	g.models[at] = changed
	s.groups = slices.Clone(s.groups)
	s.groups[i] = newGroup(&g)
	return encode(old.modelFor(old.owner, changed)), nil
}

// timestamp returns the present time, or a millisecond after the document's last change if that is in the future.
func timestamp(document object) string {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if last, err := time.Parse(time.RFC3339, document.text("updatedAt")); err == nil && !now.After(last) {
		now = last.UTC().Truncate(time.Millisecond).Add(time.Millisecond)
	}
	return now.Format("2006-01-02T15:04:05.000Z")
}

// modelID derives a UUID of version 8 (RFC 9562 §5.8), so that every run of a test sees the same ids.
func modelID(groupID string, revision int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", groupID, revision))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// parseOverrides returns the fields to replace.
func parseOverrides(text []byte) (object, error) {
	if len(text) == 0 {
		return object{}, nil
	}
	changes, err := readObject(text, "Changes", `{"dockerImage": "registry.example/model:2"}`)
	var found TextErrors
	for name := range changes.pick("id", "revision", "modelGroupId") {
		found.add("/"+jsontext.Pointer(name), "the sandbox sets this field")
	}
	if err == nil {
		err = found.err()
	}
	return changes, err
}
