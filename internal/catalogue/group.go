package catalogue

import (
	"context"
	"net/url"
)

// TimeHorizon names the horizon of a forecast. The list of keys is open.
type TimeHorizon struct {
	Name      *string `json:"name"`
	ShortName *string `json:"shortName"`
	Key       *string `json:"key"`
}

// ModelGroup bundles every revision of one model. A field that the service
// left out or sent as null is nil.
type ModelGroup struct {
	ID             *string         `json:"id"`
	Name           *string         `json:"name"`
	LatestRevision *Integer        `json:"latestRevision"`
	Public         *bool           `json:"public"`
	CreatedAt      *string         `json:"createdAt"`
	TimeHorizon    *TimeHorizon    `json:"timeHorizon"`
	Models         []*ModelSummary `json:"models"`
	Axes           []*GroupAxis    `json:"axes"`
}

// ModelSummary is a revision as its group lists it; archived ones are left out
// by the service.
type ModelSummary struct {
	ID        *string  `json:"id"`
	Revision  *Integer `json:"revision"`
	CreatedAt *string  `json:"createdAt"`
}

// GroupAxis is an axis that any revision of a group declares.
type GroupAxis struct {
	Key         *string           `json:"key"`
	Kind        *string           `json:"kind"`
	Label       *string           `json:"label"`
	Description *string           `json:"description"`
	Type        *string           `json:"type"`
	Values      []*GroupAxisValue `json:"values"`
}

// GroupAxisValue is a value of a group's axis. Historical says that the latest
// revision no longer offers it.
type GroupAxisValue struct {
	Value      *Scalar `json:"value"`
	Historical *bool   `json:"historical"`
}

func (g *ModelGroup) missing() string {
	if g.ID == nil {
		return "id"
	}
	return ""
}

// ModelGroups lists the groups that the caller's organisation may see. A time
// horizon key other than "" restricts them to that horizon; a key the service
// does not know is an ErrInvalidRequest. The order is the service's own.
//
// The answer is shared between callers and must not be changed.
func (c *Client) ModelGroups(ctx context.Context, timeHorizon string) ([]*ModelGroup, error) {
	return c.ModelGroupsWith(ctx, timeHorizon, nil)
}

// ModelGroupsWith returns as ModelGroups does. Where the answer is one that was kept
// from before this call and it does not suffice, the question is asked once more.
func (c *Client) ModelGroupsWith(
	ctx context.Context, timeHorizon string, suffices func([]*ModelGroup) bool,
) ([]*ModelGroup, error) {
	target := ModelGroupsPath
	if timeHorizon != "" {
		target += "?timeHorizon=" + url.QueryEscape(timeHorizon)
	}
	return lookup(ctx, c, question[[]*ModelGroup]{
		what: "reading the model groups", target: target,
		decode: decodeList[ModelGroup]("model_groups"), suffices: suffices,
	})
}

// ModelGroup returns the group with that id, or an ErrNotFound, which is also
// the answer for a group the organisation may not see.
//
// The answer is shared between callers and must not be changed.
func (c *Client) ModelGroup(ctx context.Context, id string) (*ModelGroup, error) {
	return lookupOfGroup(ctx, c, id, "", question[*ModelGroup]{
		what: "reading model group %q", decode: decodeObject[ModelGroup],
	})
}
