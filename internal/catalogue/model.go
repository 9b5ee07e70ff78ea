package catalogue

import "context"

// Model is one published revision of a forecast. A field that the service left
// out or sent as null is nil; so are Notes and, spelled as an empty string,
// DockerImage for callers outside the owning organisation.
type Model struct {
	ID                      *string             `json:"id"`
	ModelGroupID            *string             `json:"modelGroupId"`
	Name                    *string             `json:"name"`
	DisplayName             *string             `json:"displayName"`
	Notes                   *string             `json:"notes"`
	Description             *string             `json:"description"`
	Revision                *Integer            `json:"revision"`
	DockerImage             *string             `json:"dockerImage"`
	CreatedAt               *string             `json:"createdAt"`
	UpdatedAt               *string             `json:"updatedAt"`
	RunMode                 *string             `json:"runMode"`
	Horizon                 *TimeHorizon        `json:"horizon"`
	ModelMetadata           *JSONObject         `json:"modelMetadata"`
	OutputVariables         []*OutputVariable   `json:"outputVariables"`
	OutputSpecification     []*Scalar           `json:"outputSpecification"`
	Inputs                  []*Input            `json:"inputs"`
	Datasets                []*Dataset          `json:"datasets"`
	Archived                *bool               `json:"archived"`
	Enabled                 *bool               `json:"enabled"`
	Tags                    []*string           `json:"tags"`
	Sensitivities           []*Sensitivity      `json:"sensitivities"`
	Axes                    []*ModelAxis        `json:"axes"`
	InputAggregations       []*InputAggregation `json:"inputAggregations"`
	OutputFileFormat        *string             `json:"outputFileFormat"`
	DisplayTimezone         *string             `json:"displayTimezone"`
	ForecastVariable        *ForecastVariable   `json:"forecastVariable"`
	IsOwner                 *bool               `json:"isOwner"`
	HasPerformanceMetrics   *bool               `json:"hasPerformanceMetrics"`
	DefaultComparisonModels []*string           `json:"defaultComparisonModels"`
}

// OutputVariable is a variable that a model produces.
type OutputVariable struct {
	Name      *string   `json:"name"`
	Key       *string   `json:"key"`
	Type      *string   `json:"type"`
	SeriesKey *bool     `json:"seriesKey"`
	Colours   []*Scalar `json:"colours"`
}

// ForecastVariable is the variable that a model forecasts.
type ForecastVariable struct {
	Name      *string `json:"name"`
	ShortName *string `json:"shortName"`
	Key       *string `json:"key"`
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

// Input is an input that a model accepts. JSON is the whole record, since
// the interface names only some of its fields.
type Input struct {
	ID   *string    `json:"id"`
	Key  *string    `json:"key"`
	JSON JSONObject `json:"-"`
}

// Dataset is a dataset bound to a model. JSON is the whole record.
type Dataset struct {
	ID              *string    `json:"id"`
	Key             *string    `json:"key"`
	StorageLocation *string    `json:"storageLocation"`
	Source          *string    `json:"source"`
	FileFormat      *string    `json:"fileFormat"`
	JSON            JSONObject `json:"-"`
}

// Sensitivity is a sensitivity configuration. JSON is the whole record.
type Sensitivity struct {
	ID   *string    `json:"id"`
	Key  *string    `json:"key"`
	Name *string    `json:"name"`
	JSON JSONObject `json:"-"`
}

// InputAggregation is an input aggregation. JSON is the whole record.
type InputAggregation struct {
	ID   *string    `json:"id"`
	Key  *string    `json:"key"`
	Name *string    `json:"name"`
	JSON JSONObject `json:"-"`
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
func (r *Sensitivity) UnmarshalJSON(data []byte) error {
	type fields Sensitivity
	return unmarshalOpen(data, (*fields)(r), &r.JSON)
}

// UnmarshalJSON keeps the whole record beside its named fields.
func (r *InputAggregation) UnmarshalJSON(data []byte) error {
	type fields InputAggregation
	return unmarshalOpen(data, (*fields)(r), &r.JSON)
}

// missing names a field without which a revision cannot be told from another.
func (m *Model) missing() string {
	switch {
	case m.ID == nil:
		return "id"
	case m.Revision == nil:
		return "revision"
	}
	return ""
}

// LatestModel returns the model with the highest revision of a group, or an
// ErrNotFound: the group does not exist, may not be seen or has no models.
//
// The answer is shared between callers and must not be changed.
func (c *Client) LatestModel(ctx context.Context, groupID string) (*Model, error) {
	return lookupOfGroup(ctx, c, groupID, "/latest-model", question[*Model]{
		what: "reading the latest model of group %q", decode: decodeObject[Model],
	})
}

// Models returns every revision of a group, archived ones too, in the
// service's own order, or an ErrNotFound.
//
// The answer is shared between callers and must not be changed.
func (c *Client) Models(ctx context.Context, groupID string) ([]*Model, error) {
	return c.ModelsWith(ctx, groupID, nil)
}

// ModelsWith returns as Models does. Where the answer is one that was kept from
// before this call and it does not suffice, the question is asked once more: a kept
// answer cannot prove that something is absent.
func (c *Client) ModelsWith(ctx context.Context, groupID string, suffices func([]*Model) bool) ([]*Model, error) {
	return lookupOfGroup(ctx, c, groupID, "/models", question[[]*Model]{
		what: "reading the models of group %q", decode: decodeList[Model]("models"), suffices: suffices,
	})
}
