package command

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// The organisations of a recorded file. The service does not say who owns what
// these credentials do not own.
const (
	recorder = "recorded"
	stranger = "unknown owner"
)

type (
	recordedFile struct {
		Recorded      string                 `json:"recorded"`
		Organisations []recordedOrganisation `json:"organisations"`
		TimeHorizons  []recordedHorizon      `json:"timeHorizons"`
		ModelGroups   []*recordedGroup       `json:"modelGroups"`
	}
	recordedOrganisation struct {
		Name         string `json:"name"`
		ClientID     string `json:"clientId"`
		ClientSecret string `json:"clientSecret"`
	}
	recordedHorizon struct {
		Key string `json:"key"`
	}
	recordedGroup struct {
		Owner  string           `json:"owner"`
		Group  jsontext.Value   `json:"group"`
		Models []jsontext.Value `json:"models"`

		known struct {
			ID             string  `json:"id"`
			Name           string  `json:"name"`
			Public         *bool   `json:"public"`
			LatestRevision float64 `json:"latestRevision"`
			TimeHorizon    struct {
				Key string `json:"key"`
			} `json:"timeHorizon"`
		}
	}
)

// record prints a catalogue file of what the credentials see: the documents as
// they came, and nothing of the credentials. It sends one request at a time.
func (p *program) record(flags *flag.FlagSet) run {
	base := serviceFlag(flags)
	var wanted []string
	flags.Func("group", "`id` of a group to record; may be repeated (default: all groups)", func(id string) error {
		wanted = append(wanted, id)
		return nil
	})
	return func(ctx context.Context, _ []string) error {
		r, err := newReader(*base)
		if err != nil {
			return err
		}
		file, err := p.recordFrom(ctx, r, wanted)
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(file)
		return err
	}
}

func (p *program) recordFrom(ctx context.Context, r *reader, wanted []string) ([]byte, error) {
	listed, err := p.readList(ctx, r, sandbox.RouteGroups.Pattern())
	if err != nil {
		return nil, err
	}
	var groups []*recordedGroup
	for _, document := range listed {
		g := &recordedGroup{Group: document, Models: []jsontext.Value{}}
		if json.Unmarshal(document, &g.known) != nil || g.known.ID == "" {
			return nil, fmt.Errorf("a group of %s has no id, or a field of another type. `compare` reports where", r.base)
		}
		if len(wanted) == 0 || slices.Contains(wanted, g.known.ID) {
			groups = append(groups, g)
		}
	}
	for _, id := range wanted {
		if !slices.ContainsFunc(groups, func(g *recordedGroup) bool { return g.known.ID == id }) {
			return nil, misused("-group is %q: the service has no such group, or these credentials cannot see it", id)
		}
	}
	slices.SortFunc(groups, func(a, b *recordedGroup) int { return cmp.Compare(a.known.ID, b.known.ID) })
	horizons := map[string]bool{}
	for i, g := range groups {
		if err := p.readModels(ctx, r, g); err != nil {
			return nil, err
		}
		if key := g.known.TimeHorizon.Key; key != "" {
			horizons[key] = true
		}
		fmt.Fprintf(p.stderr, "%d of %d groups: %+q, %d models\n", i+1, len(groups), g.known.ID, len(g.Models))
	}
	file := recordedFile{
		Recorded: "By modelcatalogue-sandbox record. The documents are as one organisation sees them. Groups of " +
			strconv.Quote(stranger) + " belong to organisations that the service does not name; " +
			"their notes and images are withheld, and recorded so. The credentials are made up.",
		TimeHorizons: []recordedHorizon{},
		ModelGroups:  append([]*recordedGroup{}, groups...),
	}
	for _, key := range slices.Sorted(maps.Keys(horizons)) {
		file.TimeHorizons = append(file.TimeHorizons, recordedHorizon{key})
	}
	for _, name := range []string{recorder, stranger} {
		id := strings.ReplaceAll(name, " ", "-")
		file.Organisations = append(file.Organisations, recordedOrganisation{name, id, id + "-sandbox-secret"})
	}
	text, err := json.Marshal(file, json.Deterministic(true), jsontext.PreserveRawStrings(true), jsontext.WithIndent("  "))
	text = append(text, '\n')
	if err == nil {
		_, err = sandbox.ReadCatalogue(bytes.NewReader(text))
	}
	if err != nil {
		return nil, fmt.Errorf("the sandbox cannot serve what the service answered: %w", err)
	}
	return text, nil
}

