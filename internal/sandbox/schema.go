package sandbox

import (
	"bytes"
	"cmp"
	_ "embed"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
)

// ownSchemas describes what people write for the sandbox. It refers to the OpenAPI document for fields of documents.
//
//go:embed sandbox.schema.json
var ownSchemas []byte

type (
	// node is a JSON object, as the schema library takes it.
	node = map[string]any
	// schemas are the parts of a document as validators.
	schemas struct {
		names    []string // of every field
		compiler *jsonschema.Compiler
		mu       sync.Mutex // a compiler keeps what it has compiled
	}
)

func newSchemas(root node) *schemas {
	s := &schemas{compiler: jsonschema.NewCompiler()}
	eachNode(root, func(n node) {
		properties, _ := n["properties"].(node)
		s.names = slices.AppendSeq(s.names, maps.Keys(properties))
	})
	slices.Sort(s.names)
	s.names = slices.Compact(s.names)
	if err := s.compiler.AddResource("schema.json", root); err != nil {
		panic("sandbox: " + err.Error())
	}
	return s
}

var (
	// written checks what people write: fields may be left out or null, but not unknown.
	written = sync.OnceValue(func() *schemas { return newSchemas(node{"$defs": definitions()}) })
	// unchecked accepts any document in a catalogue.
	unchecked = sync.OnceValue(func() *schemas {
		defs := definitions()
		defs["GroupDocument"], defs["ModelDocument"] = defs["AnyGroup"], node{"type": "object"}
		return newSchemas(node{"$defs": defs})
	})
	// sent checks what a service sends: every field is there, and no other.
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

// child returns the node of that name, or an empty one.
func child(n node, names ...string) node {
	for _, name := range names {
		n, _ = n[name].(node)
	}
	return n
}

// definitions returns the schemas of the sandbox, and the relaxed ones of the interface.
func definitions() node {
	const ours, theirs = "#/$defs/", "#/components/schemas/"
	root := parseNode(bytes.ReplaceAll(contract.OpenAPI(), []byte(theirs), []byte(ours)))
	closeObjects(root)
	documents := child(root, "components", "schemas")
	relax(documents)
	maps.Copy(documents, child(parseNode(ownSchemas), "$defs"))
	return documents
}

// closeObjects makes objects refuse the fields that they do not list.
func closeObjects(value any) {
	eachNode(value, func(n node) {
		if _, said := n["additionalProperties"]; !said && n["type"] == "object" && n["properties"] != nil {
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

// check returns the mistakes of a text, by the schema at a place of the document.
func (s *schemas) check(text []byte, at string) (found TextErrors) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		found.add("", "%s", err)
		return found
	}
	s.mu.Lock()
	schema, err := s.compiler.Compile("schema.json#" + at)
	s.mu.Unlock()
	if err != nil {
		panic("sandbox: " + err.Error())
	}
	if problem, ok := schema.Validate(value).(*jsonschema.ValidationError); ok { //nolint:errorlint // it is not wrapped
		s.report(&found, problem)
	}
	return found
}

var english = message.NewPrinter(language.English)

// report adds what the library found, in its words, except for missing and unknown fields.
func (s *schemas) report(m *TextErrors, found *jsonschema.ValidationError) {
	var place jsontext.Pointer
	for _, token := range found.InstanceLocation {
		place = place.AppendToken(token)
	}
	switch problem := found.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range problem.Missing {
			m.add(place.AppendToken(name), "the field is missing")
		}
	case *kind.AdditionalProperties:
		for _, name := range problem.Properties {
			said := "there is no such field"
			if meant := nearest.Names(name, s.names, 4); len(meant) > 0 {
				said += "; did you mean " + meant[0] + "?"
			}
			m.add(place.AppendToken(name), "%s", said)
		}
	case *kind.Enum:
		problem.Want = slices.DeleteFunc(slices.Clone(problem.Want), func(value any) bool { return value == nil })
		m.add(place, "%s", problem.LocalizedString(english))
	default:
		for _, cause := range found.Causes {
			s.report(m, cause)
		}
		if len(found.Causes) == 0 {
			m.add(place, "%s", problem.LocalizedString(english))
		}
	}
}

// CatalogueSchema returns the JSON Schema of catalogue files. It cannot say that an owner must exist, or that ids must
// not repeat.
func CatalogueSchema() []byte {
	definitions := definitions()
	for _, name := range []string{"Fault", "Changes", "Error", "ValidationIssue", "Token", "TokenRequest", "OAuthError"} {
		delete(definitions, name) // no part of a catalogue
	}
	text := encode(node{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Catalogue of the model catalogue's sandbox",
		"$ref":    "#/$defs/Catalogue",
		"$defs":   definitions,
	})
	_ = text.Indent(jsontext.WithIndent("  ")) // it is JSON
	return append(text, '\n')
}

// statusesOf returns the codes of a kind of error, each with its one status.
func statusesOf(kind, field string) map[string]int {
	statuses := map[string]int{}
	schema := child(parseNode(contract.OpenAPI()), "components", "schemas", kind, "properties", field)
	for code, status := range child(schema, "x-statuses") {
		number, _ := status.(float64)
		statuses[code] = int(number)
	}
	return statuses
}

// Pattern is the route's path, such as /v1/model-group/{id}.
func (r Route) Pattern() string { return paths[r] }

var index = regexp.MustCompile(`\[\d+\]`)

// Departures returns where an answer of a service departs from the interface: missing and unknown fields, other types,
// and pages. It shows no values, quotes unusual names, and reports a departure of several elements of a list once.
func Departures(route Route, status int, header http.Header, body []byte) []string {
	if paths[route] == "" {
		return nil
	}
	if _, err := compact(body); err != nil {
		return []string{"the answer is not JSON"}
	}
	var departures []string
	if list := elements(body); list != nil {
		if sign := contract.SignOfPart(header, len(list)); sign != "" {
			departures = append(departures, "the answer: it is only a part of the list: "+sign)
		}
	}
	for _, found := range sent().check(body, responseSchema(route, status)) {
		place := cmp.Or(index.ReplaceAllString(found.Path, "[]"), "the answer")
		departures = append(departures, place+": "+found.Problem)
	}
	slices.Sort(departures)
	return slices.Compact(departures)
}

// responseSchema returns the place of the schema of an answer.
func responseSchema(route Route, status int) string {
	switch {
	case status == http.StatusOK && route == RouteToken:
		return "/components/schemas/Token"
	case status == http.StatusOK:
		path := string(jsontext.Pointer("/paths").AppendToken(paths[route]))
		return path + "/get/responses/200/content/application~1json/schema"
	case route == RouteToken && status != http.StatusTooManyRequests:
		return "/components/schemas/OAuthError"
	}
	return "/components/schemas/Error"
}
