package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// expected is what an attribute of that name and type holds for a value of the
// service, by design.md §4. It takes nothing from the provider but the types,
// and those are pinned in schema_test.go.
func expected(t *testing.T, name string, typ tftypes.Type, value any) any {
	t.Helper()
	switch typ := typ.(type) {
	case tftypes.Object:
		if value == nil {
			return nil
		}
		record, attributes := asObject(t, value), map[string]any{}
		for attribute, attributeType := range typ.AttributeTypes {
			if attribute == "json" {
				attributes[attribute] = compact(t, record)
				continue
			}
			attributes[attribute] = expected(t, attribute, attributeType, record[camelCase(attribute)])
		}
		return attributes
	case tftypes.List:
		if value == nil && (name == "inputs" || name == "datasets") {
			return nil
		}
		list := []any{}
		if value != nil {
			for _, element := range asList(t, value) {
				list = append(list, expected(t, name, typ.ElementType, element))
			}
		}
		return list
	}
	if of, ok := typ.(tftypes.Map); ok {
		elements := map[string]any{}
		for key, element := range asObject(t, value) {
			elements[key] = expected(t, key, of.ElementType, element)
		}
		return elements
	}
	switch {
	case value == nil, name == "docker_image" && value == "":
		return nil
	case typ.Is(tftypes.Number):
		return wholeNumberOf(t, value)
	case typ.Is(tftypes.Bool):
		flag, ok := value.(bool)
		if !ok {
			t.Fatalf("%s: no boolean: %v", name, value)
		}
		return flag
	case name == "model_metadata":
		return compact(t, value)
	}
	text, isText := value.(string)
	if open := []string{"value", "values", "default", "colours", "output_specification"}; !isText && slices.Contains(open, name) {
		return spelled(t, value)
	}
	if !isText {
		t.Fatalf("%s: no string: %v", name, value)
	}
	return text
}

// spelled is a value as `axis=key:value` takes it, for what is no string.
func spelled(t *testing.T, value any) string {
	t.Helper()
	number, ok := value.(json.Number)
	if !ok {
		return compact(t, value)
	}
	mantissa, exponent, found := strings.Cut(strings.ToLower(number.String()), "e")
	if !found {
		return mantissa
	}
	exact, ok := new(big.Rat).SetString(number.String())
	shift, okShift := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
	if !ok || !okShift {
		t.Fatalf("no number: %s", number)
	}
	_, fraction, _ := strings.Cut(mantissa, ".")
	return exact.FloatString(max(0, len(fraction)-int(shift.Int64())))
}

// compact is a decoded document as text without white space, with sorted keys
// and its numbers as they were spelled.
func compact(t *testing.T, document any) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func wholeNumberOf(t *testing.T, value any) int64 {
	t.Helper()
	number, ok := value.(json.Number)
	exact, isNumber := new(big.Rat).SetString(number.String())
	if !ok || !isNumber || !exact.IsInt() {
		t.Fatalf("no whole number: %v", value)
	}
	return exact.Num().Int64()
}

func integer(t *testing.T, document any, field string) int64 {
	t.Helper()
	return wholeNumberOf(t, asObject(t, document)[field])
}

// textOf is a field that is a string, or "".
func textOf(document any, field string) string {
	record, _ := document.(map[string]any)
	text, _ := record[field].(string)
	return text
}

func camelCase(attribute string) string {
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// fleets are the maps of models by model group id.
var fleets = map[string]bool{
	"latest_models.models": true, "pinned_models.models": true, "pinned_models.revisions": true, "pinned_models.docker_images": true,
}

// compare reports every attribute that differs, and notes those with a value.
func compare(t *testing.T, place string, got, want any, seen map[string]bool) {
	t.Helper()
	if want != nil {
		seen[place] = true
	}
	switch want := want.(type) {
	case map[string]any:
		record, ok := got.(map[string]any)
		if !ok || len(record) != len(want) {
			t.Errorf("%s is %v, want %v", place, got, want)
			return
		}
		for name, value := range want {
			below := place + "." + name
			if fleets[place] {
				below = place + "[]"
			}
			compare(t, below, record[name], value, seen)
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			t.Errorf("%s is %v, want %v", place, got, want)
			return
		}
		for i, value := range want {
			compare(t, place+"[]", list[i], value, seen)
		}
	default:
		if got != want {
			t.Errorf("%s is %#v, want %#v", place, got, want)
		}
	}
}

// places lists the attributes of a type, as compare names them.
func places(place string, typ tftypes.Type) []string {
	list := []string{place}
	switch typ := typ.(type) {
	case tftypes.Object:
		for name, attribute := range typ.AttributeTypes {
			list = append(list, places(place+"."+name, attribute)...)
		}
	case tftypes.List:
		list = append(list, places(place+"[]", typ.ElementType)...)
	case tftypes.Map:
		list = append(list, places(place+"[]", typ.ElementType)...)
	}
	return list
}

// caller asks the service past the provider.
type caller struct{ base, token string }

func logIn(t *testing.T, credentials arguments) caller {
	t.Helper()
	base := fmt.Sprint(credentials[argBaseURL])
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {fmt.Sprint(credentials[argClientID])},
		"client_secret": {fmt.Sprint(credentials[argClientSecret])},
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/auth/token", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return caller{base: base, token: textOf(send(t, request), "access_token")}
}

// get returns a decoded answer, its numbers as they are spelled.
func (c caller) get(t *testing.T, path string) any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	return send(t, request)
}

func send(t *testing.T, request *http.Request) any {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %v\n%s", request.Method, request.URL, response.StatusCode, err, body)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	return document
}

// What follows is spelled out, so that a mistake in expected cannot hide one in
// the provider.
