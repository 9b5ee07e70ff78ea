package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// reportFailures adds an error for each cause, on the first element with it, or on no argument if the cause is the
// fault of the whole fleet. latest reports whether the latest models are read.
func (r *blockRead) reportFailures(members []*member, far *progress, fault error, latest bool) {
	ofAll := ""
	if fault != nil {
		problem := r.problem(fault, explain.Subject{})
		if errors.Is(fault, context.Canceled) {
			r.tell(problem, far.sentence())
			return
		}
		ofAll = causeOf(problem)
	}
	causes := map[string][]*member{}
	var first []explain.Problem // of each cause
	for _, m := range members {
		if m.err == nil || errors.Is(m.err, context.Canceled) {
			continue
		}
		problem := r.problemOf(m, latest)
		cause := causeOf(problem)
		if causes[cause] == nil {
			first = append(first, problem)
		}
		causes[cause] = append(causes[cause], m)
	}
	for _, problem := range first {
		cause := causeOf(problem)
		more := together(causes[cause], far.groups)
		if cause == ofAll {
			problem.Path, problem.Source = path.Empty(), r.dataSource
			more = far.sentence()
		}
		r.tell(problem, more)
	}
}

// causeOf identifies a cause among those of a fleet.
func causeOf(problem explain.Problem) string { return cmp.Or(problem.Cause, problem.Summary) }

// problemOf explains the failure of a member, on its element. The problem of a listed group stays on where, if that is
// at fault.
func (r *blockRead) problemOf(m *member, latest bool) explain.Problem {
	problem := r.problem(m.err, explain.Subject{Path: m.at, Value: m.id, OfLatest: latest})
	switch {
	case m.isOfImage():
		problem.Path = path.Root(argDockerImages).AtMapKey(m.id)
	case len(m.at.Steps()) > 0:
		problem.Path = m.at
	}
	return problem
}

// isOfImage reports whether the configured image is at fault.
func (m *member) isOfImage() bool {
	lacking, ok := errors.AsType[*groupError](m.err)
	return ok && lacking.path.Equal(path.Root(argDockerImage))
}

// together lists the members that failed like the first of them, or returns "".
func together(alike []*member, groups int) string {
	var lines []string
	for _, m := range alike[1:] {
		lines = append(lines, m.inAPhrase())
	}
	if lines == nil {
		return ""
	}
	limit := explain.MaxIDs
	if alike[0].isOfImage() {
		limit = maxImages
	}
	return fmt.Sprintf("%d more of %d groups failed the same way:", len(lines), groups) +
		explain.Bulleted(lines, limit-1)
}

// maxImages bounds the images in one message. It is higher than explain.MaxIDs, because each has to be reviewed.
const maxImages = 100

// inAPhrase returns the id of a member with the cause of its failure.
func (m *member) inAPhrase() string {
	if lacking, ok := errors.AsType[*groupError](m.err); ok {
		return fmt.Sprintf("%q: %s", m.id, lacking.phrase)
	}
	if odd := explain.Oddity(m.id); odd != "" && errors.Is(m.err, catalogue.ErrNotFound) {
		return fmt.Sprintf("%q (%s)", m.id, odd)
	}
	return fmt.Sprintf("%q", m.id)
}
