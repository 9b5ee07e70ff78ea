package encode

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
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
		"count":  tftypes.Number,
		"flag":   tftypes.Bool,
		"plain":  tftypes.String,
		"one":    innerType,
		"many":   tftypes.List{ElementType: innerType},
		"values": tftypes.List{ElementType: innerType},
		"texts":  tftypes.List{ElementType: tftypes.String},
		"named":  tftypes.Map{ElementType: innerType},
		"counts": tftypes.Map{ElementType: tftypes.Number},
	}}
)

func newInner(name any) tftypes.Value {
	return tftypes.NewValue(innerType, map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, name)})
}

// null, text and list make values of the protocol.
func null(typ tftypes.Type) tftypes.Value {
	return tftypes.NewValue(typ, nil)
}

func text(of string) tftypes.Value {
	return tftypes.NewValue(tftypes.String, of)
}

func list(of tftypes.Type, elements ...tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.List{ElementType: of}, elements)
}

var (
	long   = strings.Repeat("é", 40000)
	allSet = outer{
		embedded: embedded{
			Count: new(int64(math.MinInt64)),
			Flag:  new(true),
		},
		Plain:  long,
		One:    &inner{Name: new("a")},
		Many:   []*inner{{Name: new("b")}, nil, {}},
		Values: []inner{{}},
		Texts:  []*string{new("c"), nil},
		Named:  map[string]*inner{"b": {Name: new("d")}, "": nil, "a": {}, "β/%41": {}},
		Counts: map[string]int64{},
		hidden: 1,
	}
)

func TestEncodesAsTheProtocolReads(t *testing.T) {
	t.Parallel()
	innerMap := tftypes.Map{ElementType: innerType}
	counts := tftypes.Map{ElementType: tftypes.Number}
	for name, test := range map[string]struct {
		value outer
		want  map[string]tftypes.Value
	}{
		"all null": {
			want: map[string]tftypes.Value{
				"count":  null(tftypes.Number),
				"flag":   null(tftypes.Bool),
				"plain":  text(""),
				"one":    null(innerType),
				"many":   null(tftypes.List{ElementType: innerType}),
				"values": null(tftypes.List{ElementType: innerType}),
				"texts":  null(tftypes.List{ElementType: tftypes.String}),
				"named":  null(innerMap),
				"counts": null(counts),
			},
		},
		"all set": {
			value: allSet,
			want: map[string]tftypes.Value{
				"count":  tftypes.NewValue(tftypes.Number, int64(math.MinInt64)),
				"flag":   tftypes.NewValue(tftypes.Bool, true),
				"plain":  text(long),
				"one":    newInner("a"),
				"many":   list(innerType, newInner("b"), null(innerType), newInner(nil)),
				"values": list(innerType, newInner(nil)),
				"texts":  list(tftypes.String, text("c"), null(tftypes.String)),
				"named": tftypes.NewValue(innerMap, map[string]tftypes.Value{
					"b":     newInner("d"),
					"":      null(innerType),
					"a":     newInner(nil),
					"β/%41": newInner(nil),
				}),
				"counts": tftypes.NewValue(counts, map[string]tftypes.Value{}),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			encoder := compiled[*outer](t, outerType)
			packed, err := encoder.Encode(&test.value, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			got, err := (tfprotov6.DynamicValue{MsgPack: packed}).Unmarshal(outerType)
			if err != nil {
				t.Fatal(err)
			}
			want := tftypes.NewValue(outerType, test.want)
			differences, err := want.Diff(got)
			if err != nil || len(differences) > 0 {
				t.Errorf("%v %v", differences, err)
			}
		})
	}
}

// compiled returns the encoder of a T.
func compiled[T any](t *testing.T, typ tftypes.Type) *Encoder {
	t.Helper()
	encoder, err := Compile(reflect.TypeFor[T](), typ)
	if err != nil {
		t.Fatal(err)
	}
	return encoder
}

func TestEqualMapsHaveEqualEncodings(t *testing.T) {
	t.Parallel()
	encoder := compiled[map[string]int64](t, tftypes.Map{ElementType: tftypes.Number})
	value := map[string]int64{}
	for i := range int64(100) {
		value[strings.Repeat("k", int(i))] = i
	}
	var first []byte
	for range 10 {
		packed, err := encoder.Encode(value, 1<<20)
		if first == nil {
			first = packed
		}
		if err != nil || !bytes.Equal(packed, first) {
			t.Fatalf("%v, or another order of the keys", err)
		}
	}
}

func TestEncodeNamesTheSizeOfWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	encoder := compiled[*inner](t, innerType)
	value := &inner{Name: new(strings.Repeat("x", 1000))}
	packed, err := encoder.Encode(value, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(packed))
	if _, err := encoder.Encode(value, size); err != nil {
		t.Errorf("exactly at the limit: %v", err)
	}
	_, err = encoder.Encode(value, size-1)
	tooLarge, ok := errors.AsType[*TooLargeError](err)
	if !ok || tooLarge.Size != size {
		t.Errorf("one byte over the limit: %v", err)
	}
}

func TestEncodeTakesNoMemoryForWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	encoder := compiled[[]string](t, tftypes.List{ElementType: tftypes.String})
	value := slices.Repeat([]string{strings.Repeat("x", 1000)}, 1000)
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
	name := func(typ tftypes.Type) tftypes.Object {
		return tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": typ}}
	}
	for _, test := range []struct {
		goType reflect.Type
		typ    tftypes.Type
		want   string
	}{
		{
			goType: reflect.TypeFor[struct{}](),
			typ:    innerType,
			want:   "the value: struct {} has no field for the attribute name",
		},
		{
			goType: reflect.TypeFor[[]inner](),
			typ:    tftypes.List{ElementType: tftypes.Object{}},
			want:   "[]: encode.inner has a field for an attribute that the schema lacks, name",
		},
		{
			goType: reflect.TypeFor[twice](),
			typ:    name(tftypes.String),
			want:   "the value: encode.twice has two fields for the attribute name",
		},
		{
			goType: reflect.TypeFor[inner](),
			typ:    name(tftypes.Number),
			want:   "name: string cannot hold tftypes.Number",
		},
		{
			goType: reflect.TypeFor[string](),
			typ:    innerType,
			want:   `the value: string cannot hold tftypes.Object["name":tftypes.String]`,
		},
		{
			goType: reflect.TypeFor[inner](),
			typ:    tftypes.Set{ElementType: tftypes.String},
			want:   "the value: encode.inner cannot hold tftypes.Set[tftypes.String]",
		},
		{
			goType: reflect.TypeFor[map[int]string](),
			typ:    tftypes.Map{ElementType: tftypes.String},
			want:   "the value: map[int]string cannot hold tftypes.Map[tftypes.String]",
		},
		{
			goType: reflect.TypeFor[map[string]string](),
			typ:    tftypes.Map{ElementType: tftypes.Bool},
			want:   "[]: string cannot hold tftypes.Bool",
		},
	} {
		_, err := Compile(test.goType, test.typ)
		if err == nil || err.Error() != test.want {
			t.Errorf("%v\nwant %s", err, test.want)
		}
	}
}
