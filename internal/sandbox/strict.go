package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TextError is what is wrong with a JSON text, and where.
type TextError struct {
	Line, Column int    // from 1; columns count characters
	Path         string // such as modelGroups[2].owner; empty for the whole
	Problem      string
}

func (e *TextError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
	}
	return fmt.Sprintf("line %d, column %d: %s: %s", e.Line, e.Column, e.Path, e.Problem)
}

// readStrict reads a text into a struct that names every field it may have.
// Unknown fields, repeated ones, values of another type and those that an enum
// tag does not list are [TextError]s.
func readStrict(text []byte, into any) error {
	return readChecked(text, into, false)
}

// readWhole is readStrict for a text that has every field tagged as required.
func readWhole(text []byte, into any) error {
	return readChecked(text, into, true)
}

func readChecked(text []byte, into any, whole bool) error {
	raw, err := compact(text)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true)); err != nil {
		return locateError(text, err)
	}
	c := checker{text, whole}
	return c.check("", reflect.ValueOf(into).Elem())
}

// checker holds values against the tags of their fields.
type checker struct {
	text  []byte
	whole bool // required fields must be there
}

func (c checker) check(place jsontext.Pointer, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			return nil
		}
		for i := range v.Len() {
			if err := c.check(place.AppendToken(strconv.Itoa(i)), v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(v.Type()) {
			name, value := jsonName(field), v.FieldByIndex(field.Index)
			if name == "" {
				continue
			}
			if err := c.checkField(place.AppendToken(name), field.Tag, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c checker) checkField(place jsontext.Pointer, tag reflect.StructTag, v reflect.Value) error {
	if v.IsZero() {
		if c.whole && tag.Get("required") != "" {
			return wrong(c.text, place, "the field is required")
		}
		return nil
	}
	if values := tag.Get("enum"); values != "" && !slices.Contains(strings.Split(values, ","), v.String()) {
		return wrong(c.text, place, "%q is none of %s", v, strings.ReplaceAll(values, ",", ", "))
	}
	return c.check(place, v)
}

// wrong is a problem with the value, or the name, at a place of the text.
func wrong(text []byte, place jsontext.Pointer, format string, arguments ...any) *TextError {
	line, column := position(text, offset(text, place))
	return &TextError{Line: line, Column: column, Path: path(place), Problem: fmt.Sprintf(format, arguments...)}
}

// locateError says where and in this package's words what the library found.
func locateError(text []byte, err error) error {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return wrong(text, semantic.JSONPointer, "%s", problem(semantic))
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	said := syntactic.Err.Error()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		said = "the field is there twice"
	case errors.Is(err, io.ErrUnexpectedEOF):
		said = "the JSON ends here, unfinished"
	}
	line, column := position(text, int(syntactic.ByteOffset))
	return &TextError{Line: line, Column: column, Path: path(syntactic.JSONPointer), Problem: said}
}

func problem(err *json.SemanticError) string {
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return unknownName(err.JSONPointer.LastToken(), err.GoType)
	case err.Err != nil && err.GoType.PkgPath() == reflect.TypeFor[object]().PkgPath():
		return err.Err.Error() // what a type of this package says itself
	}
	switch err.GoType.Kind() {
	case reflect.String:
		return "a string is expected"
	case reflect.Bool:
		return "true or false is expected"
	case reflect.Int, reflect.Int64:
		return "an integer is expected"
	case reflect.Slice:
		return "a list is expected"
	}
	return errNoObject.Error()
}

// unknownName names the field that was meant, if it is clear, or else all.
func unknownName(name string, in reflect.Type) string {
	known := fieldNames(in)
	for _, meant := range known {
		if plainName(meant) == plainName(name) {
			return fmt.Sprintf("there is no such field; did you mean %s?", meant)
		}
	}
	return "there is no such field; known are " + strings.Join(known, ", ")
}

// plainName is equal for docker_image, DockerImage and dockerImage.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// fieldNames returns the JSON names of a struct's fields, sorted.
func fieldNames(t reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(t) {
		if name := jsonName(field); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// jsonName is empty for the field that takes all others.
func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// path spells a pointer as people do.
func path(place jsontext.Pointer) string {
	var text strings.Builder
	for token := range place.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			text.WriteString("[" + token + "]")
			continue
		}
		if text.Len() > 0 {
			text.WriteByte('.')
		}
		text.WriteString(token)
	}
	return text.String()
}

// offset is where an element of a list stands, or the name of a field. What is
// not there is where that is which would hold it.
func offset(text []byte, place jsontext.Pointer) int {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	best, closest := 0, jsontext.Pointer("")
	for closest != place {
		start := int(decoder.InputOffset())
		if _, err := decoder.ReadToken(); err != nil {
			break
		}
		if at := decoder.StackPointer(); at.Contains(place) && len(at) > len(closest) {
			best, closest = start, at
		}
	}
	return best
}

// skipSeparators moves on to where the next name or value begins.
func skipSeparators(text []byte, offset int) int {
	for offset < len(text) && strings.IndexByte(" \t\r\n,:", text[offset]) >= 0 {
		offset++
	}
	return offset
}

func position(text []byte, offset int) (line, column int) {
	before := text[:min(skipSeparators(text, offset), len(text))]
	lines := bytes.Split(before, []byte{'\n'})
	return len(lines), utf8.RuneCount(lines[len(lines)-1]) + 1
}
