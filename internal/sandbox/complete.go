package sandbox

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"
)

// completed returns the group with every required field of the interface except the fields that its revisions imply.
func (g *group) completed() *group {
	next := *g
	next.Stated = withoutImplied(fill(schemaOf("ModelGroup"), maps.Clone(g.Stated)))
	next.Models = nil
	for _, m := range g.Models {
		next.Models = append(next.Models, newModel(g.completedModel(m.Document)))
	}
	return newGroup(&next)
}

// completedModel returns a model with every required field of the interface. Some come from the group and from the
// model's own createdAt.
func (g *group) completedModel(document object) object {
	stated := maps.Clone(document)
	maps.DeleteFunc(stated, func(_ string, value jsontext.Value) bool { return isNull(value) })
	known := object{
		"modelGroupId": encode(g.ID),
		"horizon":      g.Stated["timeHorizon"],
		"updatedAt":    stated["createdAt"],
	}
	return fill(schemaOf("Model"), known.with(stated))
}

// schemaOf returns the schema of that name in the OpenAPI document.
func schemaOf(name string) node { return child(sent().root, "components", "schemas", name) }

// fill sets every member that a schema lists, at every depth. A member that is absent, or null without permission, gets
// the schema's x-empty or else the empty value of its type.
func fill(schema node, members object) object {
	for name := range child(schema, "properties") {
		members[name] = filled(child(schema, "properties", name), members[name])
	}
	return members
}

func filled(schema node, value jsontext.Value) jsontext.Value {
	if to, isReference := schema["$ref"].(string); isReference {
		return filled(sent().at(jsontext.Pointer(to[len("#"):])), value)
	}
	if isNull(value) {
		name, _ := schema["type"].(string) // a list of types includes null
		value = blanks[name]
		if text, ok := schema["x-empty"].(string); ok {
			value = jsontext.Value(text)
		}
	}
	switch value.Kind() {
	case jsontext.KindBeginArray:
		list := elements(value)
		for i := range list {
			list[i] = filled(child(schema, "items"), list[i])
		}
		return encode(list)
	case jsontext.KindBeginObject:
		return encode(fill(schema, parseObject(value)))
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
