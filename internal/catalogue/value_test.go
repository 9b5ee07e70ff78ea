package catalogue

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestPlainDecimal(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"0": "0", "-0": "-0", "7": "7", "-7": "-7", "1.50": "1.50", "0.10": "0.10",
		"9007199254740993": "9007199254740993",
		"1e3":              "1000", "1E+3": "1000", "1.5e3": "1500", "1.5e0": "1.5",
		"25e-4": "0.0025", "-25e-4": "-0.0025", "123.456e1": "1234.56", "123.456e-1": "12.3456",
		"123.456e-3": "0.123456", "123.456e-5": "0.00123456", "0e5": "0", "0.0e2": "0",
		"0.0012e1": "0.012", "100e-1": "10.0",
		"1234567890123456789012345678901234567890": "1234567890123456789012345678901234567890",
		"1e40": "1" + strings.Repeat("0", 40),
	} {
		got, err := plainDecimal(number)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", number, got, err, want)
		}
	}
	for _, number := range []string{
		"1e999999999", "1e-999999999", "1e99999999999999999999", "1e1024", "1e-1023", "-9e-2147483648",
		"1" + strings.Repeat("0", maxNumberLength),
	} {
		if got, err := plainDecimal(number); err == nil {
			t.Errorf("%.20s: %d characters, want an error", number, len(got))
		}
	}
}

// expectDecoded decodes texts as they are decoded in a body.
func expectDecoded[T comparable](t *testing.T, texts map[string]T) {
	t.Helper()
	for text, want := range texts {
		var got T
		if err := json.Unmarshal([]byte(text), &got, lenient); err != nil || got != want {
			t.Errorf("%s: %v, %v\nwant %v", text, got, err, want)
		}
	}
}

