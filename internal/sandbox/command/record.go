package command

import (
	"bytes"
	"cmp"
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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// record prints a catalogue file of what the credentials see, and says how the answers depart from the interface. It
// reads with the provider's client, by a call that decodes no fields: the documents have what came, but no credentials.
func (p *program) record(flags *flag.FlagSet) run {
	address := flags.String("url", "", "")
	return func(ctx context.Context, _ []string) error {
		cfg, err := p.clientConfig(*address)
		if err != nil {
			return &statusError{2, err}
		}
		text, err := p.recorded(ctx, cfg)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%w\n%s", err, nextStep(err))
		}
		_, err = p.stdout.Write(text)
		return err
	}
}

// recordedGroup is a group of a catalogue file, with its documents.
type recordedGroup struct {
	Owner  string `json:"owner"`
	Group  any    `json:"group"`
	Models []any  `json:"models"`
}

// recording reads what a catalogue file needs.
type recording struct {
	*program
	client     *catalogue.Client
	reading    json.Options // of documents
	answers    int
	departures map[string]int // in how many answers each is
}

// recorded returns the text of the file.
func (p *program) recorded(ctx context.Context, cfg catalogue.Config) ([]byte, error) {
	client := catalogue.New(cfg)
	r := &recording{
		program:    p,
		client:     client,
		reading:    readAs(hiding(client.Clean, cmp.Or(cfg.AccessToken, cfg.ClientSecret))),
		departures: map[string]int{},
	}
	groups, err := r.read(ctx)
	for _, departure := range slices.Sorted(maps.Keys(r.departures)) {
		in := "the only answer"
		if r.answers > 1 {
			in = fmt.Sprintf("%d of %d answers", r.departures[departure], r.answers)
		}
		p.say("%s, in %s", departure, in)
	}
	if err != nil {
		return nil, err
	}
	text, err := encodeFile(groups)
	if err != nil {
		return nil, fmt.Errorf("the sandbox cannot serve what the service answered: %w", err)
	}
	switch {
	case len(r.departures) > 0:
		p.say("departures from the interface (see `%s openapi`): %d. The file has the documents as they came, and the "+
			"sandbox serves them so: a program that relies on the interface may fail on them",
			p.name, len(r.departures))
	case r.answers == 1:
		p.say("the answer follows the interface (see `%s openapi`)", p.name)
	default:
		p.say("all %d answers follow the interface (see `%s openapi`)", r.answers, p.name)
	}
	return text, nil
}

// read reads all groups with their models, one after the other. A group that is gone by then is left out, but not if
// that leaves none: a service of which nothing can be read is not empty.
func (r *recording) read(ctx context.Context) ([]*recordedGroup, error) {
	listed, err := r.list(ctx, sandbox.RouteGroups, "")
	if err != nil {
		return nil, err
	}
	groups := []*recordedGroup{}
	for i, document := range listed {
		id := textOf(document, "id")
		if err := catalogue.CheckID(id); err != nil {
			return nil, fmt.Errorf("group %d of the list has no id that can be asked for: %w", i+1, err)
		}
		models, err := r.modelsOf(ctx, id)
		switch refusal, ok := errors.AsType[*catalogue.APIError](err); {
		case ok && refusal.Code == "NOT_FOUND":
			r.say("%d of %d groups: %+q is left out, because it is gone", i+1, len(listed), id)
		case err != nil:
			return nil, err
		default:
			groups = append(groups, &recordedGroup{owner, document, models})
			r.say("%d of %d groups: %+q (models: %d)", i+1, len(listed), id, len(models))
		}
	}
	if len(groups) == 0 && len(listed) > 0 {
		return nil, errors.New("none of the groups that the service lists can be read")
	}
	return groups, nil
}

// modelsOf reads the models of a group. A model of another group is an error.
func (r *recording) modelsOf(ctx context.Context, id string) ([]any, error) {
	models, err := r.list(ctx, sandbox.RouteModels, id)
	for _, model := range models {
		if of := textOf(model, "modelGroupId"); of != "" && !catalogue.SameID(of, id) {
			return nil, fmt.Errorf("the models of %+q were asked for, and one of the group %+q came", id, of)
		}
	}
	return models, err
}

// textOf returns a field of a document if it is a text, or else "".
func textOf(document any, field string) string {
	fields, _ := document.(map[string]any)
	text, _ := fields[field].(string)
	return text
}

// list reads a whole list, and counts how it departs from the interface. It returns the list sorted by id: the service
// may answer in any order, and the file is to be the same.
func (r *recording) list(ctx context.Context, route sandbox.Route, groupID string) ([]any, error) {
	target := strings.Replace(route.Pattern(), "{id}", url.PathEscape(groupID), 1)
	elements, err := r.client.Raw(ctx, target)
	if err != nil {
		return nil, err
	}
	documents := make([]any, len(elements))
	for i, element := range elements {
		if err := json.Unmarshal(element, &documents[i], r.reading); err != nil {
			return nil, fmt.Errorf("reading %s: %w", target, err)
		}
	}
	answer, err := json.Marshal(documents)
	r.answers++
	for _, departure := range sandbox.Departures(route, http.StatusOK, answer) {
		r.departures["GET "+route.Pattern()+": "+departure]++
	}
	slices.SortStableFunc(documents, func(a, b any) int {
		return strings.Compare(textOf(a, "id"), textOf(b, "id"))
	})
	return documents, err
}

// owner is the organisation of a recorded file. It owns every group: who does so at the service is not known.
const owner = "recorded"

// encodeFile returns the text of a catalogue file that the sandbox can serve. The same documents give the same file, so
// that a recording can be committed: the secret, which is made up, follows from them.
func encodeFile(groups []*recordedGroup) ([]byte, error) {
	documents, err := json.Marshal(groups, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(documents))
	file := struct {
		Recorded      string                 `json:"recorded"`
		Organisations []sandbox.Organisation `json:"organisations"`
		ModelGroups   jsontext.Value         `json:"modelGroups"`
	}{
		"By modelcatalogue-sandbox record, as one organisation sees the service. The credentials here are made up.",
		[]sandbox.Organisation{{Name: owner, ClientID: owner, ClientSecret: sum[:26]}},
		documents,
	}
	text, err := json.Marshal(file, jsontext.WithIndent("  "))
	if err == nil {
		_, err = sandbox.ReadCatalogue(bytes.NewReader(text))
	}
	return append(text, '\n'), err
}
