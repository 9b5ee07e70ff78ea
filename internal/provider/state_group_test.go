package provider

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

func TestAGroupWithEverythingSet(t *testing.T) {
	t.Parallel()
	expectSame(t, newGroupState(&catalogue.ModelGroup{
		ID: new("g"), Name: new("Price"), LatestRevision: new(catalogue.Integer(7)), Public: new(true), CreatedAt: new("2026-01-01"),
		TimeHorizon: &catalogue.KeyedName{Name: new("Day ahead"), ShortName: new("DA"), Key: new("day_ahead")},
		Models: []*catalogue.ModelSummary{
			{ID: new("m0"), Revision: new(catalogue.Integer(0)), CreatedAt: new("2025-01-01")},
			{ID: new("m7"), Revision: new(catalogue.Integer(7)), CreatedAt: new("2026-01-01")},
		},
		Axes: []*catalogue.GroupAxis{{
			Key: new("q"), Kind: new("static"), Label: new("Quantile"), Description: new("The quantile."), Type: new("number"),
			Values: []*catalogue.GroupAxisValue{
				{Value: new(catalogue.Scalar("0.9")), Historical: new(false)},
				{Value: new(catalogue.Scalar("0.1")), Historical: new(true)},
			},
		}},
		OtherFields: []byte(`{"new":1.50}`),
	}, nil),

		&groupState{
			ID: new("g"), Name: new("Price"), LatestRevision: new(int64(7)), Public: new(true), CreatedAt: new("2026-01-01"),
			TimeHorizon: &keyedNameState{Name: new("Day ahead"), ShortName: new("DA"), Key: new("day_ahead")},
			Models: []*modelSummaryState{
				{ID: new("m7"), Revision: new(catalogue.Integer(7)), CreatedAt: new("2026-01-01")},
				{ID: new("m0"), Revision: new(catalogue.Integer(0)), CreatedAt: new("2025-01-01")},
			},
			Axes: []*groupAxisState{{
				Key: new("q"), Kind: new("static"), Label: new("Quantile"), Description: new("The quantile."), Type: new("number"),
				Values: []*groupAxisValueState{
					{Value: new(catalogue.Scalar("0.9")), Historical: new(false)},
					{Value: new(catalogue.Scalar("0.1")), Historical: new(true)},
				},
			}},
			OtherFields: new(`{"new":1.50}`),
		})
}

func TestAGroupWithEverythingMissing(t *testing.T) {
	t.Parallel()
	expectSame(t, newGroupState(&catalogue.ModelGroup{}, nil), &groupState{Models: []*modelSummaryState{}, Axes: []*groupAxisState{}})
}

func TestAGroupWithNullElements(t *testing.T) {
	t.Parallel()
	expectSame(t, newGroupState(&catalogue.ModelGroup{
		TimeHorizon: &catalogue.KeyedName{},
		Models:      []*catalogue.ModelSummary{nil, {}, {Revision: new(catalogue.Integer(1))}},
		Axes:        []*catalogue.GroupAxis{nil, {}, {Values: []*catalogue.GroupAxisValue{nil, {}}}},
	}, nil),

		&groupState{
			TimeHorizon: &keyedNameState{},
			Models:      []*modelSummaryState{{Revision: new(catalogue.Integer(1))}, {}, nil},
			Axes: []*groupAxisState{
				nil,
				{Values: []*groupAxisValueState{}},
				{Values: []*groupAxisValueState{nil, {}}},
			},
		})
}

func TestRevisionsOfAGroupThatTieAreSortedByID(t *testing.T) {
	t.Parallel()
	state := newGroupState(&catalogue.ModelGroup{Models: []*catalogue.ModelSummary{
		{ID: new("b"), Revision: new(catalogue.Integer(1))},
		{ID: new("c"), Revision: new(catalogue.Integer(1))},
		{ID: new("a"), Revision: new(catalogue.Integer(1))},
	}}, nil)

	expectSame(t, state.Models, []*modelSummaryState{
		{ID: new("a"), Revision: new(catalogue.Integer(1))},
		{ID: new("b"), Revision: new(catalogue.Integer(1))},
		{ID: new("c"), Revision: new(catalogue.Integer(1))},
	})
}

func TestGroupsAreSortedByNameThenID(t *testing.T) {
	t.Parallel()
	var order []*string
	for _, state := range sortedGroupStates([]*catalogue.ModelGroup{
		{ID: new("4"), Name: new("b")},
		{ID: new("3"), Name: new("b")},
		{ID: new("5"), Name: new("a")},
		{ID: new("2")},
		{ID: new("1"), Name: new("B")},
	}, nil) {
		order = append(order, state.ID)
	}
	expectSame(t, order, []*string{new("2"), new("1"), new("5"), new("3"), new("4")})
	expectSame(t, sortedGroupStates(nil, nil), []*groupState{})
}

// expectSame compares whole values, nil and empty lists told apart.
func expectSame(t *testing.T, got, want any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	gotText, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	wantText, err := json.MarshalIndent(want, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	t.Errorf("got %s\nwant %s", gotText, wantText)
}
