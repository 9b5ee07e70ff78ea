package sandbox

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// These types list the fields of interface.md "Resources and their fields",
// once more and independently of any client. They only check what people
// write: nothing is served from them. A service may leave a value out by null,
// so null is taken for every type but name, flag and list.
//
// Tags say more: what an editor shows (doc), which values there are (enum),
// and what a catalogue file must have (required).

// catalogueFile is a catalogue file, with its documents as G and M.
type catalogueFile[G, M any] struct {
	Schema        name                    `json:"$schema" doc:"The JSON Schema of this file, for editors."`
	Organisations list[organisationEntry] `json:"organisations" required:"true" doc:"Who may call, at least one."`
	TimeHorizons  list[timeHorizonEntry]  `json:"timeHorizons" doc:"What the timeHorizon filter knows."`
	ModelGroups   list[groupEntry[G, M]]  `json:"modelGroups" doc:"The model groups, in the order of listing."`
}

type organisationEntry struct {
	Name         name `json:"name" required:"true" doc:"The organisation's name, which owner refers to."`
	ClientID     name `json:"clientId" required:"true" doc:"The client id of its token requests."`
	ClientSecret name `json:"clientSecret" required:"true" doc:"The client secret, a made-up one."`
	Disabled     name `json:"disabled" doc:"Why it is disabled. Left out, it is not."`
	Forbidden    flag `json:"forbidden" doc:"Whether it gets tokens and is permitted nothing."`
}

type timeHorizonEntry struct {
	Name      name `json:"name" doc:"Human-readable name."`
	ShortName name `json:"shortName" doc:"Short label."`
	Key       name `json:"key" required:"true" doc:"What the timeHorizon filter takes, such as day_ahead."`
}

type groupEntry[G, M any] struct {
	Owner  name    `json:"owner" required:"true" doc:"The name of the organisation that owns the group."`
	Group  G       `json:"group" required:"true" doc:"The group as the service sends it."`
	Models list[M] `json:"models" doc:"Its revisions as the service sends them to the owner."`
}

type groupDocument struct {
	ID             string          `json:"id" required:"true" doc:"Unique identifier."`
	Name           string          `json:"name" doc:"Human-readable name."`
	LatestRevision integer         `json:"latestRevision" doc:"Highest revision; it follows from the revisions."`
	Public         bool            `json:"public" doc:"Whether everyone sees the group. Left out, everyone does."`
	CreatedAt      string          `json:"createdAt" doc:"ISO 8601 timestamp of creation."`
	TimeHorizon    timeHorizonName `json:"timeHorizon" doc:"The time horizon the group belongs to."`
	Models         []struct {
		ID        string  `json:"id"`
		Revision  integer `json:"revision"`
		CreatedAt string  `json:"createdAt"`
	} `json:"models" doc:"Revisions not archived. Left out, they follow from the revisions."`
	Axes []struct {
		axisNames
		Values []struct {
			Value      anything `json:"value"`
			Historical bool     `json:"historical" doc:"Whether the latest revision dropped it."`
		} `json:"values"`
	} `json:"axes" doc:"Every axis of every revision. Left out, they follow from the revisions."`
}

