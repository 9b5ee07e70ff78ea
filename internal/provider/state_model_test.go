package provider

import (
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

func TestAModelWithEverythingSet(t *testing.T) {
	t.Parallel()
	expectSame(t, newModelState(&catalogue.Model{
		ID: new("m"), ModelGroupID: new("g"), Name: new("price"), DisplayName: new("Price"), Notes: new("Notes."), Description: new("Hourly."),
		Revision: new(catalogue.Integer(0)), DockerImage: new("registry/price:1"), CreatedAt: new("2026-01-01"), UpdatedAt: new("2026-01-02"),
		RunMode:       new("AUTOMATIC"),
		Horizon:       &catalogue.KeyedName{Name: new("Day ahead"), ShortName: new("DA"), Key: new("day_ahead")},
		ModelMetadata: new(catalogue.JSONObject(`{"a":1}`)),
		OutputVariables: []*catalogue.OutputVariable{
			{
				Name: new("Price"), Key: new("price"), Type: new("float"), SeriesKey: new(true),
				Colours: []*catalogue.Scalar{new(catalogue.Scalar("#1"))},
			},
		},
		OutputSpecification: []*catalogue.Scalar{new(catalogue.Scalar("column"))},
		Inputs:              []*catalogue.Input{{ID: new("i"), Key: new("gas"), JSON: `{"id":"i"}`}},
		Datasets: []*catalogue.Dataset{
			{ID: new("d"), Key: new("spot"), StorageLocation: new("s3://spot"), Source: new("EPEX"), FileFormat: new("parquet"), JSON: `{"id":"d"}`},
		},
		Archived: new(true), Enabled: new(false), Tags: []*string{new("b"), new("a")},
		Sensitivities: []*catalogue.NamedRecord{{ID: new("s"), Key: new("up"), Name: new("Up"), JSON: `{"id":"s"}`}},
		Axes: []*catalogue.ModelAxis{
			{
				Key: new("q"), Kind: new("static"), Label: new("Quantile"), Description: new("The quantile."), Type: new("number"),
				Values: []*catalogue.Scalar{new(catalogue.Scalar("0.9")), new(catalogue.Scalar("0.1"))}, Default: new(catalogue.Scalar("0.5")),
			},
		},
		InputAggregations: []*catalogue.NamedRecord{{ID: new("n"), Key: new("mean"), Name: new("Mean"), JSON: `{"id":"n"}`}},
		OutputFileFormat:  new("csv"), DisplayTimezone: new("Europe/Berlin"),
		ForecastVariable: &catalogue.KeyedName{Name: new("Day-ahead price"), ShortName: new("Price"), Key: new("price")},
		IsOwner:          new(true), HasPerformanceMetrics: new(false), DefaultComparisonModels: []*string{new("g2"), new("g1")},
		OtherFields: []byte(`{"new":1.50}`),
	}, nil),

		&modelState{
			ID: new("m"), ModelGroupID: new("g"), Name: new("price"), DisplayName: new("Price"), Notes: new("Notes."), Description: new("Hourly."),
			Revision: new(int64(0)), DockerImage: new("registry/price:1"), CreatedAt: new("2026-01-01"), UpdatedAt: new("2026-01-02"),
			RunMode:       new("AUTOMATIC"),
			Horizon:       &keyedNameState{Name: new("Day ahead"), ShortName: new("DA"), Key: new("day_ahead")},
			ModelMetadata: new(`{"a":1}`),
			OutputVariables: []*outputVariableState{
				{
					Name: new("Price"), Key: new("price"), Type: new("float"), SeriesKey: new(true),
					Colours: []*catalogue.Scalar{new(catalogue.Scalar("#1"))},
				},
			},
			OutputSpecification: []*catalogue.Scalar{new(catalogue.Scalar("column"))},
			Inputs:              []*inputState{{ID: new("i"), Key: new("gas"), JSON: `{"id":"i"}`}},
			Datasets: []*datasetState{
				{
					ID: new("d"), Key: new("spot"), StorageLocation: new("s3://spot"), Source: new("EPEX"), FileFormat: new("parquet"),
					JSON: `{"id":"d"}`,
				},
			},
			Archived: new(true), Enabled: new(false), Tags: []*string{new("b"), new("a")},
			Sensitivities: []*namedRecordState{{ID: new("s"), Key: new("up"), Name: new("Up"), JSON: `{"id":"s"}`}},
			Axes: []*modelAxisState{
				{
					Key: new("q"), Kind: new("static"), Label: new("Quantile"), Description: new("The quantile."), Type: new("number"),
					Values: []*catalogue.Scalar{new(catalogue.Scalar("0.9")), new(catalogue.Scalar("0.1"))}, Default: new(catalogue.Scalar("0.5")),
				},
			},
			InputAggregations: []*namedRecordState{{ID: new("n"), Key: new("mean"), Name: new("Mean"), JSON: `{"id":"n"}`}},
			OutputFileFormat:  new("csv"), DisplayTimezone: new("Europe/Berlin"),
			ForecastVariable: &keyedNameState{Name: new("Day-ahead price"), ShortName: new("Price"), Key: new("price")},
			IsOwner:          new(true), HasPerformanceMetrics: new(false), DefaultComparisonModels: []*string{new("g2"), new("g1")},
			OtherFields: new(`{"new":1.50}`),
		})
}

// emptyModel is a model about which the service says nothing.
func emptyModel() *modelState {
	return &modelState{
		OutputVariables: []*outputVariableState{}, OutputSpecification: []*catalogue.Scalar{}, Tags: []*string{},
		Sensitivities: []*namedRecordState{},
		Axes:          []*modelAxisState{}, InputAggregations: []*namedRecordState{}, DefaultComparisonModels: []*string{},
	}
}

func TestAModelWithEverythingMissing(t *testing.T) {
	t.Parallel()
	expectSame(t, newModelState(&catalogue.Model{}, nil), emptyModel())
}

func TestEmptyInputsAndDatasetsAreNotNull(t *testing.T) {
	t.Parallel()
	want := emptyModel()
	want.Inputs, want.Datasets = []*inputState{}, []*datasetState{}
	expectSame(t, newModelState(&catalogue.Model{Inputs: []*catalogue.Input{}, Datasets: []*catalogue.Dataset{}}, nil), want)
}

func TestAWithheldImageIsNull(t *testing.T) {
	t.Parallel()
	expectSame(t, newModelState(&catalogue.Model{DockerImage: new("")}, nil), emptyModel())
	want := emptyModel()
	want.Notes, want.Description = new(""), new("")
	expectSame(t, newModelState(&catalogue.Model{Notes: new(""), Description: new("")}, nil), want)
}

func TestAModelWithNullElements(t *testing.T) {
	t.Parallel()
	want := emptyModel()
	want.OutputVariables = []*outputVariableState{nil, {Colours: []*catalogue.Scalar{}}, {Colours: []*catalogue.Scalar{nil}}}
	want.OutputSpecification = []*catalogue.Scalar{nil}
	want.Inputs = []*inputState{nil}
	want.Datasets = []*datasetState{nil}
	want.Tags = []*string{nil, new("a")}
	want.Sensitivities = []*namedRecordState{nil}
	want.Axes = []*modelAxisState{nil, {Values: []*catalogue.Scalar{}}, {Values: []*catalogue.Scalar{nil}}}
	want.InputAggregations = []*namedRecordState{nil}
	want.DefaultComparisonModels = []*string{nil}
	expectSame(t, newModelState(&catalogue.Model{
		OutputVariables:         []*catalogue.OutputVariable{nil, {}, {Colours: []*catalogue.Scalar{nil}}},
		OutputSpecification:     []*catalogue.Scalar{nil},
		Inputs:                  []*catalogue.Input{nil},
		Datasets:                []*catalogue.Dataset{nil},
		Tags:                    []*string{nil, new("a")},
		Sensitivities:           []*catalogue.NamedRecord{nil},
		Axes:                    []*catalogue.ModelAxis{nil, {}, {Values: []*catalogue.Scalar{nil}}},
		InputAggregations:       []*catalogue.NamedRecord{nil},
		DefaultComparisonModels: []*string{nil},
	}, nil),

		want)
}

func TestModelsAreSortedByRevisionThenID(t *testing.T) {
	t.Parallel()
	var order []*string
	for _, state := range sortedModelStates([]*catalogue.Model{
		{ID: new("none")},
		{ID: new("c"), Revision: new(catalogue.Integer(1))},
		{ID: new("zero"), Revision: new(catalogue.Integer(0))},
		{ID: new("ten"), Revision: new(catalogue.Integer(10))},
		{ID: new("b"), Revision: new(catalogue.Integer(1))},
		{ID: new("nine"), Revision: new(catalogue.Integer(9))},
	}, nil) {
		order = append(order, state.ID)
	}
	expectSame(t, order, []*string{new("ten"), new("nine"), new("b"), new("c"), new("zero"), new("none")})
	expectSame(t, sortedModelStates(nil, nil), []*modelState{})
}
