package catalogue

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxNumberLength bounds a number spelled out in plain notation, in characters: 1e999999999 is ten characters of JSON
// and a gigabyte of digits.
const maxNumberLength = 1024

var errNumberTooLong = fmt.Errorf("a number of more than %d digits cannot be represented", maxNumberLength)

// Integer is a JSON number without a fractional part that fits 64 bits: 3, 3.0 and 3e0 are one, 3.5 and "3" are not.
type Integer int64

// UnmarshalJSON takes an integer, and returns an error for anything else.
func (i *Integer) UnmarshalJSON(data []byte) error {
	plain, _ := plainDecimal(string(data)) // ParseInt refuses any other kind of value
	whole, fraction, _ := strings.Cut(plain, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.Trim(fraction, "0") != "" {
		kind := jsontext.Value(data).Kind()
		sent := inWords[kind]
		if kind == jsontext.KindNumber {
			sent = fmt.Sprintf("the number %q", data)
		}
		return fmt.Errorf("a whole number is expected, the service sent %s", sent)
	}
	*i = Integer(n)
	return nil
}

// Scalar is a value of an open type, spelled as the `axis=key:value` query of the service takes it: a string as it is,
// true or false, a number in plain decimal notation with every digit, anything else as compact JSON.
type Scalar string

// UnmarshalJSON spells the value.
func (s *Scalar) UnmarshalJSON(data []byte) error {
	var err error
	switch jsontext.Value(data).Kind() {
	case jsontext.KindString:
		*s = Scalar(textOf(data))
	case jsontext.KindNumber:
		*(*string)(s), err = plainDecimal(string(data))
	default:
		*s = Scalar(compactAndSort(data))
	}
	return err
}

// JSON is a JSON value of any type as compact text, with every digit of every number kept. Unless there are very many,
// the members of its objects are sorted: their order carries nothing and may differ from one answer to the next.
type JSON string

// UnmarshalJSON takes any value.
func (j *JSON) UnmarshalJSON(data []byte) error {
	*j = JSON(compactAndSort(data))
	return nil
}

// unmarshalOpen decodes the named fields of an open record, and keeps all of it.
func unmarshalOpen(data []byte, fields any, whole *JSON) error {
	*whole = JSON(compactAndSort(data))
	return json.Unmarshal(data, fields, lenient)
}

// maxSorted is how many members the objects of a JSON value may have in all for them to be sorted. Sorting takes many
// times the memory of the text.
const maxSorted = 1000

// compactAndSort rewrites a JSON value without white space, with the members of its objects sorted by key, and with one
// spelling of each string. Numbers stay as they are spelled. Nothing is sorted if there are more members than
// maxSorted, or if an object has two equal keys: a reader takes the last of them, and sorting would put them into the
// order of their values. data comes from a decoder, so nothing else can be wrong with it.
func compactAndSort(data []byte) string {
	format := func(how jsontext.Options) ([]byte, error) {
		// Half of a surrogate pair, as an escape, passes for invalid UTF-8.
		return jsontext.AppendFormat(make([]byte, 0, len(data)), data, how, jsontext.AllowInvalidUTF8(true))
	}
	if !hasManyMembers(data) {
		if sorted, err := format(jsontext.ReorderRawObjects(true)); err == nil {
			return string(sorted)
		}
	}
	plain, _ := format(jsontext.AllowDuplicateNames(true))
	return string(plain)
}

// hasManyMembers reports whether the objects of a JSON value have more members than maxSorted in all. Each has a
// colon, and so do many texts.
func hasManyMembers(data []byte) bool {
	if bytes.Count(data, []byte(":")) <= maxSorted {
		return false
	}
	text := jsontext.NewDecoder(bytes.NewBuffer(data), lenient)
	for members := 0; members <= maxSorted; {
		kind, tokens := text.StackIndex(text.StackDepth())
		if kind == jsontext.KindBeginObject && tokens%2 == 1 {
			members++ // its value comes next
		}
		if _, err := text.ReadToken(); err != nil {
			return false
		}
	}
	return true
}

// plainDecimal spells a JSON number without an exponent and with every digit: 1.50 stays 1.50, 25e-4 becomes 0.0025.
func plainDecimal(number string) (string, error) {
	plain := number
	mantissa, exponentText, hasExponent := strings.Cut(strings.ToLower(number), "e")
	if hasExponent {
		exponent, err := strconv.Atoi(exponentText)
		if err != nil || len(number) > maxNumberLength || max(exponent, -exponent) > maxNumberLength {
			return "", errNumberTooLong
		}
		_, fraction, _ := strings.Cut(mantissa, ".")
		value, _ := new(big.Rat).SetString(number)
		plain = value.FloatString(max(0, len(fraction)-exponent))
	}
	if len(plain) > maxNumberLength {
		return "", errNumberTooLong
	}
	return plain, nil
}