type modelDocument struct {
	ID                      string           `json:"id" required:"true" doc:"Unique identifier."`
	ModelGroupID            string           `json:"modelGroupId" doc:"Identifier of the group."`
	Name                    string           `json:"name" doc:"Stable slug."`
	DisplayName             string           `json:"displayName" doc:"Human-readable name."`
	Notes                   string           `json:"notes" doc:"Publisher's notes, for the owner."`
	Description             string           `json:"description" doc:"Short description."`
	Revision                integer          `json:"revision" required:"true" doc:"Revision; the first can be 0."`
	DockerImage             string           `json:"dockerImage" doc:"Container image reference, for the owner."`
	CreatedAt               string           `json:"createdAt" doc:"ISO 8601 timestamp of creation."`
	UpdatedAt               string           `json:"updatedAt" doc:"ISO 8601 timestamp of the last change."`
	RunMode                 string           `json:"runMode" enum:"AUTOMATIC,ON_DEMAND" doc:"How it runs."`
	Horizon                 timeHorizonName  `json:"horizon" doc:"The forecast's time horizon."`
	ModelMetadata           openRecord       `json:"modelMetadata" doc:"Free-form metadata."`
	OutputVariables         []outputVariable `json:"outputVariables" doc:"What the model produces."`
	OutputSpecification     []anything       `json:"outputSpecification" doc:"Deprecated, always empty."`
	Inputs                  []keyedRecord    `json:"inputs" doc:"The inputs it accepts, with further fields."`
	Datasets                []datasetRecord  `json:"datasets" doc:"The datasets bound to it, with further fields."`
	Archived                bool             `json:"archived" doc:"Whether it is archived."`
	Enabled                 bool             `json:"enabled" doc:"Whether it runs."`
	Tags                    []string         `json:"tags" doc:"Tags."`
	Sensitivities           []namedRecord    `json:"sensitivities" doc:"Sensitivities, with further fields."`
	Axes                    []modelAxis      `json:"axes" doc:"Axes in declared order."`
	InputAggregations       []namedRecord    `json:"inputAggregations" doc:"Input aggregations, with further fields."`
	OutputFileFormat        string           `json:"outputFileFormat" enum:"json,csv,parquet" doc:"Format of output."`
	DisplayTimezone         string           `json:"displayTimezone" doc:"IANA time zone of display."`
	ForecastVariable        timeHorizonName  `json:"forecastVariable" doc:"The variable being forecast."`
	IsOwner                 bool             `json:"isOwner" doc:"Set by the sandbox for each caller."`
	HasPerformanceMetrics   bool             `json:"hasPerformanceMetrics" doc:"Whether it has metrics."`
	DefaultComparisonModels []string         `json:"defaultComparisonModels" doc:"Model group ids to compare with."`
}

// What may be anything, and an object of it.
type (
	anything   = jsontext.Value
	openRecord = map[string]anything
)

// timeHorizonName is the shape of a time horizon and of a forecast variable.
type timeHorizonName struct {
	Name      string `json:"name"`
	ShortName string `json:"shortName"`
	Key       string `json:"key"`
}

type outputVariable struct {
	Name      string     `json:"name"`
	Key       string     `json:"key"`
	Type      string     `json:"type" doc:"Such as float."`
	SeriesKey bool       `json:"seriesKey"`
	Colours   []anything `json:"colours"`
}

type axisNames struct {
	Key         string `json:"key"`
	Kind        string `json:"kind" doc:"Such as static."`
	Label       string `json:"label"`
	Description string `json:"description"`
	Type        string `json:"type" doc:"Such as number."`
}

type modelAxis struct {
	axisNames
	Values  []anything `json:"values"`
	Default anything   `json:"default"`
}

// The interface does not show the other fields of these three.
type (
	keyedRecord struct {
		ID    string     `json:"id"`
		Key   string     `json:"key"`
		Other openRecord `json:",embed"`
	}
	namedRecord struct {
		ID    string     `json:"id"`
		Key   string     `json:"key"`
		Name  string     `json:"name"`
		Other openRecord `json:",embed"`
	}
	datasetRecord struct {
		ID              string     `json:"id"`
		Key             string     `json:"key"`
		StorageLocation string     `json:"storageLocation"`
		Source          string     `json:"source"`
		FileFormat      string     `json:"fileFormat" doc:"Such as parquet."`
		Other           openRecord `json:",embed"`
	}
)

// name is a string that is not empty.
type name string

func (n *name) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() != jsontext.KindString || json.Unmarshal(value, (*string)(n)) != nil || *n == "" {
		return errors.New("a string that is not empty is expected")
	}
	return nil
}

// flag is true or false.
type flag bool

func (f *flag) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case jsontext.KindTrue, jsontext.KindFalse:
		*f = flag(token.Bool())
		return nil
	}
	return errors.New("true or false is expected")
}

// list is a list, possibly empty.
type list[T any] []T

func (l *list[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginArray {
		if err := decoder.SkipValue(); err != nil {
			return err
		}
		return errors.New("a list is expected")
	}
	return json.UnmarshalDecode(decoder, (*[]T)(l))
}

// integer is a whole number of any size, as JSON Schema has it: 3.0 is one.
type integer jsontext.Value

func (n *integer) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() == jsontext.KindNull {
		return nil
	}
	if v := number(value); v == nil || !v.IsInt() {
		return errors.New("an integer is expected")
	}
	*n = integer(value.Clone())
	return nil
}
