package command

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
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

// recordedFile is a catalogue file with documents as they came.
type recordedFile struct {
	Recorded      string              `json:"recorded"`
	Organisations []map[string]string `json:"organisations"`
	TimeHorizons  []map[string]string `json:"timeHorizons"`
	ModelGroups   []*recordedGroup    `json:"modelGroups"`
}

type recordedGroup struct {
	Owner  string           `json:"owner"`
	Group  jsontext.Value   `json:"group"`
	Models []jsontext.Value `json:"models"`

	known struct {
		ID             string  `json:"id"`
		Public         *bool   `json:"public"`
		LatestRevision float64 `json:"latestRevision"`
		TimeHorizon    struct {
			Key string `json:"key"`
		} `json:"timeHorizon"`
	}
}

// record prints a catalogue file of what the credentials see. Its documents are as they came, except for the order of
// their fields and credentials that the service echoes, which are hidden.
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
		text, err := p.recorded(ctx, r, wanted)
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(text)
		return err
	}
}

func (p *program) recorded(ctx context.Context, r *reader, wanted []string) ([]byte, error) {
	const owned, others = "recorded", "unknown owner"
	listed, err := p.readList(ctx, r, sandbox.RouteGroups.Pattern())
	if err != nil {
		return nil, err
	}
	file := recordedFile{
		Recorded: "By modelcatalogue-sandbox record, as one organisation sees the service. Who owns the groups of " +
			strconv.Quote(others) + " is not known: their notes and images were withheld. The credentials are made up.",
		TimeHorizons: []map[string]string{}, ModelGroups: []*recordedGroup{},
	}
	for _, name := range []string{owned, others} {
		id := strings.ReplaceAll(name, " ", "-")
		file.Organisations = append(file.Organisations, map[string]string{
			"name": name, "clientId": id, "clientSecret": id + "-sandbox-secret",
		})
	}
	var horizons []string
	for _, document := range listed {
		g := &recordedGroup{Owner: others, Group: document}
		if json.Unmarshal(document, &g.known) != nil || g.known.ID == "" {
			return nil, fmt.Errorf("a group of %s has no id, or a field of another type; `compare` reports where", r.base)
		}
		if len(wanted) == 0 || slices.Contains(wanted, g.known.ID) {
			file.ModelGroups, horizons = append(file.ModelGroups, g), append(horizons, g.known.TimeHorizon.Key)
		}
	}
	for _, id := range wanted {
		if !slices.ContainsFunc(file.ModelGroups, func(g *recordedGroup) bool { return g.known.ID == id }) {
			return nil, misused("-group is %q: the service has no such group, or these credentials cannot see it", id)
		}
	}
	slices.Sort(horizons)
	for _, key := range slices.Compact(horizons) {
		if key != "" {
			file.TimeHorizons = append(file.TimeHorizons, map[string]string{"key": key})
		}
	}
	slices.SortFunc(file.ModelGroups, func(a, b *recordedGroup) int { return cmp.Compare(a.known.ID, b.known.ID) })
	for i, g := range file.ModelGroups {
		isOwned, err := p.readModels(ctx, r, g)
		if err != nil {
			return nil, err
		}
		if isOwned {
			g.Owner = owned
		}
		fmt.Fprintf(p.stderr, "%d of %d groups: %+q, %d models\n", i+1, len(file.ModelGroups), g.known.ID, len(g.Models))
	}
	text, err := json.Marshal(file, json.Deterministic(true), jsontext.PreserveRawStrings(true),
		jsontext.ReorderRawObjects(true), jsontext.WithIndent("  "))
	if err == nil {
		_, err = sandbox.ReadCatalogue(bytes.NewReader(text))
	}
	if err != nil {
		return nil, fmt.Errorf("the sandbox cannot serve what the service answered: %w", err)
	}
	return append(text, '\n'), nil
}

// readModels reads every revision of a group, the oldest first, and reports whether these credentials own them.
func (p *program) readModels(ctx context.Context, r *reader, g *recordedGroup) (isOwned bool, err error) {
	type model struct {
		Revision float64 `json:"revision"`
		IsOwner  bool    `json:"isOwner"`
	}
	read := func(document jsontext.Value) (m model) {
		_ = json.Unmarshal(document, &m) // a wrong type is recorded as it is
		return m
	}
	byRevision := func(a, b jsontext.Value) int { return cmp.Compare(read(a).Revision, read(b).Revision) }
	path := func(route sandbox.Route) string {
		return strings.Replace(route.Pattern(), "{id}", url.PathEscape(g.known.ID), 1)
	}
	if g.Models, err = p.readList(ctx, r, path(sandbox.RouteModels)); err != nil {
		return false, err
	}
	// The list may leave out archived revisions, and the latest may be one.
	if len(g.Models) == 0 || read(slices.MaxFunc(g.Models, byRevision)).Revision < g.known.LatestRevision {
		latest, err := p.polite(ctx, r, path(sandbox.RouteLatest))
		switch {
		case err != nil:
			return false, err
		case latest.status == http.StatusOK:
			g.Models = append(g.Models, latest.body)
		case latest.status != http.StatusNotFound:
			return false, r.failure(latest)
		}
	}
	slices.SortStableFunc(g.Models, byRevision)
	owned := slices.ContainsFunc(g.Models, func(document jsontext.Value) bool { return read(document).IsOwner })
	return owned || g.known.Public != nil && !*g.known.Public, nil
}

// readList reads all pages of a list.
func (p *program) readList(ctx context.Context, r *reader, path string) ([]jsontext.Value, error) {
	whole := []jsontext.Value{}
	for seen := map[string]bool{}; path != ""; {
		if seen[path] {
			return nil, fmt.Errorf("the pages of the list go round: %s names one that was read before", path)
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
			return nil, fmt.Errorf("the answer to %s is no list; `compare` reports how the service departs from the interface",
				a.request)
		}
		whole = append(whole, elements...)
		if path, err = r.nextPage(a); err != nil {
			return nil, err
		}
		count, err := strconv.Atoi(a.header.Get("X-Total-Count"))
		if err == nil && path == "" && count > len(whole) {
			return nil, fmt.Errorf("%s counts %d elements, sends %d and names no next page", a.request, count, len(whole))
		}
	}
	return whole, nil
}

// polite sends a read. It requests a token if it has none or its token has expired, waits as Retry-After says, and
// tries three times more after a failure of the service.
func (p *program) polite(ctx context.Context, r *reader, path string) (*reply, error) {
	for renewed, failures := false, 0; ; {
		var a *reply
		var err error
		if r.token == "" {
			a, err = r.authenticate(ctx)
		}
		if r.token != "" {
			a, err = r.send(ctx, http.MethodGet, path, "", "")
		}
		isLimited := a != nil && a.status == http.StatusTooManyRequests
		switch {
		case a == nil:
			return nil, err
		case a.status == http.StatusUnauthorized && r.secret != "" && !renewed && err == nil:
			r.tokens, r.token, renewed = append(r.tokens, r.token), "", true
			continue
		case !isLimited && (a.status < http.StatusInternalServerError || failures == 3):
			// Formatted, so that a credential has one spelling.
			if document := jsontext.Value(a.body); document.Format() == nil {
				a.body = []byte(r.hide(string(document)))
			}
			return a, err
		case !isLimited:
			failures++
		}
		wait := time.Second << failures
		if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err == nil && seconds > 0 {
			wait = time.Duration(seconds) * time.Second
		}
		fmt.Fprintf(p.stderr, "%s is answered with status %d: waiting %s\n", a.request, a.status, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
