package sandbox

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// notFoundError names a group or a revision that there is not.
type notFoundError string

func (e notFoundError) Error() string { return string(e) }

// Publish publishes a revision into the group: a copy of its newest revision
// in which the fields of overrides (a JSON object, or nothing) replace those
// of their name. The revision is one more than the latest, or 0 in a group
// that has none, where the document holds what the overrides have and little
// else. The id is new, and the same for the same group and revision; archived
// is false and the timestamps are now, unless the overrides say otherwise.
//
// It returns the document as the owner sees it. Overrides are checked as a
// document of [ReadCatalogue] is, and must not have revision, id or modelGroupId;
// their errors are [TextErrors]. Other errors are an unknown group and one whose
// latest revision is no integer.
func (s *Sandbox) Publish(groupID string, overrides []byte) ([]byte, error) {
	changes, err := parseOverrides(overrides)
	if err != nil {
		return nil, err
	}
	return s.changeGroup(groupID, func(old *group) (*model, error) {
		revision, err := old.nextRevision()
		if err != nil {
			return nil, err
		}
		document := object{}
		if len(old.models) > 0 {
			document = old.models[0].document
		}
		now := encode(timestamp(document))
		return newModel(document.with(
			member{"id", encode(modelID(groupID, revision))},
			member{"modelGroupId", encode(groupID)},
			member{"revision", jsontext.Value(revision)},
			member{"createdAt", now},
			member{"updatedAt", now},
			member{"archived", jsontext.Value("false")},
		).with(changes...)), nil
	})
}

// Republish changes a revision in place, as the service can: the fields of
// overrides replace those of their name, and updatedAt moves. The revision, the
// id and createdAt stay, and so does every field that is not given. Overrides,
// result and errors are those of [Sandbox.Publish], and an unknown revision.
func (s *Sandbox) Republish(groupID string, revision int64, overrides []byte) ([]byte, error) {
	changes, err := parseOverrides(overrides)
	if err != nil {
		return nil, err
	}
	return s.changeModel(groupID, revision, func(document object) object {
		return document.with(member{"updatedAt", encode(timestamp(document))}).with(changes...)
	})
}

// SetArchived archives a revision, or ends that; updatedAt moves. Result and
// errors are those of [Sandbox.Republish].
func (s *Sandbox) SetArchived(groupID string, revision int64, archived bool) ([]byte, error) {
	return s.set(groupID, revision, "archived", archived)
}

// SetEnabled enables a revision, or disables it: a disabled model does not run.
// updatedAt moves. Result and errors are those of [Sandbox.Republish].
func (s *Sandbox) SetEnabled(groupID string, revision int64, enabled bool) ([]byte, error) {
	return s.set(groupID, revision, "enabled", enabled)
}

// set changes nothing, updatedAt included, where the setting is so already.
func (s *Sandbox) set(groupID string, revision int64, name string, value bool) ([]byte, error) {
	literal := encode(value)
	return s.changeModel(groupID, revision, func(document object) object {
		if document.is(name, string(literal)) {
			return document
		}
		return document.with(member{name, literal}, member{"updatedAt", encode(timestamp(document))})
	})
}

func (s *Sandbox) changeModel(groupID string, revision int64, change func(object) object) ([]byte, error) {
	return s.changeGroup(groupID, func(old *group) (*model, error) {
		number := new(big.Float).SetInt64(revision)
		i := slices.IndexFunc(old.models, func(m *model) bool { return m.is(number) })
		if i < 0 {
			said := fmt.Sprintf("no such revision: the model group %q has no revision %d", groupID, revision)
			return nil, notFoundError(said)
		}
		return newModel(change(old.models[i].document)), nil
	})
}

// changeGroup puts the model that change returns into the group, in the place
// of one with the same revision, and returns it as the owner sees it.
func (s *Sandbox) changeGroup(groupID string, change func(*group) (*model, error)) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.groups, func(g *group) bool { return g.id == groupID })
	if i < 0 {
		return nil, notFoundError(fmt.Sprintf("no such model group: %q", groupID))
	}
	old := s.groups[i]
	changed, err := change(old)
	if err != nil {
		return nil, err
	}
	models := slices.DeleteFunc(slices.Clone(old.models), func(m *model) bool { return m.is(changed.revision) })
	g := newGroup(old.owner, old.id, old.stated, append(models, changed))
	s.groups = slices.Clone(s.groups)
	s.groups[i] = g
	return encode(g.modelFor(g.owner, changed)), nil
}

func (g *group) nextRevision() (string, error) {
	if len(g.models) == 0 {
		return "0", nil
	}
	latest := g.models[0].revision
	if !latest.IsInt() {
		return "", fmt.Errorf("the latest revision of the model group %q is no integer", g.id)
	}
	n, _ := latest.Int(nil)
	return n.Add(n, big.NewInt(1)).String(), nil
}

// timestamp is now, or the moment after the document's last change where the
// catalogue has that in the future: what is changed later is never older.
func timestamp(document object) string {
	const layout = "2006-01-02T15:04:05.000Z"
	now := time.Now().UTC().Truncate(time.Millisecond)
	said, _ := document.text("updatedAt")
	if last, err := time.Parse(time.RFC3339, said); err == nil && !now.After(last) {
		now = last.UTC().Truncate(time.Millisecond).Add(time.Millisecond)
	}
	return now.Format(layout)
}

// modelID derives a UUID of version 8 (RFC 9562 §5.8), so that a test which
// publishes sees the same ids each time it runs.
func modelID(groupID, revision string) string {
	sum := sha256.Sum256([]byte(groupID + "\x00" + revision))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// parseOverrides returns the fields to replace.
func parseOverrides(text []byte) (object, error) {
	if len(text) == 0 {
		return nil, nil
	}
	return readObject(text, "Changes")
}
