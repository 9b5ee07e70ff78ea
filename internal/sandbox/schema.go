package sandbox

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
)

// ownSchemas describes the texts that people write for the sandbox. It refers to the OpenAPI document for the fields of
// groups and models.
//
//go:embed sandbox.schema.json
var ownSchemas []byte

// node is a JSON object in the schema library's form.
type node = map[string]any

// schemas are the parts of a document as validators.
type schemas struct {
	root     node
	compiler *jsonschema.Compiler
	mu       sync.Mutex // a compiler caches compiled schemas
}

// schemaAddress is absolute, because the library resolves a relative one against the working folder, which may be gone.
const schemaAddress = "sandbox:///schema.json"

func newSchemas(root node) *schemas {
	s := &schemas{root: root, compiler: jsonschema.NewCompiler()}
	must(s.compiler.AddResource(schemaAddress, root))
	return s
}

var (
	// written checks texts by people: fields may be left out or null, but not unknown.
	written = sync.OnceValue(func() *schemas { return newSchemas(node{"$defs": definitions()}) })
	// sent checks documents of a service: they must have exactly the fields of the interface.
	sent = sync.OnceValue(func() *schemas {
		root := parseNode(contract.OpenAPI())
		closeObjects(root)
		return newSchemas(root)
	})
)

func parseNode(text []byte) node {
	var root node
	must(json.Unmarshal(text, &root))
	return root
}

// child returns the node at a path of names, or an empty one.
func child(n node, names ...string) node {
	for _, name := range names {
		n, _ = n[name].(node)
	}
	return n
}

// ours begins a reference to a definition of the sandbox.
const ours = "#/$defs/"

// definitions returns the schemas of the sandbox and the relaxed schemas of the interface.
func definitions() node {
	const theirs = "#/components/schemas/"
	root := parseNode(bytes.ReplaceAll(contract.OpenAPI(), []byte(theirs), []byte(ours)))
	closeObjects(root)
	documents := child(root, "components", "schemas")
	relax(documents)
	maps.Copy(documents, child(parseNode(ownSchemas), "$defs"))
	return documents
}

// closeObjects makes objects refuse unlisted fields.
func closeObjects(value any) {
	eachNode(value, func(n node) {
		if _, isSet := n["additionalProperties"]; !isSet && n["type"] == "object" && n["properties"] != nil {
			n["additionalProperties"] = false
		}
	})
}

// relax lets every value be null, and every field be left out.
func relax(value any) {
	eachNode(value, func(n node) {
		if name, isName := n["type"].(string); isName {
			n["type"] = []any{name, "null"}
			delete(n, "required")
		}
		if values, isEnum := n["enum"].([]any); isEnum {
			n["enum"] = append(values, nil)
		}
	})
}

// eachNode visits a schema and all below it, but not the examples of values.
func eachNode(value any, visit func(node)) {
	switch value := value.(type) {
	case node:
		visit(value)
		for name, below := range value {
			if name != "examples" {
				eachNode(below, visit)
			}
		}
	case []any:
		for _, below := range value {
			eachNode(below, visit)
		}
	}
}

// check returns the mistakes in a text. at is the place of the text's schema in the document.
func (s *schemas) check(text []byte, at jsontext.Pointer) (found TextErrors) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		found.add("", "must be JSON")
		return found
	}
	s.mu.Lock()
	schema, err := s.compiler.Compile(schemaAddress + "#" + string(at))
	s.mu.Unlock()
	must(err)
	r := &report{schemas: s, meant: map[jsontext.Pointer]bool{}}
	if problem, ok := schema.Validate(value).(*jsonschema.ValidationError); ok { //nolint:errorlint // it is not wrapped
		r.take(problem)
	}
	for _, found := range r.implied {
		if !r.meant[found.at] {
			r.TextErrors = append(r.TextErrors, found)
		}
	}
	return r.TextErrors
}

// report holds the library's findings in a text. A misspelt field is one mistake: it is not also a missing field.
type report struct {
	*schemas
	TextErrors
	implied TextErrors                // ignored if their place is meant
	meant   map[jsontext.Pointer]bool // the likely names of unknown fields, and the objects of these fields
}