func TestIntegerTakesOnlyWholeNumbers(t *testing.T) {
	t.Parallel()
	expectDecoded(t, map[string]Integer{
		"0": 0, "3": 3, "3.0": 3, "30e-1": 3, "3e2": 300, "-4.00": -4, "9223372036854775807": 9223372036854775807,
	})
	const sent = " is expected, the service sent "
	for text, want := range map[string]string{
		"3.5":                 "a whole number" + sent + `the number "3.5"`,
		`"3"`:                 "a whole number" + sent + "a string",
		"true":                "a whole number" + sent + "a boolean",
		"[3]":                 "a whole number" + sent + "a list",
		"9223372036854775808": "a whole number" + sent + `the number "9223372036854775808"`,
	} {
		if err := new(Integer).UnmarshalJSON([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestScalarIsSpelledAsTheAxisQueryTakesIt(t *testing.T) {
	t.Parallel()
	expectDecoded(t, map[string]Scalar{
		`"DE-LU"`: "DE-LU", `""`: "", `"1e3"`: "1e3", "true": "true", "false": "false",
		"1e3": "1000", "0.50": "0.50", "12345678901234567890.10": "12345678901234567890.10",
		`[1, 2.50 ,"a"]`: `[1,2.50,"a"]`, `{"b": 1, "a": {"d":2,"c":3}}`: `{"a":{"c":3,"d":2},"b":1}`,
	})
}

func TestJSONIsCanonical(t *testing.T) {
	t.Parallel()
	const canonical = `{"a":"<é&>","big":1234567890123456789012345678901234567890,"exp":1E400,"n":[1.0,2.50],"z":null}`
	const shuffled = `{"z":null,"big":1234567890123456789012345678901234567890,"a":"<é&>","n":[1.0,2.50],"exp":1E400}`
	spaced := strings.NewReplacer(":", " : ", ",", " ,\n").Replace(shuffled) + " "
	expectDecoded(t, map[string]JSON{
		shuffled: canonical,
		spaced:   canonical,
		`{}`:     `{}`, ` { } `: `{}`, `{"a":[ ]}`: `{"a":[]}`,
		`{ "b" : { "y":1, "x":[ {"q":1 , "p":"\"},{"}] } , "a" : "\u00e9\\" }`: `{"a":"é\\","b":{"x":[{"p":"\"},{","q":1}],"y":1}}`,
		// The last of two equal keys counts for a reader, before as after, however they are spelled.
		`{"b":3, "a":2,"b":1}`:                                    `{"b":3,"a":2,"b":1}`,
		`{"b":3,"a":2,"\u0061":1}`:                                `{"b":3,"a":2,"a":1}`,
		`{"b":3,"\u0061":2,"a":1}`:                                `{"b":3,"a":2,"a":1}`,
		`{"b":{"x":2,"\u0078":1}}`:                                `{"b":{"x":2,"x":1}}`,
		"{\"b\":1,\"\xff\":2,\"\xfe\":1}":                         "{\"b\":1,\"\uFFFD\":2,\"\uFFFD\":1}",
		`{"b":1,"\u0061":2}`:                                      `{"a":2,"b":1}`,
		`{"b":"\ud800","a":1}`:                                    "{\"a\":1,\"b\":\"\uFFFD\"}",
		`{"a b":1,"a":2,"":3}`:                                    `{"":3,"a":2,"a b":1}`,
		`{"b":[{"d":{},"c":0}],"a":{"f":[{}],"e":{"h":1,"g":2}}}`: `{"a":{"e":{"g":2,"h":1},"f":[{}]},"b":[{"c":0,"d":{}}]}`,
		"{\"\xff\":\"\xfe\",\"\U0001F600\":1}":                    "{\"\U0001F600\":1,\"\uFFFD\":\"\uFFFD\"}",
	})
	expectDecoded(t, map[string]JSON{
		` [ 1.50 , {"b":1, "a":2} ] `: `[1.50,{"a":2,"b":1}]`,
		` "a \u00e9" `:                `"a é"`,
		`"caf\u00E9 \u003c\/a\u003E \u0022\u000a\ud83d\ude00"`: `"café </a> \"\n😀"`, // one spelling, whatever encoder wrote it
		` 1.50 `: `1.50`,
		` true `: `true`,
	})
}

// Members are sorted unless there are very many, however they are spelled, or two of one name: a reader takes the last
// of those. Other colons do not count.
func TestMembersAreSortedIfThereAreFew(t *testing.T) {
	t.Parallel()
	members := func(n int, colon, value string) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, `,"%06d"%s%s`, n-i, colon, value)
		}
		return "{" + text.String()[1:] + "}"
	}
	for text, sorted := range map[string]bool{
		members(maxSorted, ":", "1"):          true,
		members(maxSorted, " : ", "1"):        true,
		members(maxSorted, ":", `"a:\":\":"`): true,
		members(maxSorted+1, " :\n", "1"):     false,
		`{"b":1,"a":2,"b":3}`:                 false,
	} {
		want := regexp.MustCompile(`\s`).ReplaceAllString(text, "")
		var got JSON
		err := got.UnmarshalJSON([]byte(text))
		if err != nil || (string(got) != want) != sorted || len(got) != len(want) {
			t.Errorf("%.20s: %v, %.40s", text, err, got)
		}
	}
}

// The last of duplicate members wins, whole, whatever the others are.
func TestDuplicateMembers(t *testing.T) {
	t.Parallel()
	want := &Model{
		ID:            new("b"),
		Revision:      new(Integer(1)),
		Tags:          []*string{new("z")},
		Horizon:       &KeyedName{Key: new("l")},
		ModelMetadata: new(JSON(`{"b":2}`)),
		Axes:          []*ModelAxis{{Key: new("x")}},
	}
	const last = `"id":"b","revision":1,"tags":["z"],"horizon":{"key":"l"},"modelMetadata":{"b":2},"axes":[{"key":"x"}]`
	for _, first := range []string{
		`"id":"a","tags":["x","y"],"horizon":{"key":"k","name":"n"},"modelMetadata":{"a":1},"axes":[{"kind":"k"},{}]`,
		`"id":7,"revision":"x","tags":"y","horizon":[],"modelMetadata":[],"axes":[{"key":7}]`,
	} {
		got, err := decodeText(bodyModel, "{"+first+","+last+"}")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", first, got, err)
		}
	}
	const wrong = `{"id":"b","revision":1,"name":"n","name":7}`
	if fault := unusable(decodeText(bodyModel, wrong)); fault == nil || fault.Place != "name" {
		t.Errorf("%v", fault)
	}
}
