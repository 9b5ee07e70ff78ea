package catalogue

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
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
	OtherFields    jsontext.Value  `json:",embed"` // that the first release did not know, nil for none

	// Err is an *UnusableAnswerError if the record is wrong. The fields that can be read are set.
	Err error `json:"-"`
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

// identity returns what is wrong if the group has no id, or a different one than was asked for.
func (g *ModelGroup) identity(groupID string) *shapeError {
	switch {
	case g.ID == nil:
		return missing("id")
	case groupID != "" && !SameID(*g.ID, groupID):
		return otherGroup("/id", *g.ID)
	}
	return nil
}

// otherGroup returns the error of a record about a different group.
func otherGroup(at jsontext.Pointer, id string) *shapeError {
	problem := fmt.Sprintf("it is a different group than the one asked for, %q", id)
	return &shapeError{at: at, problem: problem, ofOtherGroup: true}
}

func (g *ModelGroup) rest() (*jsontext.Value, *error) { return &g.OtherFields, &g.Err }

// SameID reports whether two texts are the id of one model group. Case does not matter, because the ids in use look
// like UUIDs, and neither does the normal form, because engines keep strings in NFC.
func SameID(one, other string) bool {
	return strings.EqualFold(norm.NFC.String(one), norm.NFC.String(other))
}

// missing returns the error of a record without a field of its identity, such as an error document of status 200.
func missing(field string) *shapeError { return &shapeError{lacks: field} }

// onHorizon returns a decoder that takes a group on a different time horizon than the one of that key for an error: the
// service did not apply the filter. A group without a horizon passes.
func onHorizon(key string, decode decoder[[]*ModelGroup]) decoder[[]*ModelGroup] {
	return func(in *incoming) ([]*ModelGroup, error) {
		groups, err := decode(in)
		for i, group := range groups {
			if key == "" || group.TimeHorizon == nil || group.TimeHorizon.Key == nil {
				continue
			}
			if has := *group.TimeHorizon.Key; !SameID(has, key) {
				const problem = "it is %q, and the groups on %q were asked for: the service did not apply the filter"
				place := fmt.Sprintf("model_groups[%d].timeHorizon.key", i)
				return nil, &shapeError{place: place, problem: fmt.Sprintf(problem, has, key)}
			}
		}
		return groups, err
	}
}

// ModelGroups lists the groups that the caller's organisation may see. A time horizon key other than "" restricts them
// to that horizon; a key the service does not know is an ErrInvalidRequest. The order is the service's own. A group
// whose record is wrong has an Err.
func (c *Client) ModelGroups(ctx context.Context, timeHorizon string) ([]*ModelGroup, error) {
	target := ModelGroupsPath
	if timeHorizon != "" {
		target += "?timeHorizon=" + url.QueryEscape(timeHorizon)
	}
	decode := onHorizon(timeHorizon, decodeList[ModelGroup]("model_groups", ""))
	return lookup(ctx, c, "reading the model groups", target, decode)
}

// ModelGroup returns the group with that id, or an ErrNotFound, which is also the answer for a group the organisation
// may not see.
func (c *Client) ModelGroup(ctx context.Context, id string) (*ModelGroup, error) {
	group, err := lookupOfGroup(ctx, c, "reading model group %q", id, "", decodeObject[ModelGroup](id))
	if err == nil {
		err = group.Err
	}
	return group, err
}
