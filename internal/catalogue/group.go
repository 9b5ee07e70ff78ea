package catalogue

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// KeyedName is a time horizon, whose list of keys is open, or a forecast variable.
type KeyedName struct {
	Name      *string `json:"name"`
	ShortName *string `json:"shortName"`
	Key       *string `json:"key"`
}

// UnmarshalJSONFrom replaces an earlier duplicate completely.
func (k *KeyedName) UnmarshalJSONFrom(text *jsontext.Decoder) error {
	type fields KeyedName
	*k = KeyedName{}
	return json.UnmarshalDecode(text, (*fields)(k))
}

// ModelGroup bundles every revision of one model. A field that the service left out or sent as null is nil.
type ModelGroup struct {
	ID             *string        `json:"id"`
	Name           *string        `json:"name"`
	LatestRevision *Integer       `json:"latestRevision"`
	Public         *bool          `json:"public"`
	CreatedAt      *string        `json:"createdAt"`
	TimeHorizon    *KeyedName     `json:"timeHorizon"`
	Models         ModelSummaries `json:"models"`
	Axes           []*GroupAxis   `json:"axes"`
	OtherFields    jsontext.Value `json:",embed"` // all that came after those above, or nil

	laterGroup `json:"-"`

	// Err is an *UnusableAnswerError if the record is malformed. Its readable fields are set.
	Err error `json:"-"`
}

// laterGroup has the OtherFields with an attribute, as laterModel does.
type laterGroup struct{}

// ModelSummary is a revision in the list of its group. The service leaves out archived ones.
type ModelSummary struct {
	ID        *string  `json:"id"`
	Revision  *Integer `json:"revision"`
	CreatedAt *string  `json:"createdAt"`
}

// ModelSummaries are the revisions of a group. Each has its identity.
type ModelSummaries []*ModelSummary

// UnmarshalJSON reads a list of summaries. Each must have an id and a revision, and no two may have the same id.
func (l *ModelSummaries) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*[]*ModelSummary)(l), lenient); err != nil {
		return err
	}
	known := map[string]bool{}
	for i, one := range *l {
		lacks := ""
		switch {
		case one == nil || isEmpty(one.ID):
			lacks = "id"
		case one.Revision == nil:
			lacks = "revision"
		}
		if lacks != "" {
			return &shapeError{at: jsontext.Pointer(fmt.Sprintf("/%d", i)), problem: "it has no " + lacks}
		}
		if err := once(known, one.ID, i); err != nil {
			return err
		}
	}
	return nil
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

// GroupAxisValue is a value of a group's axis. Historical is true once the latest revision no longer offers it.
type GroupAxisValue struct {
	Value      *Scalar `json:"value"`
	Historical *bool   `json:"historical"`
}

// A group without a horizon counts as one on any.
func (g *ModelGroup) identity(of scope) (lacks string, other *shapeError) {
	horizon := g.TimeHorizon
	switch {
	case isEmpty(g.ID):
		return "id", nil
	case of.group != "" && !SameID(*g.ID, of.group):
		return "", otherGroup("/id", *g.ID)
	case of.horizon != "" && horizon != nil && !isEmpty(horizon.Key) && !SameID(*horizon.Key, of.horizon):
		const problem = "it is %q, and the groups on %q were asked for: the service did not apply the filter"
		return "", &shapeError{at: "/timeHorizon/key", problem: fmt.Sprintf(problem, *horizon.Key, of.horizon)}
	}
	return "", nil
}

// contradiction returns the error if the group lists a revision above its latest one.
func (g *ModelGroup) contradiction() *shapeError {
	for _, model := range g.Models {
		if latest := g.LatestRevision; latest != nil && *model.Revision > *latest {
			problem := fmt.Sprintf("it is %d, and models has revision %d", *latest, *model.Revision)
			return &shapeError{at: "/latestRevision", problem: problem}
		}
	}
	return nil
}

// otherGroup returns the error of a record about a different group.
func otherGroup(at jsontext.Pointer, id string) *shapeError {
	return &shapeError{at: at, problem: fmt.Sprintf("it is a different group than the one asked for, %q", id)}
}

func (g *ModelGroup) common() (*string, *jsontext.Value, *error) { return g.ID, &g.OtherFields, &g.Err }

func (g *ModelGroup) later() any { return &g.laterGroup }

func isEmpty(text *string) bool { return text == nil || *text == "" }

// IDKey returns a text that two ids of one model group have in common. Case does not matter, because the ids in use
// look like UUIDs, and neither does the normal form, because engines keep strings in NFC.
func IDKey(id string) string {
	return strings.ToLower(norm.NFC.String(id))
}

// SameID reports whether two texts are the id of one model group.
func SameID(one, other string) bool { return IDKey(one) == IDKey(other) }

// ModelGroups lists the groups visible to the caller's organisation, in the service's order. A time horizon key other
// than "" restricts them to that horizon; an unknown key is an ErrInvalidRequest. A malformed group has an Err.
func (c *Client) ModelGroups(ctx context.Context, timeHorizon string) ([]*ModelGroup, error) {
	to := c.to(http.MethodGet, ModelGroupsPath, "")
	if timeHorizon != "" {
		to = c.to(http.MethodGet, ModelGroupsPath+"?timeHorizon={}", url.QueryEscape(timeHorizon))
	}
	decode := decodeList[ModelGroup]("model_groups", scope{horizon: timeHorizon})
	return lookup(ctx, c, "reading the model groups", to, decode)
}

// ModelGroup returns the group with that id, or an ErrNotFound, also for a group hidden from the organisation.
func (c *Client) ModelGroup(ctx context.Context, id string) (*ModelGroup, error) {
	group, err := lookupOfGroup(ctx, c, "reading model group %q", id, "", decodeRecord[ModelGroup](scope{group: id}))
	if err == nil {
		err = group.Err
	}
	return group, err
}
