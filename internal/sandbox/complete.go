package sandbox

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"
)

// completed returns the group with every field that the interface requires, and without those that revisions imply.
func (g *group) completed() *group {
	next := *g
	next.Stated = withoutImplied(parseObject(complete(schemaOf("ModelGroup"), encode(g.Stated))))
	next.Models = nil
	for _, m := range g.Models {
		next.Models = append(next.Models, newModel(g.completedModel(m.Document)))
	}
	return newGroup(&next)
}

// completedModel returns a model with every field that the interface requires, some of them from the group and from its
// other fields.
func (g *group) completedModel(document object) object {
	stated := maps.Clone(document)
	maps.DeleteFunc(stated, func(_ string, value jsontext.Value) bool { return isNull(value) })
	known := object{
		"modelGroupId": encode(g.ID),
		"horizon":      g.Stated["timeHorizon"],
		"updatedAt":    stated["createdAt"],
	}
	return parseObject(complete(schemaOf("Model"), encode(known.with(stated))))
}

// schemaOf returns the schema of that name in the OpenAPI document.
func schemaOf(name string) node { return child(sent().root, "components", "schemas", name) }

// complete returns a value with every member that a schema lists. A member that is absent, or null and must not be, has
// no content then: the schema's x-empty, or else the empty value of its type.
func complete(schema node, value jsontext.Value) jsontext.Value {
	if to, isReference := schema["$ref"].(string); isReference {
		return complete(sent().at(jsontext.Pointer(to[len("#"):])), value)
	}
	if isNull(value) {
		name, _ := schema["type"].(string) // more than one include null
		value = blanks[name]
		if text, ok := schema["x-empty"].(string); ok {
			value = jsontext.Value(text)
		}
	}
	switch value.Kind() {
	case jsontext.KindBeginArray:
		list := elements(value)
		for i := range list {
			list[i] = complete(child(schema, "items"), list[i])
		}
		return encode(list)
	case jsontext.KindBeginObject:
		members := parseObject(value)
		for name := range child(schema, "properties") {
			members[name] = complete(child(schema, "properties", name), members[name])
		}
		return encode(members)
	}
	return value
}

var blanks = map[string]jsontext.Value{
	"":        jsontext.Value("null"),
	"string":  jsontext.Value(`""`),
	"integer": jsontext.Value("0"),
	"boolean": jsontext.Value("false"),
	"array":   jsontext.Value("[]"),
	"object":  jsontext.Value("{}"),
}
