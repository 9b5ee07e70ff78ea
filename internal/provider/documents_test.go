package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// others are the fields of a document without an attribute, nil for none.
func others(t *testing.T, record map[string]any, attributes []string) any {
	t.Helper()
	record = maps.Clone(record)
	for _, attribute := range attributes {
		delete(record, camelCase(attribute))
	}
	if len(record) == 0 {
		return nil
	}
	return compact(t, record)
}

// expected is what an attribute of that name and type holds for a value of the
// service. It takes nothing from the provider but the types, and those are written
// out in schema_test.go.
func expected(t *testing.T, name string, typ tftypes.Type, value any) any {
	t.Helper()
	record, _ := value.(map[string]any)
	switch typ := typ.(type) {
	case tftypes.List:
		if value == nil && (name == "inputs" || name == "datasets") {
			return nil
		}
		list, elements := []any{}, []any(nil)
		if value != nil {
			elements = asList(t, value)
		}
		for _, element := range elements {
			list = append(list, expected(t, name, typ.ElementType, element))
		}
		return list
	case tftypes.Map:
		elements := map[string]any{}
		for key, element := range record {
			elements[key] = expected(t, key, typ.ElementType, element)
		}
		return elements
	case tftypes.Object:
		if value == nil {
			return nil
		}
		attributes := map[string]any{}
		for attribute, attributeType := range typ.AttributeTypes {
			attributes[attribute] = expected(t, attribute, attributeType, record[camelCase(attribute)])
			switch attribute {
			case "json":
				attributes[attribute] = compact(t, record)
			case "other_fields":
				attributes[attribute] = others(t, record, slices.Collect(maps.Keys(typ.AttributeTypes)))
			}
		}
		return attributes
	}
	switch {
	case value == nil, name == "docker_image" && value == "":
		return nil
	case typ.Is(tftypes.Number):
		return wholeNumberOf(t, value)
	case name == "model_metadata":
		return compact(t, value)
	case slices.Contains([]string{"value", "values", "default", "colours", "output_specification"}, name):
		return spelled(t, value)
	}
	return value
}

// decimals are the numbers with an exponent in axes of the catalogues, as
// `axis=key:value` takes them.
var decimals = map[string]string{"1e3": "1000", "25e-4": "0.0025", "1.5E+1": "15", "-2.5e-1": "-0.25"}

// spelled is a value as `axis=key:value` takes it.
func spelled(t *testing.T, value any) string {
	t.Helper()
	if text, ok := value.(string); ok {
		return text
	}
	text := compact(t, value)
	if strings.Trim(text, "0123456789.eE+-") == "" && strings.ContainsAny(text, "eE") {
		text = decimals[text]
	}
	return text
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
	number, ok := new(big.Rat).SetString(fmt.Sprint(value))
	if !ok || !number.IsInt() {
		t.Fatalf("no whole number: %v", value)
	}
	return number.Num().Int64()
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

// caller asks the service past the provider.
type caller struct{ base, token string }

func logIn(t *testing.T, credentials arguments) caller {
	t.Helper()
	c := caller{base: fmt.Sprint(credentials[argBaseURL])}
	response, err := http.PostForm(c.base+"/v1/auth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {fmt.Sprint(credentials[argClientID])},
		"client_secret": {fmt.Sprint(credentials[argClientSecret])},
	})
	c.token = textOf(decoded(t, response, err), "access_token")
	return c
}

func (c caller) get(t *testing.T, path string) any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	return decoded(t, response, err)
}

// decoded is the document of a good answer, its numbers as they are spelled.
func decoded(t *testing.T, response *http.Response, err error) (document any) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v, %v", response.Request.URL, response.StatusCode, document, err)
	}
	return document
}