// take adds a finding of the library. If the violated part of the schema has x-says, that is the message.
func (r *report) take(found *jsonschema.ValidationError) {
	_, at, _ := strings.Cut(found.SchemaURL, "#")
	schema := r.at(jsontext.Pointer(at))
	message, hasMessage := schema["x-says"].(string)
	if len(found.Causes) > 0 && !hasMessage {
		for _, cause := range found.Causes {
			r.take(cause)
		}
		return
	}
	place := placeOf(found.InstanceLocation)
	if hasMessage {
		r.implied.add(place, "%s", message)
		return
	}
	switch problem := found.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range problem.Missing {
			r.implied.add(place.AppendToken(name), "the field is missing")
		}
	case *kind.AdditionalProperties:
		known := slices.Sorted(maps.Keys(child(schema, "properties")))
		for _, name := range problem.Properties {
			r.takeUnknown(place, name, known)
		}
	default:
		r.add(place, "%s is expected", expected(found.ErrorKind))
	}
}

func placeOf(tokens []string) (place jsontext.Pointer) {
	for _, token := range tokens {
		place = place.AppendToken(token)
	}
	return place
}

// at returns the object at a place of the document, or nil.
func (s *schemas) at(place jsontext.Pointer) node {
	var value any = s.root
	for token := range place.Tokens() {
		switch above := value.(type) {
		case node:
			value = above[token]
		case []any:
			i, _ := strconv.Atoi(token)
			value = above[i]
		}
	}
	found, _ := value.(node)
	return found
}

// takeUnknown adds an unknown field and notes which known one is likely meant.
func (r *report) takeUnknown(place jsontext.Pointer, name string, known []string) {
	r.add(place.AppendToken(name), "unknown field")
	unknown := &r.TextErrors[len(r.TextErrors)-1]
	r.meant[place] = true
	like := nearest.Names(name, known, 4)
	if len(like) == 0 {
		unknown.known = prose(known, "and")
		return
	}
	r.meant[place.AppendToken(like[0])] = true
	unknown.Problem += "; did you mean " + like[0] + "?"
}

// typeNames are words for the types in these schemas.
var typeNames = map[string]string{
	"string":  "a string",
	"integer": "an integer",
	"boolean": "true or false",
	"array":   "a list",
	"object":  "an object",
}

// expected returns words for the value that the library expects. It does not mention null.
func expected(found jsonschema.ErrorKind) string {
	switch problem := found.(type) {
	case *kind.Type: // null, if it is permitted, is the first of two
		return typeNames[problem.Want[len(problem.Want)-1]]
	case *kind.Enum:
		var values []string
		for _, value := range problem.Want {
			if value != nil {
				values = append(values, fmt.Sprint(value))
			}
		}
		return prose(values, "or")
	}
	return "another value"
}

// prose returns names as "a, b and c".
func prose(names []string, and string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " " + and + " " + names[last]
}

// CatalogueSchema returns the JSON Schema of catalogue files. [ReadCatalogue] also checks rules that a schema cannot
// express, such as unique ids.
func CatalogueSchema() []byte {
	defined, used := definitions(), node{}
	var use func(name string)
	use = func(name string) {
		if used[name] != nil {
			return
		}
		used[name] = defined[name]
		eachNode(defined[name], func(n node) {
			if to, isReference := n["$ref"].(string); isReference {
				use(strings.TrimPrefix(to, ours))
			}
		})
	}
	use("Catalogue")
	text := encode(node{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Catalogue of the model catalogue's sandbox",
		"$ref":    ours + "Catalogue",
		"$defs":   used,
	})
	_ = text.Indent(jsontext.WithIndent("  ")) // cannot fail on JSON
	return append(text, '\n')
}

// statusesOf returns the status of each code of a kind of error.
func statusesOf(name, field string) map[string]int {
	var statuses map[string]int
	must(json.Unmarshal(encode(child(schemaOf(name), "properties", field, "x-statuses")), &statuses))
	return statuses
}
