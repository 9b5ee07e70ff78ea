package sandbox

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// ownSchemas is of what people write for the sandbox. It refers to the fields
// of documents in the OpenAPI document, the one place that has them.
//
//go:embed sandbox.schema.json
var ownSchemas []byte

type (
	// node is a JSON object, as the schema library takes it.
	node = map[string]any
	// schemas is a document, and its parts as validators.
	schemas struct {
		root     node
		compiler *jsonschema.Compiler
		mu       sync.Mutex // a compiler keeps what it has compiled
	}
)

func newSchemas(root node) *schemas {
	s := &schemas{root: root, compiler: jsonschema.NewCompiler()}
	if err := s.compiler.AddResource("schema.json", root); err != nil {
		panic("sandbox: " + err.Error())
	}
	return s
}

var (
	// written has what people write: fields may be left out and be null, but
	// unknown ones are refused. unchecked takes any document in a catalogue.
	written   = sync.OnceValue(func() *schemas { return newSchemas(node{"$defs": definitions()}) })
	unchecked = sync.OnceValue(func() *schemas {
		defs := definitions()
		defs["GroupDocument"], defs["ModelDocument"] = defs["AnyGroup"], node{"type": "object"}
		return newSchemas(node{"$defs": defs})
	})
	// sent has what a service sends: every field is there, and no other.
	sent = sync.OnceValue(func() *schemas {
		root := parseNode(contract.OpenAPI())
		closeObjects(root)
		return newSchemas(root)
	})
)

func parseNode(text []byte) node {
	var root node
	if err := json.Unmarshal(text, &root); err != nil {
		panic("sandbox: " + err.Error())
	}
	return root
}

// child is the node of that name, and an empty one where there is none.
func child(n node, names ...string) node {
	for _, name := range names {
		n, _ = n[name].(node)
	}
	return n
}

// definitions are the schemas of the sandbox and those of the interface, whose
// documents people may leave fields out of.
func definitions() node {
	const ours, theirs = "#/$defs/", "#/components/schemas/"
	root := parseNode(bytes.ReplaceAll(contract.OpenAPI(), []byte(theirs), []byte(ours)))
	closeObjects(root)
	documents := child(root, "components", "schemas")
	relax(documents)
	maps.Copy(documents, child(parseNode(ownSchemas), "$defs"))
	return documents
}

// closeObjects has objects refuse the fields that they do not list.
func closeObjects(value any) {
	eachNode(value, func(n node) {
		if _, said := n["additionalProperties"]; !said && n["type"] == "object" && n["properties"] != nil {
			n["additionalProperties"] = false
		}
	})
}

// relax takes null for every value, and lets every field be left out.
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

func eachNode(value any, do func(node)) {
	switch value := value.(type) {
	case node:
		do(value)
		for _, below := range value {
			eachNode(below, do)
		}
	case []any:
		for _, below := range value {
			eachNode(below, do)
		}
	}
}

// check holds a text against the schema at a place of the document.
func (s *schemas) check(m *mistakes, at string) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.text))
	if err != nil {
		m.add("", "%s", err)
		return
	}
	s.mu.Lock()
	schema, err := s.compiler.Compile("schema.json#" + at)
	s.mu.Unlock()
	if err != nil {
		panic("sandbox: " + err.Error())
	}
	if found, ok := schema.Validate(value).(*jsonschema.ValidationError); ok { //nolint:errorlint // it is not wrapped
		s.tell(m, found)
	}
}

// tell adds what the library found in this package's words.
func (s *schemas) tell(m *mistakes, found *jsonschema.ValidationError) {
	var place jsontext.Pointer
	for _, token := range found.InstanceLocation {
		place = place.AppendToken(token)
	}
	at := s.at(found.SchemaURL)
	expected, isSaid := at["x-expected"].(string)
	switch problem := found.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range problem.Missing {
			m.add(place.AppendToken(name), "%s", either(m.silent, "the field is absent", "the field is required"))
		}
	case *kind.AdditionalProperties:
		known := slices.Sorted(maps.Keys(child(at, "properties")))
		for _, name := range problem.Properties {
			m.add(place.AppendToken(name), "%s", either(m.silent, "the interface has no such field", unknownName(name, known)))
		}
	default:
		for _, cause := range found.Causes {
			s.tell(m, cause)
		}
		if !isSaid {
			expected = problemOf(problem, m.silent)
		}
		if len(found.Causes) == 0 {
			m.add(place, "%s", expected)
		}
	}
}

// at is the schema with that address.
func (s *schemas) at(address string) node {
	_, fragment, _ := strings.Cut(address, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	var value any = s.root
	for token := range jsontext.Pointer(pointer).Tokens() {
		switch within := value.(type) {
		case node:
			value = within[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(within) {
				return nil
			}
			value = within[i]
		}
	}
	found, _ := value.(node)
	return found
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

func problemOf(problem jsonschema.ErrorKind, silent bool) string {
	switch problem := problem.(type) {
	case *kind.Type:
		want := slices.DeleteFunc(slices.Clone(problem.Want), func(name string) bool { return name == "null" })
		return map[string]string{
			"string": "a string is expected", "boolean": "true or false is expected", "array": "a list is expected",
			"integer": "an integer is expected", "number": "a number is expected", "object": "an object is expected",
		}[want[0]]
	case *kind.Enum:
		var values []string
		for _, value := range problem.Want {
			if text, isText := value.(string); isText {
				values = append(values, text)
			}
		}
		return either(silent, "it", strconv.Quote(fmt.Sprint(problem.Got))) + " is none of " + strings.Join(values, ", ")
	case *kind.MinLength:
		return "a string that is not empty is expected"
	case *kind.MinItems:
		return "at least one is required"
	case *kind.MaxItems:
		return "an empty list is expected"
	case *kind.Minimum:
		return "it must not be negative"
	}
	return fmt.Sprintf("it is not as the interface has it (%s)", strings.Join(problem.KeywordPath(), " "))
}

// unknownName names the field that was meant, if it is clear, or else all.
func unknownName(name string, known []string) string {
	if meant := Nearest(name, known); meant != "" {
		return fmt.Sprintf("there is no such field; did you mean %s?", meant)
	}
	return "there is no such field; known are " + strings.Join(known, ", ")
}

var reference = regexp.MustCompile(`"#/\$defs/(\w+)"`)

// CatalogueSchema returns the JSON Schema of catalogue files, made of the same
// definitions that check them. What one value says of another (an owner that
// there is, ids that do not repeat) is left to the reader.
func CatalogueSchema() []byte {
	all, needed := definitions(), node{}
	var need func(name string)
	need = func(name string) {
		if needed[name] == nil {
			needed[name] = all[name]
			for _, found := range reference.FindAllSubmatch(encode(all[name]), -1) {
				need(string(found[1]))
			}
		}
	}
	need("Catalogue")
	text := encode(object{
		{"$schema", encode("https://json-schema.org/draft/2020-12/schema")},
		{"title", encode("Catalogue of the model catalogue's sandbox")},
		{"$ref", encode("#/$defs/Catalogue")},
		{"$defs", encode(needed)},
	})
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		panic("sandbox: " + err.Error())
	}
	return append(text, '\n')
}

// statusesOf are the codes of a kind of error, each with its one status.
func statusesOf(kind, field string) map[string]int {
	statuses := map[string]int{}
	for code, status := range child(parseNode(contract.OpenAPI()), "components", "schemas", kind, "properties", field, "x-statuses") {
		number, _ := status.(float64)
		statuses[code] = int(number)
	}
	return statuses
}
