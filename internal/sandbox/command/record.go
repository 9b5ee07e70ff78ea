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
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// record prints a catalogue file of the groups visible to the credentials, and lists differences between the answers
// and the interface. The provider's client reads them as raw JSON, so documents stay as they are, except for
// credentials.
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

// explained returns an error of the client in the words of the provider, and any other error unchanged.
func explained(by *explain.Explainer, err error) error {
	failed, ok := errors.AsType[readError](err)
	if !ok {
		return err
	}
	message := by.Explain(failed.error, explain.Subject{})
	return fmt.Errorf("%s\n%s", message.Summary, message.Detail)
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
	isStrict   bool
	departures map[string]int // each with the number of answers
}

// recorded returns the text of the file. If it is strict, a departure from the interface is an error.
func (p *program) recorded(ctx context.Context, cfg catalogue.Config, isStrict bool) ([]byte, error) {
	client := catalogue.New(cfg)
	r := &recording{
		program:    p,
		client:     client,
		hide:       hiding(client.Clean, cmp.Or(cfg.AccessToken, cfg.ClientSecret)),
		isStrict:   isStrict,
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

// owner is the organisation of a recorded file. It owns every group, because the real owners are unknown.
const owner = "recorded"

// encodeFile returns the text of a catalogue file, and an error if the sandbox cannot serve it. The same documents give
// the same file, so a recording can be committed: even the made-up secret follows from them.
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
