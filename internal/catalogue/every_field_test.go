package catalogue

import (
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
)

// modelOfEveryField is what fullModel has.
func modelOfEveryField() *Model {
	return &Model{
		ID:            new("m"),
		ModelGroupID:  new("g"),
		Name:          new("n"),
		DisplayName:   new("d"),
		Notes:         new("o"),
		Description:   new("x"),
		Revision:      new(Integer(3)),
		DockerImage:   new("r/i:1"),
		CreatedAt:     new("2026-01-01T00:00:00Z"),
		UpdatedAt:     new("never"),
		RunMode:       new("BRAND_NEW"),
		Horizon:       &KeyedName{Name: new("Day ahead"), ShortName: new("DA"), Key: new("day_ahead")},
		ModelMetadata: new(JSON(`{"\u0041":"<é&>","a":[1e400,{"b":null}],"z":1.50}`)),
		OutputVariables: []*OutputVariable{{
			Name:      new("n"),
			Key:       new("k"),
			Type:      new("float"),
			SeriesKey: new(true),
			Colours:   []*Scalar{new(Scalar("#fff")), new(Scalar("7")), nil},
		}},
		OutputSpecification: []*Scalar{},
		Inputs:              []*Input{{ID: new("i"), Key: new("k"), JSON: `{"id":"i","key":"k","unit":"MW"}`}},
		Datasets: []*Dataset{{
			ID:              new("i"),
			Key:             new("k"),
			StorageLocation: new("s"),
			Source:          new("o"),
			FileFormat:      new("parquet"),
			JSON: `{"fileFormat":"parquet","id":"i","key":"k","rows":18446744073709551616,` +
				`"source":"o","storageLocation":"s"}`,
		}},
		Archived: new(false),
		Enabled:  new(true),
		Tags:     []*string{new("a"), nil},
		Sensitivities: []*NamedRecord{
			{ID: new("i"), Key: new("k"), Name: new("n"), JSON: `{"id":"i","key":"k","name":"n","shift":0.10}`},
		},
		Axes: []*ModelAxis{{
			Key:         new("k"),
			Kind:        new("static"),
			Label:       new("l"),
			Description: new("d"),
			Type:        new("number"),
			Values: []*Scalar{
				new(Scalar("0.25")),
				new(Scalar("1000")),
				new(Scalar("-0.0025")),
				new(Scalar("DE-LU")),
				new(Scalar("true")),
				new(Scalar("[1,2]")),
				new(Scalar(`{"a":2,"b":1}`)),
			},
			Default: new(Scalar("0.5")),
		}},
		InputAggregations: []*NamedRecord{
			{ID: new("i"), Key: new("k"), Name: new("n"), JSON: `{"id":"i","key":"k","name":"n"}`},
		},
		OutputFileFormat:        new("csv"),
		DisplayTimezone:         new("Europe/Berlin"),
		ForecastVariable:        &KeyedName{Name: new("n"), ShortName: new("s"), Key: new("k")},
		IsOwner:                 new(true),
		HasPerformanceMetrics:   new(false),
		DefaultComparisonModels: []*string{new("g")},
		OtherFields:             jsontext.Value(`{"a":1e400,"new":{"deep":[1.50]}}`),
	}
}

// groupOfEveryField is what fullGroup has.
func groupOfEveryField() *ModelGroup {
	return &ModelGroup{
		ID:             new("g"),
		Name:           new("n"),
		LatestRevision: new(Integer(3)),
		Public:         new(true),
		CreatedAt:      new("t"),
		TimeHorizon:    &KeyedName{Name: new("n"), ShortName: new("s"), Key: new("k")},
		Models: []*ModelSummary{
			{ID: new("m"), Revision: new(Integer(0)), CreatedAt: new("t")},
			nil,
			{},
		},
		Axes: []*GroupAxis{{
			Key:         new("k"),
			Kind:        new("static"),
			Label:       new("l"),
			Description: new("d"),
			Type:        new("number"),
			Values:      []*GroupAxisValue{{Value: new(Scalar("1.50")), Historical: new(false)}, {}},
		}},
		OtherFields: jsontext.Value(`{"new":1}`),
	}
}

func TestDecodeTakesEveryField(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind int
		body string
		want any
	}{
		{bodyModel, fullModel, modelOfEveryField()},
		{bodyGroup, fullGroup, groupOfEveryField()},
	} {
		body := strings.NewReader(test.body)
		got, err := decode(test.kind, iotest.OneByteReader(body))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%+v, %v\nwant %+v", got, err, test.want)
		}
	}
}
