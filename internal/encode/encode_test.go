package encode

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

type inner struct {
	Name *string `tfsdk:"name"`
}

type embedded struct {
	Count *int64 `tfsdk:"count"`
	Flag  *bool  `tfsdk:"flag"`
}

type outer struct {
	embedded
	Plain  string            `tfsdk:"plain"`
	One    *inner            `tfsdk:"one"`
	Many   []*inner          `tfsdk:"many"`
	Values []inner           `tfsdk:"values"`
	Texts  []*string         `tfsdk:"texts"`
	Named  map[string]*inner `tfsdk:"named"`
	Counts map[string]int64  `tfsdk:"counts"`
	hidden int
}

var (
	innerType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String}}
	outerType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"count": tftypes.Number, "flag": tftypes.Bool, "plain": tftypes.String, "one": innerType,
		"many": tftypes.List{ElementType: innerType}, "values": tftypes.List{ElementType: innerType},
		"texts": tftypes.List{ElementType: tftypes.String},
		"named": tftypes.Map{ElementType: innerType}, "counts": tftypes.Map{ElementType: tftypes.Number},
	}}
)

func newInner(name any) tftypes.Value {
	return tftypes.NewValue(innerType, map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, name)})
}

func TestEncodesAsTheProtocolReads(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 40000)
	for name, test := range map[string]struct {
		value outer
		want  map[string]tftypes.Value
	}{
		"all null": {want: map[string]tftypes.Value{
			"count": tftypes.NewValue(tftypes.Number, nil), "flag": tftypes.NewValue(tftypes.Bool, nil),
			"plain": tftypes.NewValue(tftypes.String, ""), "one": tftypes.NewValue(innerType, nil),
			"many":   tftypes.NewValue(tftypes.List{ElementType: innerType}, nil),
			"values": tftypes.NewValue(tftypes.List{ElementType: innerType}, nil),
			"texts":  tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, nil),
			"named":  tftypes.NewValue(tftypes.Map{ElementType: innerType}, nil),
			"counts": tftypes.NewValue(tftypes.Map{ElementType: tftypes.Number}, nil),
		}},
		"all set": {
			value: outer{
				embedded: embedded{Count: new(int64(math.MinInt64)), Flag: new(true)}, Plain: long, One: &inner{Name: new("a")},
				Many: []*inner{{Name: new("b")}, nil, {}}, Values: []inner{{}}, Texts: []*string{new("c"), nil}, hidden: 1,
				Named: map[string]*inner{"b": {Name: new("d")}, "": nil, "a": {}, "β/%41": {}}, Counts: map[string]int64{},
			},
			want: map[string]tftypes.Value{
				"count": tftypes.NewValue(tftypes.Number, int64(math.MinInt64)), "flag": tftypes.NewValue(tftypes.Bool, true),
				"plain": tftypes.NewValue(tftypes.String, long), "one": newInner("a"),
				"many": tftypes.NewValue(
					tftypes.List{ElementType: innerType}, []tftypes.Value{newInner("b"), tftypes.NewValue(innerType, nil), newInner(nil)},
				),
				"values": tftypes.NewValue(tftypes.List{ElementType: innerType}, []tftypes.Value{newInner(nil)}),
				"texts": tftypes.NewValue(
					tftypes.List{ElementType: tftypes.String},
					[]tftypes.Value{tftypes.NewValue(tftypes.String, "c"), tftypes.NewValue(tftypes.String, nil)},
				),
				"named": tftypes.NewValue(tftypes.Map{ElementType: innerType}, map[string]tftypes.Value{
					"b": newInner("d"), "": tftypes.NewValue(innerType, nil), "a": newInner(nil), "β/%41": newInner(nil),
				}),
				"counts": tftypes.NewValue(tftypes.Map{ElementType: tftypes.Number}, map[string]tftypes.Value{}),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			encoder, err := Compile(reflect.TypeFor[*outer](), outerType)
			if err != nil {
				t.Fatal(err)
			}
			bytes, err := encoder.Encode(&test.value, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			got, err := (tfprotov6.DynamicValue{MsgPack: bytes}).Unmarshal(outerType)
			if err != nil {
				t.Fatal(err)
			}
			want := tftypes.NewValue(outerType, test.want)
			if differences, err := want.Diff(got); err != nil || len(differences) > 0 {
				t.Errorf("%v %v", differences, err)
			}
		})
	}
}

