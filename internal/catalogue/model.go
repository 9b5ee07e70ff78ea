package catalogue

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Model is one published revision of a forecast. A field that the service left out or sent as null is nil; so are Notes
// and, spelled as an empty string, DockerImage for callers outside the owning organisation.
type Model struct {
	ID                      *string           `json:"id"`
	ModelGroupID            *string           `json:"modelGroupId"`
	Name                    *string           `json:"name"`
	DisplayName             *string           `json:"displayName"`
	Notes                   *string           `json:"notes"`
	Description             *string           `json:"description"`
	Revision                *Integer          `json:"revision"`
	DockerImage             *string           `json:"dockerImage"`
	CreatedAt               *string           `json:"createdAt"`
	UpdatedAt               *string           `json:"updatedAt"`
	RunMode                 *string           `json:"runMode"`
	Horizon                 *KeyedName        `json:"horizon"`
	ModelMetadata           *JSON             `json:"modelMetadata"`
	OutputVariables         []*OutputVariable `json:"outputVariables"`
	OutputSpecification     []*Scalar         `json:"outputSpecification"`
	Inputs                  []*Input          `json:"inputs"`
	Datasets                []*Dataset        `json:"datasets"`
	Archived                *bool             `json:"archived"`
	Enabled                 *bool             `json:"enabled"`
	Tags                    []*string         `json:"tags"`
	Sensitivities           []*NamedRecord    `json:"sensitivities"`
	Axes                    []*ModelAxis      `json:"axes"`
	InputAggregations       []*NamedRecord    `json:"inputAggregations"`
	OutputFileFormat        *string           `json:"outputFileFormat"`
	DisplayTimezone         *string           `json:"displayTimezone"`
	ForecastVariable        *KeyedName        `json:"forecastVariable"`
	IsOwner                 *bool             `json:"isOwner"`
	HasPerformanceMetrics   *bool             `json:"hasPerformanceMetrics"`
	DefaultComparisonModels []*string         `json:"defaultComparisonModels"`
	OtherFields             jsontext.Value    `json:",embed"` // all that came after those above, or nil

	laterModel `json:"-"`

	// Err is an *UnusableAnswerError if the record is malformed. Its readable fields are set.
	Err error `json:"-"`
}

// laterModel has the OtherFields with an attribute. They stay in OtherFields, too, because configurations may read them
// there.
type laterModel struct{}

// OutputVariable is a variable that a model produces.
type OutputVariable struct {
	Name      *string   `json:"name"`
	Key       *string   `json:"key"`
	Type      *string   `json:"type"`
	SeriesKey *bool     `json:"seriesKey"`
	Colours   []*Scalar `json:"colours"`
}

// ModelAxis is an axis of a model, its values in declared order.
type ModelAxis struct {
	Key         *string   `json:"key"`
	Kind        *string   `json:"kind"`
	Label       *string   `json:"label"`
	Description *string   `json:"description"`
	Type        *string   `json:"type"`
	Values      []*Scalar `json:"values"`
	Default     *Scalar   `json:"default"`
}

// Input is an input that a model accepts. JSON is the whole record, since the interface names only some of its fields.
type Input struct {
	ID   *string `json:"id"`
	Key  *string `json:"key"`
	JSON JSON    `json:"-"`
}

// Dataset is a dataset bound to a model. JSON is the whole record.
type Dataset struct {
	ID              *string `json:"id"`
	Key             *string `json:"key"`
	StorageLocation *string `json:"storageLocation"`
	Source          *string `json:"source"`
	FileFormat      *string `json:"fileFormat"`
	JSON            JSON    `json:"-"`
}

// NamedRecord is a sensitivity configuration or an input aggregation. JSON is the whole record.
type NamedRecord struct {
	ID   *string `json:"id"`
	Key  *string `json:"key"`
	Name *string `json:"name"`
	JSON JSON    `json:"-"`
}

// UnmarshalJSON keeps the whole record beside its named fields.
func (r *Input) UnmarshalJSON(data []byte) error {
	type fields Input
	return unmarshalOpen(data, (*fields)(r), &r.JSON)
}

// UnmarshalJSON keeps the whole record beside its named fields.
func (r *Dataset) UnmarshalJSON(data []byte) error {
	type fields Dataset
	return unmarshalOpen(data, (*fields)(r), &r.JSON)
}

// UnmarshalJSON keeps the whole record beside its named fields.
func (r *NamedRecord) UnmarshalJSON(data []byte) error {
	type fields NamedRecord
	return unmarshalOpen(data, (*fields)(r), &r.JSON)
}

func (m *Model) identity(of scope) (lacks string, other *shapeError) {
	switch {
	case isEmpty(m.ID):
		return "id", nil
	case m.Revision == nil:
		return "revision", nil
	case of.group != "" && !isEmpty(m.ModelGroupID) && !SameID(*m.ModelGroupID, of.group):
		return "", otherGroup("/modelGroupId", *m.ModelGroupID)
	}
	return "", nil
}

func (*Model) contradiction() *shapeError { return nil }

func (m *Model) common() (*string, *jsontext.Value, *error) { return m.ID, &m.OtherFields, &m.Err }

func (m *Model) later() any { return &m.laterModel }

// LatestModel returns the model with the highest revision of a group, or an ErrNotFound if the group does not exist, is
// hidden or is empty. A malformed model is returned with its Err.
func (c *Client) LatestModel(ctx context.Context, groupID string) (*Model, error) {
	const what = "reading the latest model of group %q"
	model, err := lookupOfGroup(ctx, c, what, groupID, "/latest-model", decodeRecord[Model](scope{group: groupID}))
	if err == nil {
		err = model.Err
	}
	return model, err
}

// Models returns every revision of a group, archived ones too, in the service's order, or an ErrNotFound. A malformed
// model has an Err.
func (c *Client) Models(ctx context.Context, groupID string) ([]*Model, error) {
	decode := decodeList[Model]("models", scope{group: groupID})
	return lookupOfGroup(ctx, c, "reading the models of group %q", groupID, "/models", decode)
}
