package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNumberLength bounds a number spelled out in plain notation, in
// characters: 1e999999999 is ten characters of JSON and a gigabyte of digits.
const maxNumberLength = 1024

// Integer is a JSON number without a fractional part that fits 64 bits: 3, 3.0
// and 3e0 are one, 3.5 and "3" are not.
type Integer int64

// UnmarshalJSON refuses whatever is no integer.
func (i *Integer) UnmarshalJSON(data []byte) error {
	if jsonKind(data) != kindNumber {
		return fmt.Errorf("a whole number is expected, the service sent %s", describe(data))
	}
	plain, err := plainDecimal(string(data))
	if err != nil {
		return err
	}
	whole, fraction, _ := strings.Cut(plain, ".")
	if strings.Trim(fraction, "0") != "" {
		return fmt.Errorf("a whole number is expected, the service sent %s", describe(data))
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return fmt.Errorf("a whole number of 64 bits is expected, the service sent %s", describe(data))
	}
	*i = Integer(n)
	return nil
}

// Scalar is a value of an open type, spelled as the `axis=key:value` query of
// interface.md takes it: a string as it is, true or false, a number in plain
// decimal notation with every digit, anything else as compact JSON.
type Scalar string

// UnmarshalJSON spells the value.
func (s *Scalar) UnmarshalJSON(data []byte) error {
	switch jsonKind(data) {
	case kindString:
		return json.Unmarshal(data, (*string)(s))
	case kindNumber:
		plain, err := plainDecimal(string(data))
		if err != nil {
			return err
		}
		*s = Scalar(plain)
	case kindObject, kindArray:
		*s = Scalar(compactJSON(data))
	default:
		*s = Scalar(data)
	}
	return nil
}

// JSONObject is the compact text of a JSON object: keys sorted, since their
// order carries nothing and may differ from one answer to the next, and every
// digit of every number kept.
type JSONObject string

// UnmarshalJSON refuses whatever is no object.
func (o *JSONObject) UnmarshalJSON(data []byte) error {
	if jsonKind(data) != kindObject {
		return fmt.Errorf("an object is expected, the service sent %s", describe(data))
	}
	*o = JSONObject(compactJSON(data))
	return nil
}

// field is a named string of an open record.
type field struct {
	key string // quoted
	to  **string
}

// decodeRecord decodes the named fields of an open record and keeps all of it,
// in one pass: records are the greater part of many answers.
func decodeRecord(data []byte, whole *JSONObject, fields ...field) error {
	if jsonKind(data) != kindObject {
		return whole.UnmarshalJSON(data)
	}
	var problem error
	*whole = JSONObject(compactMembers(data, func(key, value []byte) {
		for _, f := range fields {
			if string(key) != f.key {
				continue
			}
			// Nearly all are plain, and need no decoder of their own.
			if plain := bytes.Trim(value, `"`); jsonKind(value) == kindString && !bytes.ContainsRune(plain, '\\') && utf8.Valid(plain) {
				text := string(plain)
				*f.to = &text
			} else if err := json.Unmarshal(value, f.to); err != nil && problem == nil {
				problem = err
			}
		}
	}))
	return problem
}

// plainDecimal spells a JSON number without an exponent and with every digit:
// 1.50 stays 1.50, 1.5e3 becomes 1500, 25e-4 becomes 0.0025.
func plainDecimal(number string) (string, error) {
	mantissa, exponentText, hasExponent := strings.Cut(strings.ToLower(number), "e")
	if !hasExponent {
		return plainWithin(mantissa)
	}
	exponent, err := strconv.Atoi(exponentText)
	if err != nil || exponent > maxNumberLength || exponent < -maxNumberLength {
		return "", errNumberTooLong
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	point := len(whole) + exponent
	if point < 1 {
		digits = strings.Repeat("0", 1-point) + digits
		point = 1
	}
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	whole, fraction = strings.TrimLeft(digits[:point], "0"), digits[point:]
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return plainWithin(sign + whole)
}

func plainWithin(plain string) (string, error) {
	if len(plain) > maxNumberLength {
		return "", errNumberTooLong
	}
	return plain, nil
}

var errNumberTooLong = errors.New("a number of more than " + strconv.Itoa(maxNumberLength) + " digits cannot be represented")

// kind is the type of a JSON value, in the words of an error message.
type kind string

const (
	kindObject  kind = "an object"
	kindArray   kind = "a list"
	kindString  kind = "a string"
	kindNumber  kind = "a number"
	kindBoolean kind = "a boolean"
	kindNull    kind = "null"
)

// jsonKind tells the type of one valid JSON value from its first byte.
func jsonKind(data []byte) kind {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 {
		return kindNull
	}
	switch data[0] {
	case '{':
		return kindObject
	case '[':
		return kindArray
	case '"':
		return kindString
	case 't', 'f':
		return kindBoolean
	case 'n':
		return kindNull
	default:
		return kindNumber
	}
}

// describe names a value for a message: its type, and a number itself.
func describe(data []byte) string {
	k := jsonKind(data)
	if k == kindNumber && len(data) <= 40 {
		return "the number " + string(data)
	}
	return string(k)
}
