package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// read reads all groups with their models, one after the other. It leaves out a group that is gone by then, unless no
// group is left: a service whose groups cannot be read is not an empty one.
func (r *recording) read(ctx context.Context) ([]*recordedGroup, error) {
	listed, err := r.ask(ctx, sandbox.RouteGroups, "")
	if err != nil {
		return nil, err
	}
	groups := []*recordedGroup{}
	for i, raw := range byID(listed) {
		id := recordOf(raw).ID
		if err := catalogue.CheckID(id); err != nil {
			return nil, fmt.Errorf("group %d of the list does not have an id that can be requested: %w", i+1, err)
		}
		found, err := r.readGroup(ctx, raw)
		if err != nil {
			return nil, err
		}
		r.count(found.rules)
		if found.Models == nil {
			r.say("%d of %d groups: %+q is left out, because it is gone", i+1, len(listed), r.hide(id))
			continue
		}
		groups = append(groups, r.fileOf(&found.Answers))
		r.say("%d of %d groups: %+q (models: %d)", i+1, len(listed), r.hide(id), len(found.Models))
	}
	if len(groups) == 0 && len(listed) > 0 {
		return nil, errors.New("none of the groups that the service lists can be read")
	}
	if r.isStrict {
		err = r.checkFilter(ctx, listed)
	}
	return groups, err
}

// fileOf returns the group of a file.
func (r *recording) fileOf(answers *sandbox.Answers) *recordedGroup {
	g := &recordedGroup{
		Owner:  owner,
		Group:  r.document(answers.Listed),
		Models: []any{},
	}
	for _, model := range byID(answers.Models) {
		g.Models = append(g.Models, r.document(model))
	}
	return g
}

// readGroup looks at a listed group, and refuses a partial list of models.
func (r *recording) readGroup(ctx context.Context, listed jsontext.Value) (*look, error) {
	found, err := r.look(ctx, listed)
	if err == nil && len(found.rules) > 0 {
		found, err = r.lookAgain(ctx, listed, found.rules)
	}
	if err == nil && found.Part() != "" {
		err = fmt.Errorf("the models of %+q cannot be used: %s", r.hide(recordOf(listed).ID), found.Part())
	}
	return found, err
}

// lookAgain looks once more at a group whose answers break rules, because the service may have changed meanwhile. It
// keeps the rules that are still broken, and returns an empty look for a group that is gone.
func (r *recording) lookAgain(ctx context.Context, listed jsontext.Value, broken []string) (*look, error) {
	groups, err := r.ask(ctx, sandbox.RouteGroups, "")
	i := slices.IndexFunc(groups, func(raw jsontext.Value) bool { return isSameGroup(raw, listed) })
	if err != nil || i < 0 {
		return &look{}, err
	}
	found, err := r.look(ctx, groups[i])
	isNew := func(rule string) bool { return !slices.Contains(broken, rule) }
	found.rules = slices.DeleteFunc(found.rules, isNew)
	return found, err
}

// look is the state of a group on the service at one time, and the rules that the answers break.
type look struct {
	sandbox.Answers

	rules []string
}

// look reads the models of a listed group and, if it is strict, the group itself and its latest model.
func (r *recording) look(ctx context.Context, listed jsontext.Value) (l *look, err error) {
	l = &look{}
	l.Listed = listed
	l.IsWhole = r.isStrict
	id := recordOf(listed).ID
	l.Models, err = r.ask(ctx, sandbox.RouteModels, id)
	if err == nil && r.isStrict {
		l.Group, err = r.ask(ctx, sandbox.RouteGroup, id)
	}
	if err == nil && r.isStrict {
		l.Latest, err = r.ask(ctx, sandbox.RouteLatest, id)
	}
	l.rules = l.Departures(r.hide)
	return l, err
}

// ask reads a list or one document, and counts the answer's departures from the OpenAPI document. It returns nil for
// NOT_FOUND.
func (r *recording) ask(ctx context.Context, route sandbox.Route, id string) ([]jsontext.Value, error) {
	isList := route == sandbox.RouteGroups || route == sandbox.RouteModels
	read := r.client.RawOne
	if isList {
		read = r.client.Raw
	}
	list, err := read(ctx, target(route, id))
	refusal, isRefused := errors.AsType[*catalogue.APIError](err)
	if isRefused && refusal.Code == "NOT_FOUND" && route != sandbox.RouteGroups {
		return nil, nil
	}
	if err != nil {
		return nil, readError{err}
	}
	text, err := json.Marshal(list, lenient, jsontext.PreserveRawStrings(true))
	if !isList {
		text = list[0]
	}
	r.count(sandbox.Departures(route, http.StatusOK, text, r.hide))
	return list, err
}

// target returns the path of a route with the id of a group or, for the list of groups, with a time horizon as filter.
func target(route sandbox.Route, id string) string {
	if route == sandbox.RouteGroups && id != "" {
		return route.Pattern() + "?timeHorizon=" + url.QueryEscape(id)
	}
	return strings.Replace(route.Pattern(), "{id}", url.PathEscape(id), 1)
}

func (r *recording) count(departures []string) {
	for _, departure := range departures {
		r.departures[departure]++
	}
}

// lenient reads JSON as the provider does.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// record is a group in the list of groups, or a model.
type record struct {
	ID          string `json:"id"`
	TimeHorizon struct {
		Key string `json:"key"`
	} `json:"timeHorizon"`
}

// recordOf reads the readable fields of a record.
func recordOf(raw jsontext.Value) (of record) {
	_ = json.Unmarshal(raw, &of, lenient)
	return of
}

// byID sorts records by id, so that the file does not depend on the order of the service.
func byID(list []jsontext.Value) []jsontext.Value {
	return slices.SortedStableFunc(slices.Values(list), func(a, b jsontext.Value) int {
		return strings.Compare(recordOf(a).ID, recordOf(b).ID)
	})
}

// document returns a record for the file, without credentials.
func (r *recording) document(raw jsontext.Value) (document any) {
	_ = json.Unmarshal(raw, &document, readAs(r.hide)) // raw is JSON
	return document
}

// checkFilter requests the groups on each time horizon of the listed groups, and on a made-up one.
func (r *recording) checkFilter(ctx context.Context, listed []jsontext.Value) error {
	const filter = "GET /v1/model-group: timeHorizon: "
	horizons := map[string]bool{}
	for _, raw := range listed {
		horizons[recordOf(raw).TimeHorizon.Key] = true
	}
	delete(horizons, "")
	for key := range horizons {
		all, err := r.ask(ctx, sandbox.RouteGroups, "")
		if err != nil {
			return err
		}
		selected, err := r.ask(ctx, sandbox.RouteGroups, key)
		if err != nil {
			return err
		}
		isOther := func(raw jsontext.Value) bool { return recordOf(raw).TimeHorizon.Key != key }
		all = slices.DeleteFunc(all, isOther)
		if !slices.EqualFunc(byID(all), byID(selected), isSameGroup) {
			r.count([]string{filter + "must select the groups on it, and no others"})
		}
	}
	_, err := r.ask(ctx, sandbox.RouteGroups, "no-such-time-horizon")
	if refusal, ok := errors.AsType[*catalogue.APIError](err); !ok || refusal.Status != http.StatusBadRequest {
		r.count([]string{filter + "must be a BAD_REQUEST if nobody knows it"})
	}
	return nil
}

func isSameGroup(a, b jsontext.Value) bool { return recordOf(a).ID == recordOf(b).ID }
