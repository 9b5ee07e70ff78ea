package sandbox

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// links checks the rules of a catalogue file that a schema cannot express: how its parts refer to each other.
type links struct {
	file      catalogueFile
	catalogue *Catalogue                  // of the file
	first     map[string]jsontext.Pointer // where each name, id and revision is first
	mistakes  TextErrors
}

// check also looks at documents if strict.
func (l *links) check(strict bool) {
	for i, o := range l.file.Organisations {
		at := element("/organisations", i)
		l.checkOnce(at+"/name", "the organisation", o.Name)
		l.checkOnce(at+"/clientId", "the client id", o.ClientID)
	}
	for i, g := range l.file.ModelGroups {
		at := element("/modelGroups", i)
		isOwner := func(o Organisation) bool { return o.Name == g.Owner }
		if g.Owner != "" && !slices.ContainsFunc(l.file.Organisations, isOwner) {
			l.mistakes.add(at+"/owner", "no organisation is named %q", g.Owner)
		}
		id := g.Group.text("id")
		l.checkOnce(at+"/group/id", "the model group id", id)
		for j, document := range g.Models {
			l.checkModel(element(at+"/models", j), id, document, strict)
		}
	}
}

func (l *links) checkModel(at jsontext.Pointer, groupID string, document object, strict bool) {
	l.checkOnce(at+"/id", "the model id", document.text("id"))
	revision := integer(document["revision"])
	if revision != noRevision {
		l.checkOnce(at+"/revision", groupID+"\x00revision", strconv.FormatInt(revision, 10))
	}
	if !strict {
		return
	}
	l.mistakes.checkModel(at, document, l.catalogue)
	l.mistakes.checkInGroup(at, document, groupID)
}

// checkOnce adds a mistake if a value of that kind was there before, in any case of letters.
func (l *links) checkOnce(place jsontext.Pointer, kind, value string) {
	if value == "" {
		return
	}
	key := kind + strings.ToLower(value)
	if first, repeated := l.first[key]; repeated {
		l.mistakes.add(place, "%q is used twice: %s has it too", value, path(first))
		return
	}
	l.first[key] = place
}

func element(list jsontext.Pointer, i int) jsontext.Pointer {
	return list.AppendToken(strconv.Itoa(i))
}
