package sandbox

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// implied are the rules for fields of a group that its revisions imply (INTERFACE.md, Resources 2).
var implied = map[string]string{
	"latestRevision": "must be the highest revision",
	"models":         "must list the revisions that are not archived, the newest first",
	"axes":           "must list the axes of all revisions",
}

// withoutImplied returns the other fields of a group's document.
func withoutImplied(document object) object {
	document = maps.Clone(document)
	maps.DeleteFunc(document, func(name string, _ jsontext.Value) bool { return implied[name] != "" })
	return document
}

// contradicted returns the names of fields of a document that contradict the group's revisions. A field missing in an
// element counts as its empty value.
func (g *group) contradicted(document object) (names []string) {
	fields, derived := child(schemaOf("ModelGroup"), "properties"), g.derive()
	for _, name := range slices.Sorted(maps.Keys(implied)) {
		served := func(value jsontext.Value) string { return essence(object{name: filled(child(fields, name), value)}) }
		if stated := document[name]; !isNull(stated) && served(stated) != served(derived[name]) {
			names = append(names, name)
		}
	}
	return names
}

// contradictions returns the contradicted fields of the group's own document, with both values. For models these are
// the revisions, unless the revisions agree.
func (g *group) contradictions(at jsontext.Pointer) (found TextErrors) {
	for _, name := range g.contradicted(g.Stated) {
		stated, derived := g.Stated[name], g.derive()[name]
		if is, must := revisionsOf(stated), revisionsOf(derived); name == "models" && string(is) != string(must) {
			stated, derived = is, must
		}
		const problem = "is %.200s, but its revisions imply %.200s: take it out"
		found.add(at+"/"+jsontext.Pointer(name), problem, stated, derived)
	}
	return found
}

func revisionsOf(models jsontext.Value) jsontext.Value {
	var revisions []jsontext.Value
	for _, raw := range elements(models) {
		revisions = append(revisions, parseObject(raw)["revision"])
	}
	return encode(revisions)
}

// essence returns the same text for equal documents of a group, whatever the order of their axes.
func essence(document object) string {
	return canonical(encode(document.with(object{"axes": unordered(document["axes"])})))
}

// unordered returns a value with all its lists sorted.
func unordered(value jsontext.Value) jsontext.Value {
	members, list := parseObject(value), elements(value)
	for name := range members {
		members[name] = unordered(members[name])
	}
	for i := range list {
		list[i] = unordered(list[i])
	}
	slices.SortFunc(list, func(a, b jsontext.Value) int { return strings.Compare(canonical(a), canonical(b)) })
	switch {
	case members != nil:
		return encode(members)
	case list != nil:
		return encode(list)
	}
	return value
}

// checkInGroup adds the rules that a model of a group breaks (INTERFACE.md, Resources 4 and 8).
func (e *TextErrors) checkInGroup(at jsontext.Pointer, model object, groupID string) {
	of := model.text("modelGroupId")
	if of != "" && groupID != "" && !strings.EqualFold(of, groupID) {
		e.add(at+"/modelGroupId", "must be the id of the group")
	}
	known := map[string]bool{"": true}
	for i, raw := range elements(model["axes"]) {
		axis, place := parseObject(raw), element(at+"/axes", i)
		key := axis.text("key")
		if known[key] {
			e.add(place+"/key", "each axis must have a different key")
		}
		known[key] = true
		e.checkValues(place, axis)
	}
}

// checkValues adds the rules that the values of an axis break. The interface does not show the values of other types,
// so their kind is not checked.
func (e *TextErrors) checkValues(at jsontext.Pointer, axis object) {
	kinds := map[string]jsontext.Kind{
		"number": jsontext.KindNumber,
		"string": jsontext.KindString,
	}
	kind := kinds[axis.text("type")]
	hasDefault := false
	for i, value := range elements(axis["values"]) {
		hasDefault = hasDefault || canonical(value) == canonical(axis["default"])
		if kind != 0 && value.Kind() != kind {
			e.add(element(at+"/values", i), "must be of the axis's type")
		}
	}
	if !hasDefault {
		e.add(at+"/default", "must be one of the values")
	}
}
