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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// record prints a catalogue file of the groups that the credentials see, and lists where the answers differ from the
// interface. It reads with the provider's client, by a call that does not decode fields: documents stay as they came,
// without credentials.
func (p *program) record(flags *flag.FlagSet) run {
	var isStrict bool
	flags.BoolFunc("strict", "", boolean(&isStrict))
	return func(ctx context.Context, _ []string) error {
		cfg, explainer, err := p.clientConfig()
		if err != nil {
			return &statusError{2, err}
		}
		text, err := p.recorded(ctx, cfg, isStrict)
		if err != nil {
			return explained(explainer, err)
		}
		_, err = p.stdout.Write(text)
		return err
	}
}

// readError is an error of the client.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

// explained returns an error with the words of the provider, if the client has it.
func explained(by *explain.Explainer, err error) error {
	failed, ok := errors.AsType[readError](err)
	if !ok {
		return err
	}
	said := by.Explain(failed.error, explain.Subject{})
	return fmt.Errorf("%s\n%s", said.Summary, said.Detail)
}

// recordedGroup is a group of a catalogue file, with its documents.
type recordedGroup struct {
	Owner  string `json:"owner"`
	Group  any    `json:"group"`
	Models []any  `json:"models"`
}

// recording reads the documents of a catalogue file.
type recording struct {
	*program
	client     *catalogue.Client
	hide       func(string) string
	departures map[string]int // in how many answers of its route each is
}

// recorded returns the text of the file. If it is strict, a service that departs from the interface is an error.
func (p *program) recorded(ctx context.Context, cfg catalogue.Config, isStrict bool) ([]byte, error) {
	client := catalogue.New(cfg)
	r := &recording{
		program:    p,
		client:     client,
		hide:       hiding(client.Clean, cmp.Or(cfg.AccessToken, cfg.ClientSecret)),
		departures: map[string]int{},
	}
	groups, err := r.read(ctx)
	for _, departure := range slices.Sorted(maps.Keys(r.departures)) {
		p.say("%s (answers: %d)", departure, r.departures[departure])
	}
	if err != nil {
		return nil, err
	}
	p.say("departures from the interface (see `%s openapi`): %d", p.name, len(r.departures))
	if isStrict && len(r.departures) > 0 {
		return nil, errors.New("with -strict, no file is printed if an answer departs from the interface")
	}
	text, err := encodeFile(groups)
	if err != nil {
		return nil, fmt.Errorf("the sandbox cannot serve what the service answered: %w", err)
	}
	return text, nil
}

// read reads all groups with their models, one after the other. A group that is gone by then is left out, unless that
// leaves no group at all: a service whose groups cannot be read is not an empty one.
func (r *recording) read(ctx context.Context) ([]*recordedGroup, error) {
	listed, err := r.list(ctx, sandbox.RouteGroups, "")
	if err != nil {
		return nil, err
	}
	groups := []*recordedGroup{}
	for i, document := range listed {
		id := textOf(document, "id")
		if err := catalogue.CheckID(id); err != nil {
			return nil, fmt.Errorf("group %d of the list does not have an id that can be requested: %w", i+1, err)
		}
		models, err := r.modelsOf(ctx, id)
		switch refusal, ok := errors.AsType[*catalogue.APIError](err); {
		case ok && refusal.Code == "NOT_FOUND":
			r.say("%d of %d groups: %+q is left out, because it is gone", i+1, len(listed), id)
		case err != nil:
			return nil, err
		default:
			groups = append(groups, &recordedGroup{
				Owner:  owner,
				Group:  document,
				Models: models,
			})
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
		return nil, readError{err}
	}
	var texts []string
	for _, element := range elements {
		texts = append(texts, string(element))
	}
	answer := []byte("[" + strings.Join(texts, ",") + "]")
	for _, said := range sandbox.Departures(route, http.StatusOK, answer, r.hide) {
		r.departures["GET "+route.Pattern()+": "+said]++
	}
	documents := []any{}
	err = json.Unmarshal(answer, &documents, readAs(r.hide))
	slices.SortStableFunc(documents, func(a, b any) int {
		return strings.Compare(textOf(a, "id"), textOf(b, "id"))
	})
	return documents, err
}

// owner is the organisation of a recorded file. It owns every group, because the real owners are not known.
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
		[]sandbox.Organisation{{
			Name:         owner,
			ClientID:     owner,
			ClientSecret: sum[:26],
		}},
		documents,
	}
	text, err := json.Marshal(file, jsontext.WithIndent("  "))
	if err == nil {
		_, err = sandbox.ReadCatalogue(bytes.NewReader(text))
	}
	return append(text, '\n'), err
}
