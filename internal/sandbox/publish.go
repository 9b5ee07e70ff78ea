package sandbox

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"time"
)

// ErrUnknownGroup says that no model group has the id.
var ErrUnknownGroup = errors.New("no such model group")

// Publish publishes a revision into the group: a copy of its newest revision
// in which the fields of overrides (a JSON object, or nothing) replace those
// of their name. The revision is one more than the latest, or 0 in a group
// that has none, where the document holds what the overrides have and little
// else. The id is new, and the same for the same group and revision; archived
// is false and the timestamps are now, unless the overrides say otherwise.
//
// It returns the document as the owner sees it. Overriding revision, id or
// modelGroupId is an error, as is an unknown group ([ErrUnknownGroup]) and one
// whose latest revision is no integer.
func (s *Sandbox) Publish(groupID string, overrides json.RawMessage) (json.RawMessage, error) {
	changes, issues, err := parseOverrides(overrides)
	if err != nil {
		return nil, err
	}
	if len(issues) > 0 {
		return nil, fmt.Errorf("overrides: %s %s", issues[0].Field, issues[0].Messages[0])
	}
	return s.publish(groupID, changes)
}

func (s *Sandbox) publish(groupID string, changes object) (json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.groups, func(g *group) bool { return g.id == groupID })
	if i < 0 {
		return nil, fmt.Errorf("%w: %q", ErrUnknownGroup, groupID)
	}
	old := s.groups[i]
	revision, err := old.nextRevision()
	if err != nil {
		return nil, err
	}
	now := encode(time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	document := object{}
	if len(old.models) > 0 {
		document = old.models[0].document
	}
	document = document.with(
		member{"id", quote(modelID(groupID, revision))},
		member{"modelGroupId", quote(groupID)},
		member{"revision", json.RawMessage(revision)},
		member{"createdAt", now},
		member{"updatedAt", now},
		member{"archived", json.RawMessage("false")},
	).with(changes...)
	published := newModel(document)
	g := newGroup(old.owner, old.id, old.stated, append(slices.Clone(old.models), published))
	s.groups = slices.Clone(s.groups)
	s.groups[i] = g
	return g.modelFor(g.owner, published), nil
}

func (g *group) nextRevision() (string, error) {
	if len(g.models) == 0 {
		return "0", nil
	}
	latest := g.models[0].revision
	if latest == nil || !latest.IsInt() {
		return "", fmt.Errorf("the latest revision of the model group %q is no integer", g.id)
	}
	n, _ := latest.Int(nil)
	return n.Add(n, big.NewInt(1)).String(), nil
}

// modelID derives a UUID of version 8 (RFC 9562 §5.8), so that a test which
// publishes sees the same ids each time it runs.
func modelID(groupID, revision string) string {
	sum := sha256.Sum256([]byte(groupID + "\x00" + revision))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// parseOverrides returns the overrides and what is not to be overridden.
func parseOverrides(raw json.RawMessage) (changes object, issues []issue, err error) {
	if len(raw) == 0 {
		return nil, nil, nil
	}
	raw, err = compact(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("overrides: %w", err)
	}
	changes, err = parseObject(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("overrides: %w", err)
	}
	for _, name := range []string{"revision", "id", "modelGroupId"} {
		if _, ok := changes.get(name); ok {
			issues = append(issues, issue{name, []string{"is set by publishing"}})
		}
	}
	return changes, issues, nil
}

// control answers POST /control/model-groups/{id}/publish, which is no part of
// the interface: it does over HTTP what [Sandbox.Publish] does, with the
// overrides as optional body, and answers 201 with the document. It takes no
// token, any content type (curl sends a form's), and cannot be made to fail.
func (s *Sandbox) control(x *exchange) *answer {
	if x.target.control != controlPublish {
		return deny("NOT_FOUND", "There is no such control route.")
	}
	if x.request.Method != http.MethodPost {
		return refuseMethod(http.MethodPost)
	}
	changes, issues, err := parseOverrides(x.body)
	if err != nil {
		return deny("BAD_REQUEST", err.Error())
	}
	if len(issues) > 0 {
		return invalid("Some fields cannot be overridden.", issues...)
	}
	document, err := s.publish(x.target.id, changes)
	switch {
	case errors.Is(err, ErrUnknownGroup):
		return deny("NOT_FOUND", err.Error())
	case err != nil:
		return deny("CONFLICT", err.Error())
	}
	return respond(http.StatusCreated, document)
}
