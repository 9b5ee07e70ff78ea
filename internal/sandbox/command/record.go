package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// record prints a catalogue file of what the credentials see, and says how the answers depart from the interface. The
// documents are as they came, except for credentials that the service repeats.
func (p *program) record(flags *flag.FlagSet) run {
	address := flags.String("url", "", "")
	return func(ctx context.Context, _ []string) error {
		service, err := newServiceReader(*address)
		if err != nil {
			return err
		}
		text, err := p.recorded(ctx, service)
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(text)
		return err
	}
}

// recordedGroup is a group of a catalogue file, with its documents as they came.
type recordedGroup struct {
	Owner  string           `json:"owner"`
	Group  jsontext.Value   `json:"group"`
	Models []jsontext.Value `json:"models"`
	id     string
}

// recording reads what a catalogue file needs.
type recording struct {
	*serviceReader
	answers    int
	departures map[string]int // in how many answers each is
}

// recorded returns the text of the file.
func (p *program) recorded(ctx context.Context, service *serviceReader) ([]byte, error) {
	service.say = p.say
	r := &recording{serviceReader: service, departures: map[string]int{}}
	groups, err := r.read(ctx)
	for _, departure := range slices.Sorted(maps.Keys(r.departures)) {
		p.say("%s, in %d of %d answers", departure, r.departures[departure], r.answers)
	}
	if err != nil {
		return nil, err
	}
	text, err := encodeFile(groups)
	if err != nil {
		return nil, fmt.Errorf("the sandbox cannot serve what the service answered: %w", err)
	}
	if len(r.departures) == 0 {
		p.say("none of %d answers departs from the interface, which `%s openapi` prints", r.answers, p.name)
		return text, nil
	}
	p.say("departures from the interface, which `%s openapi` prints: %d. The file has the documents as they came, and "+
		"the sandbox serves them so: a program that relies on the interface may fail on them",
		p.name, len(r.departures))
	return text, nil
}

// errGone is the error of a group that was listed before.
var errGone = errors.New("the group is gone")

// read reads all groups with their models.
func (r *recording) read(ctx context.Context) ([]*recordedGroup, error) {
	groups, err := r.readGroups(ctx)
	if err != nil {
		return nil, err
	}
	var kept []*recordedGroup
	for i, g := range groups {
		g.Models, err = r.readList(ctx, sandbox.RouteModels, g.id)
		if errors.Is(err, errGone) {
			r.say("%d of %d groups: %+q is left out, because it is gone", i+1, len(groups), g.id)
			continue
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, g)
		r.say("%d of %d groups: %+q (models: %d)", i+1, len(groups), g.id, len(g.Models))
	}
	return kept, nil
}

func (r *recording) readGroups(ctx context.Context) ([]*recordedGroup, error) {
	listed, err := r.readList(ctx, sandbox.RouteGroups, "")
	if err != nil {
		return nil, err
	}
	var groups []*recordedGroup
	for _, document := range listed {
		var known struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(document, &known) != nil || known.ID == "" {
			return nil, fmt.Errorf("a group of %s has no id", r.base)
		}
		if known.ID == "." || known.ID == ".." || strings.ContainsFunc(known.ID, unicode.IsControl) {
			return nil, fmt.Errorf("a group of %s has the id %+q, which no request can name", r.base, known.ID)
		}
		groups = append(groups, &recordedGroup{Owner: owner, Group: document, id: known.ID})
	}
	return groups, nil
}

// readList reads a whole list, and counts how it departs from the interface.
func (r *recording) readList(ctx context.Context, route sandbox.Route, groupID string) ([]jsontext.Value, error) {
	a, err := r.get(ctx, strings.Replace(route.Pattern(), "{id}", url.PathEscape(groupID), 1))
	switch {
	case err != nil:
		return nil, err
	case a.status == http.StatusNotFound && groupID != "":
		return nil, errGone
	case a.status != http.StatusOK:
		return nil, r.failure(a)
	}
	r.answers++
	for _, departure := range sandbox.Departures(route, a.status, a.body) {
		r.departures["GET "+route.Pattern()+": "+departure]++
	}
	list := []jsontext.Value{}
	if json.Unmarshal(a.body, &list) != nil || list == nil {
		return nil, fmt.Errorf("the answer to %s is not a JSON list", a)
	}
	if sign := contract.SignOfPart(a.header, len(list)); sign != "" {
		return nil, fmt.Errorf("the answer to %s is only a part of the list: %s", a, r.quote(sign))
	}
	return list, nil
}

// owner is the organisation of a recorded file. It owns every group: who does so at the service is not known.
const owner = "recorded"

// encodeFile returns the text of a catalogue file that the sandbox can serve. The same documents give the same file, so
// that a recording can be committed: the secret, which is made up, follows from them.
func encodeFile(groups []*recordedGroup) ([]byte, error) {
	documents, err := json.Marshal(groups, jsontext.ReorderRawObjects(true))
	if err != nil {
		return nil, err
	}
	secret := fmt.Sprintf("%x", sha256.Sum256(documents))
	file := struct {
		Recorded      string                 `json:"recorded"`
		Organisations []sandbox.Organisation `json:"organisations"`
		ModelGroups   []*recordedGroup       `json:"modelGroups"`
	}{
		"By modelcatalogue-sandbox record, as one organisation sees the service. The credentials here are made up.",
		[]sandbox.Organisation{{Name: owner, ClientID: owner, ClientSecret: secret[:26]}},
		append([]*recordedGroup{}, groups...),
	}
	text, err := json.Marshal(file, jsontext.WithIndent("  "), jsontext.ReorderRawObjects(true))
	if err == nil {
		_, err = sandbox.ReadCatalogue(bytes.NewReader(text))
	}
	return append(text, '\n'), err
}