// readModels reads every revision of a group, the oldest first, and finds out
// whether these credentials own it.
func (p *program) readModels(ctx context.Context, r *reader, g *recordedGroup) error {
	path := strings.Replace(sandbox.RouteModels.Pattern(), "{id}", url.PathEscape(g.known.ID), 1)
	var err error
	if g.Models, err = p.readList(ctx, r, path); err != nil {
		return err
	}
	type model struct {
		Revision float64 `json:"revision"`
		IsOwner  *bool   `json:"isOwner"`
	}
	read := func(document jsontext.Value) (m model) {
		_ = json.Unmarshal(document, &m) // a wrong type is recorded as it is
		return m
	}
	byRevision := func(a, b jsontext.Value) int { return cmp.Compare(read(a).Revision, read(b).Revision) }
	// A service may leave archived revisions out of the list, and still have one
	// as the latest.
	if len(g.Models) == 0 || read(slices.MaxFunc(g.Models, byRevision)).Revision < g.known.LatestRevision {
		path = strings.Replace(sandbox.RouteLatest.Pattern(), "{id}", url.PathEscape(g.known.ID), 1)
		latest, err := p.polite(ctx, r, path)
		switch {
		case err != nil:
			return err
		case latest.status == http.StatusOK:
			g.Models = append(g.Models, latest.body)
		case latest.status != http.StatusNotFound:
			return r.failure(latest)
		}
	}
	slices.SortStableFunc(g.Models, byRevision)
	g.Owner = stranger
	isOwned := func(document jsontext.Value) bool { m := read(document); return m.IsOwner != nil && *m.IsOwner }
	if slices.ContainsFunc(g.Models, isOwned) || g.known.Public != nil && !*g.known.Public {
		g.Owner = recorder
	}
	return nil
}

// readList reads a list, all its pages.
func (p *program) readList(ctx context.Context, r *reader, path string) ([]jsontext.Value, error) {
	whole := []jsontext.Value{}
	for seen := map[string]bool{}; path != ""; {
		if seen[path] {
			return nil, fmt.Errorf("the next page of %s is one that was read before: the service's pages go round", path)
		}
		seen[path] = true
		a, err := p.polite(ctx, r, path)
		if err != nil {
			return nil, err
		}
		var elements []jsontext.Value
		if a.status != http.StatusOK || a.isPage() {
			return nil, r.failure(a)
		}
		if err := json.Unmarshal(a.body, &elements); err != nil {
			return nil, fmt.Errorf("the answer to %s is no list. `compare` reports where the service departs from the interface", a.request)
		}
		whole = append(whole, elements...)
		if path, err = r.nextPage(a); err != nil {
			return nil, err
		}
		if count, err := strconv.Atoi(a.header.Get("X-Total-Count")); err == nil && path == "" && count > len(whole) {
			return nil, fmt.Errorf("%s counts %d elements and sends %d, without a next page: that would be a part of the list",
				a.request, count, len(whole))
		}
	}
	return whole, nil
}

// polite sends a read: it asks for a token if it has none or the one it had is
// over, waits as Retry-After says, and tries again what may pass.
func (p *program) polite(ctx context.Context, r *reader, path string) (*reply, error) {
	const attempts = 4
	renewed := false
	for attempt := 1; ; {
		a, err := r.tokenAnd(ctx, path)
		if err != nil {
			return nil, err
		}
		wait := time.Duration(attempt) * time.Second
		seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
		switch {
		case a.status == http.StatusUnauthorized && r.id != "" && r.secret != "" && !renewed:
			r.token, renewed = "", true
			continue
		case a.status != http.StatusTooManyRequests && a.status < 500 || attempt == attempts:
			return a, nil
		case err == nil && seconds > 0:
			wait = time.Duration(seconds) * time.Second
		}
		if a.status >= 500 {
			attempt++
		}
		fmt.Fprintf(p.stderr, "status %d: waiting %s, and then again\n", a.status, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tokenAnd sends a read, after a request for a token if there is none.
func (r *reader) tokenAnd(ctx context.Context, path string) (*reply, error) {
	if r.token == "" {
		if a, err := r.authenticate(ctx); err != nil {
			if a != nil && (a.status == http.StatusTooManyRequests || a.status >= 500) {
				return a, nil // the caller waits
			}
			return nil, err
		}
	}
	return r.send(ctx, http.MethodGet, path, "", "")
}
