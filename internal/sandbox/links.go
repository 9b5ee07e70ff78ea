package sandbox

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// links checks the references between the parts of a catalogue file, which a schema cannot express.
type links struct {
	file      catalogueFile
	catalogue *Catalogue                  // of the file
	first     map[string]jsontext.Pointer // the first place of each name, id and revision
	mistakes  TextErrors
}

// check also checks documents if strict.
func (l *links) check(strict bool) {
	for i, o := range l.file.Organisations {
		at := element("/organisations", i)
		l.checkOnce(at+"/name", "the organisation", o.Name)
		l.checkOnce(at+"/clientId", "the client id", o.ClientID)
	}
	for i, g := range l.file.ModelGroups {
		at := element("/modelGroups", i)
		if _, err := l.catalogue.Organisation(g.Owner); err != nil && g.Owner != "" {
			l.mistakes.add(at+"/owner", "%s", err)
		}
		id := g.Group.text("id")
		l.checkOnce(at+"/group/id", "the model group id", id)
		for j, document := range g.Models {
			at := element(at+"/models", j)
			l.checkOnce(at+"/id", "the model id", document.text("id"))
			if revision := integer(document["revision"]); revision != noRevision {
				l.checkOnce(at+"/revision", "a revision of "+id, strconv.FormatInt(revision, 10))
			}
			if strict {
				l.mistakes.checkModel(at, document, id, l.catalogue)
			}
		}
	}
}

// checkOnce adds a mistake for the duplicate of a value of that kind, in any case of letters.
func (l *links) checkOnce(place jsontext.Pointer, kind, value string) {
	if value == "" {
		return
	}
	key := kind + "\x00" + strings.ToLower(value)
	if first, repeated := l.first[key]; repeated {
		l.mistakes.add(place, "%q is used twice: %s has it too", value, path(first))
		return
	}
	l.first[key] = place
}

func element(list jsontext.Pointer, i int) jsontext.Pointer {
	return list.AppendToken(strconv.Itoa(i))
}
