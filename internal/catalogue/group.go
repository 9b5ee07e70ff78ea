package catalogue

import (
	"context"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
)

// KeyedName is a time horizon, whose list of keys is open, or a forecast variable.
type KeyedName struct {
	Name      *string `json:"name"`
	ShortName *string `json:"shortName"`
	Key       *string `json:"key"`
}

// ModelGroup bundles every revision of one model. A field that the service left out or sent as null is nil.
type ModelGroup struct {
	ID             *string         `json:"id"`
	Name           *string         `json:"name"`
	LatestRevision *Integer        `json:"latestRevision"`
	Public         *bool           `json:"public"`
	CreatedAt      *string         `json:"createdAt"`
	TimeHorizon    *KeyedName      `json:"timeHorizon"`
	Models         []*ModelSummary `json:"models"`
	Axes           []*GroupAxis    `json:"axes"`
	OtherFields    jsontext.Value  `json:",embed"` // that this version does not know, nil for none
}

// ModelSummary is a revision as its group lists it; archived ones are left out by the service.
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

// GroupAxisValue is a value of a group's axis. Historical says that the latest revision no longer offers it.
type GroupAxisValue struct {
	Value      *Scalar `json:"value"`
	Historical *bool   `json:"historical"`
}

// check returns an error if the group has no id.
func (g *ModelGroup) check(string) *shapeError {
	if g.ID == nil {
		return missing("id")
	}
	return compactFields(&g.OtherFields)
}

// missing returns the error of a record without a field of its identity, such as an error document of status 200.
func missing(field string) *shapeError {
	return &shapeError{at: jsontext.Pointer("/" + field), problem: "it is missing or null, and no record is without it"}
}

// ModelGroups lists the groups that the caller's organisation may see. A time horizon key other than "" restricts
// them to that horizon; a key the service does not know is an ErrInvalidRequest. The order is the service's own.
func (c *Client) ModelGroups(ctx context.Context, timeHorizon string) ([]*ModelGroup, error) {
	return c.RefreshModelGroups(ctx, timeHorizon, nil)
}

// RefreshModelGroups returns what ModelGroups does. If until returns false for an answer that was requested before this
// call, the question is asked once more. nil accepts any answer.
func (c *Client) RefreshModelGroups(
	ctx context.Context, timeHorizon string, until func([]*ModelGroup) bool,
) ([]*ModelGroup, error) {
	target := ModelGroupsPath
	if timeHorizon != "" {
		target += "?timeHorizon=" + url.QueryEscape(timeHorizon)
	}
	return lookup(ctx, c, question[[]*ModelGroup]{
		what: "reading the model groups", target: target,
		decode: decodeList[ModelGroup]("model_groups", ""), usable: until,
	})
}

// ModelGroup returns the group with that id, or an ErrNotFound, which is also the answer for a group the organisation
// may not see.
func (c *Client) ModelGroup(ctx context.Context, id string) (*ModelGroup, error) {
	return lookupOfGroup(ctx, c, id, "", question[*ModelGroup]{
		what: "reading model group %q", decode: decodeObject[ModelGroup](""),
	})
}