func TestEqualMapsHaveEqualEncodings(t *testing.T) {
	t.Parallel()
	encoder, err := Compile(reflect.TypeFor[map[string]int64](), tftypes.Map{ElementType: tftypes.Number})
	if err != nil {
		t.Fatal(err)
	}
	value := map[string]int64{}
	for i := range int64(100) {
		value[strings.Repeat("k", int(i))] = i
	}
	first, err := encoder.Encode(value, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if again, err := encoder.Encode(value, 1<<20); err != nil || !bytes.Equal(again, first) {
			t.Fatalf("%v, or another order of the keys", err)
		}
	}
}

func TestEncodeNamesTheSizeOfWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	encoder, err := Compile(reflect.TypeFor[*inner](), innerType)
	if err != nil {
		t.Fatal(err)
	}
	value := &inner{Name: new(strings.Repeat("x", 1000))}
	bytes, err := encoder.Encode(value, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encoder.Encode(value, int64(len(bytes))); err != nil {
		t.Errorf("exactly at the limit: %v", err)
	}
	var tooLarge *TooLargeError
	if _, err := encoder.Encode(value, int64(len(bytes))-1); !errors.As(err, &tooLarge) || tooLarge.Size != int64(len(bytes)) {
		t.Errorf("one byte over the limit: %v", err)
	}
}

func TestEncodeTakesNoMemoryForWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	encoder, err := Compile(reflect.TypeFor[[]string](), tftypes.List{ElementType: tftypes.String})
	if err != nil {
		t.Fatal(err)
	}
	value := make([]string, 1000)
	for i := range value {
		value[i] = strings.Repeat("x", 1000)
	}
	out := &output{limit: 10_000}
	encoder.encode(out, reflect.ValueOf(value))
	if out.size() != 3+1000*1003 || cap(out.bytes) > 20_000 {
		t.Errorf("%d bytes counted, memory for %d taken", out.size(), cap(out.bytes))
	}
}

func TestCompileFailsOnWhatDoesNotAgree(t *testing.T) {
	t.Parallel()
	type twice struct {
		A *string `tfsdk:"name"`
		B *string `tfsdk:"name"`
	}
	object := func(name string, typ tftypes.Type) tftypes.Object {
		return tftypes.Object{AttributeTypes: map[string]tftypes.Type{name: typ}}
	}
	for want, test := range map[string]struct {
		goType reflect.Type
		typ    tftypes.Type
	}{
		"label: encode.inner has no field for the attribute": {
			goType: reflect.TypeFor[inner](),
			typ:    tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String, "label": tftypes.String}},
		},
		"name: the schema has no attribute for the field of encode.inner": {goType: reflect.TypeFor[inner](), typ: tftypes.Object{}},
		"name: string cannot hold tftypes.Number": {
			goType: reflect.TypeFor[inner](), typ: object("name", tftypes.Number),
		},
		"name: encode.twice has two fields for the attribute": {
			goType: reflect.TypeFor[twice](), typ: object("name", tftypes.String),
		},
		"the value: string cannot hold tftypes.Object[\"name\":tftypes.String]": {goType: reflect.TypeFor[string](), typ: innerType},
		"the value: encode.inner cannot hold tftypes.Set[tftypes.String]": {
			goType: reflect.TypeFor[inner](), typ: tftypes.Set{ElementType: tftypes.String},
		},
		"the value: map[int]string cannot hold tftypes.Map[tftypes.String]": {
			goType: reflect.TypeFor[map[int]string](), typ: tftypes.Map{ElementType: tftypes.String},
		},
		"[]: string cannot hold tftypes.Bool": {goType: reflect.TypeFor[map[string]string](), typ: tftypes.Map{ElementType: tftypes.Bool}},
	} {
		if _, err := Compile(test.goType, test.typ); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
