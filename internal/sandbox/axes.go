package sandbox

import "github.com/go-json-experiment/json/jsontext"

// axes is the union of the axes of all revisions (INTERFACE.md, Resources 2
// and 3). The interface gives it no order; here axes
// and values come in the order in which they first appear, read from the
// newest revision to the oldest. An axis is described as by the newest
// revision that has it. Axes that are no objects with a key are passed over.
func (g *group) axes() jsontext.Value {
	var order []string
	byKey := map[string]*groupAxis{}
	for i, m := range g.models {
		declared, _ := m.document.get("axes")
		for _, raw := range elements(declared) {
			declaration, err := parseObject(raw)
			if err != nil {
				continue
			}
			key, ok := declaration.text("key")
			if !ok {
				continue
			}
			axis := byKey[key]
			if axis == nil {
				axis = newGroupAxis(declaration)
				byKey[key], order = axis, append(order, key)
			}
			axis.offer(declaration, i == 0)
		}
	}
	list := make([]jsontext.Value, len(order))
	for i, key := range order {
		list[i] = byKey[key].json()
	}
	return array(list)
}

type groupAxis struct {
	description object
	values      []jsontext.Value
	seen        map[string]bool
}

func newGroupAxis(declaration object) *groupAxis {
	axis := &groupAxis{seen: map[string]bool{}}
	for _, name := range []string{"key", "kind", "label", "description", "type"} {
		if value, ok := declaration.get(name); ok {
			axis.description = append(axis.description, member{name, value})
		}
	}
	return axis
}

// offer adds the values that a revision declares. What the latest revision,
// read first, does not offer is historical.
func (a *groupAxis) offer(declaration object, latest bool) {
	declared, _ := declaration.get("values")
	for _, value := range elements(declared) {
		same := sameValue(value)
		if a.seen[same] {
			continue
		}
		a.seen[same] = true
		a.values = append(a.values, object{
			{"value", value},
			{"historical", encode(!latest)},
		}.json())
	}
}

func (a *groupAxis) json() jsontext.Value {
	return a.description.with(member{"values", array(a.values)}).json()
}
