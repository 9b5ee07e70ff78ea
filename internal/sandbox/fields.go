package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// reader takes in the value at a place of the catalogue file, such as
// modelGroups[2].owner.
type reader func(place string, raw json.RawMessage) error

type fields map[string]reader

// readFields reads an object of exactly these fields. encoding/json would take
// a name in any case and a repeated one without a word, and could not say
// where an unknown one stands.
func readFields(place string, raw json.RawMessage, known fields, required ...string) error {
	o, err := parseObject(raw)
	if err != nil {
		return wrong(place, "%w", err)
	}
	seen := map[string]bool{}
	for _, m := range o {
		read, ok := known[m.name]
		switch at := below(place, m.name); {
		case !ok:
			names := slices.Sorted(maps.Keys(known))
			return wrong(at, "there is no such field; known are %s", strings.Join(names, ", "))
		case seen[m.name]:
			return wrong(at, "the field stands here twice")
		default:
			if err := read(at, m.value); err != nil {
				return err
			}
		}
		seen[m.name] = true
	}
	for _, name := range required {
		if !seen[name] {
			return wrong(below(place, name), "the field is required")
		}
	}
	return nil
}

func readList(element reader) reader {
	return func(place string, raw json.RawMessage) error {
		if raw[0] != '[' {
			return wrong(place, "a list is expected")
		}
		for i, value := range elements(raw) {
			if err := element(fmt.Sprintf("%s[%d]", place, i), value); err != nil {
				return err
			}
		}
		return nil
	}
}

// readName reads a string that must not be empty.
func readName(into *string) reader {
	return func(place string, raw json.RawMessage) error {
		if raw[0] != '"' || json.Unmarshal(raw, into) != nil || *into == "" {
			return wrong(place, "a string that is not empty is expected")
		}
		return nil
	}
}

func readBool(into *bool) reader {
	return func(place string, raw json.RawMessage) error {
		if raw[0] == 'n' || json.Unmarshal(raw, into) != nil {
			return wrong(place, "true or false is expected")
		}
		return nil
	}
}

func readDocument(into *object) reader {
	return func(place string, raw json.RawMessage) error {
		document, err := parseObject(raw)
		if err != nil {
			return wrong(place, "%w", err)
		}
		*into = document
		return nil
	}
}

func below(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}

func wrong(place, format string, arguments ...any) error {
	err := fmt.Errorf(format, arguments...)
	if place == "" {
		return err
	}
	return fmt.Errorf("%s: %w", place, err)
}
