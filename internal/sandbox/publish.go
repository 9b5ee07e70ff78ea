package sandbox

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Publish publishes a copy of the group's newest revision, with the fields of overrides (a JSON object, or nothing)
// replaced, and returns it as its owner sees it. The new revision is one more than the latest, or 0 in an empty group.
// Its id depends only on group and revision. Unless overrides sets them, its timestamps are now and archived is false.
// Wrong overrides are a [TextErrors], such as revision, id and modelGroupId, an impossible image or an unknown time
// horizon.
func (s *Sandbox) Publish(groupID string, overrides []byte) ([]byte, error) {
	return s.changeGroup(groupID, overrides, func(old *group) (object, error) {
		document := object{"dockerImage": jsontext.Value(`"registry.example/model:1.0.0"`)}
		next := int64(0)
		if len(old.Models) > 0 {
			document = old.Models[0].Document
			next = max(0, old.Models[0].revision+1) // it may be noRevision
		}
		now := encode(timestamp(document))
		return document.with(object{
			"id":           encode(modelID(groupID, next)),
			"modelGroupId": encode(groupID),
			"revision":     encode(next),
			"createdAt":    now,
			"updatedAt":    now,
			"archived":     jsontext.Value("false"),
		}), nil
	})
}

// Republish replaces the fields of overrides in a revision and moves its updatedAt. Overrides and result are as in
// [Sandbox.Publish].
func (s *Sandbox) Republish(groupID string, revision int64, overrides []byte) ([]byte, error) {
	return s.changeGroup(groupID, overrides, func(old *group) (object, error) {
		i := slices.IndexFunc(old.Models, func(m model) bool { return m.revision == revision })
		if i < 0 {
			return nil, fmt.Errorf("no such revision: the model group %q has no revision %d", groupID, revision)
		}
		document := old.Models[i].Document
		return document.with(object{"updatedAt": encode(timestamp(document))}), nil
	})
}

// changeGroup puts the document of revise, with the fields of overrides replaced, into the group, in place of the same
// revision and with every field that the interface requires. It returns the document as its owner sees it. From then on
// the group's own document follows from its revisions, even if the catalogue file states something else.
func (s *Sandbox) changeGroup(id string, overrides []byte, revise func(*group) (object, error)) ([]byte, error) {
	changes, err := s.parseOverrides(overrides)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.indexLocked(id)
	if i < 0 {
		return nil, fmt.Errorf("no such model group: %q", id)
	}
	old := s.groups[i]
	document, err := revise(old)
	if err != nil {
		return nil, err
	}
	changed := newModel(old.completedModel(document.with(changes)))
	s.groups = slices.Clone(s.groups)
	s.groups[i] = old.having(changed)
	return encode(old.modelFor(old.Owner, changed)), nil
}

// having returns the group with this revision, in place of the same one.
func (g *group) having(changed model) *group {
	next := *g
	next.Stated = withoutImplied(g.Stated)
	isSame := func(m model) bool { return m.revision == changed.revision }
	next.Models = append(slices.DeleteFunc(slices.Clone(g.Models), isSame), changed)
	return newGroup(&next)
}

// timestamp returns the present time, or a millisecond after the document's last change if that is in the future.
func timestamp(document object) string {
	now := time.Now().UTC().Truncate(time.Millisecond)
	last, err := time.Parse(time.RFC3339, document.text("updatedAt"))
	if err == nil && !now.After(last) {
		now = last.UTC().Truncate(time.Millisecond).Add(time.Millisecond)
	}
	return now.Format("2006-01-02T15:04:05.000Z")
}

// modelID derives an id in the form of a UUID, so that every run of a test sees the same ids.
func modelID(groupID string, revision int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", groupID, revision))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// parseOverrides returns the fields to replace.
func (s *Sandbox) parseOverrides(text []byte) (object, error) {
	if len(text) == 0 {
		return object{}, nil
	}
	return readObject(text, "Changes", func(changes object, found *TextErrors) {
		found.checkModel("", changes, "", s.catalogue)
	})
}
