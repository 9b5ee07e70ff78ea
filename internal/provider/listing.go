package provider

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// listing is the result of a fleet that was read from a list of model groups, rather than from named ones: how many
// groups were listed, and which of them add no model.
type listing struct {
	groups   int      // the number of listed groups
	without  int      // the number of groups without models
	archived []string // groups with archived revisions only
	failing  []string // groups whose models all fail a condition, with the reason
	behind   []string // groups whose latest model is older than the list shows
}

// listedGroups returns the groups of a list, sorted by id. It fails if a malformed record lacks a readable id, or a
// readable time horizon if the list is filtered by one. Anything else in a record may be malformed.
func listedGroups(groups []*catalogue.ModelGroup, onHorizon bool) ([]*member, error) {
	members := []*member{}
	for _, group := range groups {
		noHorizon := group.Err != nil && orZero(group.TimeHorizon).Key == nil
		if orZero(group.ID) == "" || onHorizon && noHorizon {
			return nil, group.Err
		}
		members = append(members, &member{id: *group.ID, at: path.Empty(), listed: *group})
	}
	slices.SortFunc(members, func(a, b *member) int { return strings.Compare(a.id, b.id) })
	return members, nil
}

// leaveOut clears the errors of groups without a matching model, or without any model. It keeps the error if the
// service contradicts itself or a gateway may have answered: otherwise a plan would destroy the group's deployment.
func (l *listing) leaveOut(members []*member, models []choice) {
	l.groups = len(members)
	for i, m := range members {
		problem, isProblem := errors.AsType[*groupError](m.err)
		switch {
		case m.err == nil:
			l.compare(m, models[i])
		case isProblem && problem.nothing:
			l.compare(m, models[i])
			l.failing = append(l.failing, m.inAPhrase())
			m.err = nil
		case saysNotFound(m.err):
			m.err = l.withoutModels(m)
		}
	}
}

// withoutModels records a group without a latest model as empty or archived, or returns an error if its listed record
// contradicts that. A valid record without models means an empty group if its latest revision is absent or below 1,
// and a group with only archived revisions if it is higher.
func (l *listing) withoutModels(m *member) error {
	group := m.listed
	hasNone := group.Err == nil && group.Models != nil && len(group.Models) == 0
	switch {
	case hasNone && orZero(group.LatestRevision) < 1:
		l.without++
	case hasNone:
		l.archived = append(l.archived, explain.Quoted(m.id))
	default:
		return contradicted(m.err, m.id, listedAs(group))
	}
	return nil
}

// listedAs describes, as a clause, the models in the listed record of a group.
func listedAs(group catalogue.ModelGroup) string {
	wrong, isWrong := errors.AsType[*catalogue.UnusableAnswerError](group.Err)
	switch {
	case isWrong:
		return fmt.Sprintf("its record in the list of groups is wrong at %s: %s", wrong.Place, wrong.Problem)
	case group.Models == nil:
		return "the list of groups does not say which models it has"
	}
	return fmt.Sprintf("the list of groups has %d of its models", len(group.Models))
}

// contradicted turns a "not found" from the catalogue into a contradiction of its earlier answer, the clause before.
// It returns any other error unchanged.
func contradicted(err error, group, before string) error {
	if !saysNotFound(err) {
		return err
	}
	problem := contradiction(group, before+", and then it was not found", explain.Sentence(err.Error()))
	problem.phrase = before
	return problem
}

// contradiction returns the error for two answers about a group that do not fit together.
func contradiction(group, phrase, said string) *groupError {
	return &groupError{
		summary: explain.SummaryContradiction,
		detail: explain.Paragraphs(
			fmt.Sprintf("Two answers about model group %q do not fit together: %s.", group, phrase), said,
			"Try again. If the group was changed, removed or made private in between, the next run says so. If it "+
				"fails in the same way, show this to the service's operator."),
		phrase: phrase,
	}
}

// saysNotFound reports whether the catalogue itself, and not a gateway, answered that the record does not exist.
func saysNotFound(err error) bool {
	api, isAnswer := errors.AsType[*catalogue.APIError](err)
	return isAnswer && api.SaysNotFound()
}

// compare records a group whose latest model is older than a revision in its listed record.
func (l *listing) compare(m *member, read choice) {
	newest := read.seen
	for _, model := range m.listed.Models {
		newest = max(newest, *model.Revision)
	}
	if newest > read.seen {
		l.behind = append(l.behind, fmt.Sprintf("%q: revision %d, listed with %d", m.id, read.seen, newest))
	}
}

// warn adds a warning for an empty fleet, or else for the groups with archived revisions only, and another one for
// the groups whose model is older than listed.
func (l *listing) warn(r *blockRead, state *latestModelsState) {
	at := path.Empty()
	if state.TimeHorizon != nil {
		at = path.Root("time_horizon")
	}
	if len(l.failing) > 0 {
		at = path.Root(argWhere)
	}
	switch {
	case len(state.Models) == 0:
		r.warn(at, explain.SummaryNoModelRead, explain.Paragraphs(l.emptied(state),
			"models is empty: a for_each over it destroys what it made before. If that is not meant, check the "+
				"credentials and the arguments of the block, or name the groups in model_group_ids, so that one "+
				"without a model is an error."))
	case len(l.archived) > 0:
		r.warn(path.Empty(), explain.SummaryLeftOut, fmt.Sprintf("All revisions of these model groups are archived, "+
			"so they do not have a latest model: %s.\n\nThey are not in models. To read an archived "+
			"revision, pin it with modelcatalogue_pinned_models.", explain.JoinFirst(l.archived, ", ")))
	}
	if len(l.behind) > 0 {
		r.warn(path.Empty(), explain.SummaryBehind, fmt.Sprintf("The catalogue lists newer revisions of these model "+
			"groups than it answered when they were read, so one of the two answers is old:%s\n\nThe plan continues "+
			"with the models that were read. If the next run says so again, show this to the service's operator.",
			explain.Bulleted(l.behind, explain.MaxIDs)))
	}
}

// emptied explains an empty fleet.
func (l *listing) emptied(state *latestModelsState) string {
	onHorizon := ""
	if state.TimeHorizon != nil {
		onHorizon = fmt.Sprintf(" on the time horizon %q", *state.TimeHorizon)
	}
	if l.groups == 0 {
		return fmt.Sprintf("The catalogue lists no model groups%s for these credentials.", onHorizon)
	}
	first := ""
	if len(l.failing) > 0 {
		first = fmt.Sprintf("The first that does not satisfy where (%s) is %s.", state.Where, l.failing[0])
	}
	return explain.Paragraphs(fmt.Sprintf("No model group that the catalogue lists%s has a model to read. Listed: %d; "+
		"without models: %d; with archived revisions only: %d; without a model that satisfies where: %d.",
		onHorizon, l.groups, l.without, len(l.archived), len(l.failing)), first)
}
