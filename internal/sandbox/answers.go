package sandbox

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Answers are one caller's answers about one model group. Group and Latest contain one document. NOT_FOUND is nil.
type Answers struct {
	Listed                jsontext.Value // the group's record in the list of groups
	Models, Group, Latest []jsontext.Value
	IsWhole               bool // whether Group and Latest were asked for
}

// Part returns why the models cannot be all models of the group, or "". A client must not use a partial list. The text
// quotes nothing of the service but a revision.
func (a *Answers) Part() string {
	listed := parseObject(a.Listed)
	revisions := map[string]bool{}
	for _, raw := range a.Models {
		model := parseObject(raw)
		if model.text("id") == "" || isNull(model["revision"]) {
			return "an element of the list is not a model: it has no id or no revision"
		}
		if of := model.text("modelGroupId"); of != "" && !strings.EqualFold(of, listed.text("id")) {
			return "an element of the list is a model of another group"
		}
		revisions[canonical(model["revision"])] = true
	}
	for _, raw := range elements(listed["models"]) {
		if revision := canonical(parseObject(raw)["revision"]); !revisions[revision] {
			return "the list of groups has its revision " + revision + ", which the list of its models lacks"
		}
	}
	return ""
}

// Departures lists the rules that the answers break, alone or together, in the form of the function [Departures]. It
// does not compare axes of the group with those of its models: the interface leaves open whether archived revisions
// count.
func (a *Answers) Departures(hide func(string) string) []string {
	listed := folded(a.Listed)
	g := &group{}
	var ofModels, ofListed, ofGroup, ofLatest TextErrors
	for i, raw := range a.Models {
		g.Models = append(g.Models, newModel(folded(raw)))
		ofModels.checkAnswer(element("", i), g.Models[i].Document, listed)
	}
	if a.Models == nil {
		ofModels.add("", "must be found, because the group is listed")
	}
	oldestFirst := func(a, b model) int { return newestFirst(b, a) }
	if !slices.IsSortedFunc(g.Models, newestFirst) && !slices.IsSortedFunc(g.Models, oldestFirst) {
		ofModels.add("", "must be in the order of revisions")
	}
	g = newGroup(g)
	for _, name := range g.contradicted(listed.pick("latestRevision", "models")) {
		ofListed.add("/"+jsontext.Pointer(name), "%s", implied[name])
	}
	if a.IsWhole {
		ofLatest.checkLatest(folded(a.Latest...), g, listed)
		if essence(folded(a.Group...)) != essence(listed) {
			ofGroup.add("", "must be the same as in the list of groups")
		}
	}
	return slices.Concat(
		ofListed.lines(RouteGroups, hide),
		ofGroup.lines(RouteGroup, hide),
		ofLatest.lines(RouteLatest, hide),
		ofModels.lines(RouteModels, hide),
	)
}

// checkLatest adds the rules that the answer with the latest model of a group breaks. NOT_FOUND is an empty object.
func (e *TextErrors) checkLatest(latest object, g *group, listed object) {
	switch isFound, isThere := len(latest) > 0, len(g.Models) > 0; {
	case isFound && !isThere:
		e.add("", "must be NOT_FOUND, because the group has no models")
	case isThere && !isFound:
		e.add("", "must be found, because the group has models")
	case isFound:
		e.checkAnswer("", latest, listed)
		for _, name := range []string{"id", "revision", "dockerImage"} {
			if canonical(latest[name]) != canonical(g.Models[0].Document[name]) {
				e.add("/"+jsontext.Pointer(name), "must be that of the highest revision among the models")
			}
		}
	}
}

// checkAnswer adds the rules that a model in an answer breaks.
func (e *TextErrors) checkAnswer(at jsontext.Pointer, model, listed object) {
	e.checkInGroup(at, model, listed.text("id"))
	if !model.is("isOwner", "false") {
		return
	}
	if listed.is("public", "false") {
		e.add(at+"/isOwner", "must be true in a private group, which others do not see")
	}
	for name, nothing := range withheld {
		if model[name] != nil && canonical(model[name]) != string(nothing) {
			e.add(at+"/"+jsontext.Pointer(name), "must be withheld from those who do not own the model")
		}
	}
}

// folded returns a document without the differences permitted between two answers: the case of ids, and createdAt, a
// time that may be spelled differently. It returns an empty object for no document and for any other value.
func folded(answer ...jsontext.Value) object {
	document := object{}
	for _, raw := range answer {
		maps.Copy(document, parseObject(raw))
	}
	delete(document, "createdAt")
	for _, name := range []string{"id", "modelGroupId"} {
		if document[name].Kind() == jsontext.KindString {
			document[name] = encode(strings.ToLower(document.text(name)))
		}
	}
	summaries := elements(document["models"])
	for i, raw := range summaries {
		summaries[i] = encode(folded(raw))
	}
	if summaries != nil {
		document["models"] = encode(summaries)
	}
	return document
}
