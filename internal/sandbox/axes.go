package sandbox

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// axes is the union of the axes of all revisions (INTERFACE.md, Resources 2
// and 3). The interface gives it no order; here axes and values come in the
// order in which they first appear, read from the newest revision to the
// oldest. An axis is described as by the newest revision that has it. Axes that
// are no objects with a key are passed over.
func (g *group) axes() jsontext.Value {
	var axes []*groupAxis
	for i, m := range g.models {
		declared, _ := m.document.get("axes")
		for _, raw := range elements(declared) {
			declaration := parseObject(raw)
			key, ok := declaration.text("key")
			if !ok {
				continue
			}
			at := slices.IndexFunc(axes, func(a *groupAxis) bool { return a.key == key })
			if at < 0 {
				described := declaration.pick("key", "kind", "label", "description", "type")
				at, axes = len(axes), append(axes, &groupAxis{key: key, description: described})
			}
			axes[at].offer(declaration, i == 0)
		}
	}
	list := make([]object, len(axes))
	for i, axis := range axes {
		list[i] = append(axis.description, member{"values", encode(axis.values)})
	}
	return encode(list)
}

type groupAxis struct {
	key         string
	description object
	values      []axisValue
}

type axisValue struct {
	Value      jsontext.Value `json:"value"`
	Historical bool           `json:"historical"`
}

// offer adds the values that a revision declares. What the latest revision,
// read first, does not offer is historical.
func (a *groupAxis) offer(declaration object, latest bool) {
	declared, _ := declaration.get("values")
	for _, value := range elements(declared) {
		same := func(known axisValue) bool { return sameValue(known.Value) == sameValue(value) }
		if !slices.ContainsFunc(a.values, same) {
			a.values = append(a.values, axisValue{value, !latest})
		}
	}
}
