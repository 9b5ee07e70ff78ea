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

// failure is a member that could not be read, and why.
type failure struct {
	member
	err error
}

// failures returns the members that failed, without those that share the fault. A read that made one attempt because
// another had used up its retries comes last: the message of the other says more.
func failures[T any](all []settled[T], fault error) []failure {
	var list, last []failure
	for _, one := range all {
		gaveUp, _ := errors.AsType[*catalogue.GaveUpError](one.err)
		switch {
		case one.err == nil || fault != nil && scopeOf(one.err) == ofAllGroups:
		case gaveUp != nil && gaveUp.Cause == catalogue.ServiceDown:
			last = append(last, failure{one.member, one.err})
		default:
			list = append(list, failure{one.member, one.err})
		}
	}
	return append(list, last...)
}

// reportFailures says what failed: one diagnostic for a fault, and one for each other cause, on the first element that
// has it. far is how far the fleet was, and latest whether the latest models are read.
func (r *blockRead) reportFailures(fault error, far *progress, list []failure, latest bool) {
	causes := map[string][]failure{}
	var first []explain.Problem // of each cause
	shared := ""
	if fault != nil {
		problem := r.problem(fault, explain.Subject{})
		r.tell(problem, far.sentence(fault))
		shared = causeOf(problem)
	}
	if errors.Is(fault, context.Canceled) {
		return
	}
	for _, f := range list {
		problem := r.problemOf(f, latest)
		cause := causeOf(problem)
		if cause != shared && causes[cause] == nil {
			first = append(first, problem)
		}
		causes[cause] = append(causes[cause], f)
	}
	for _, problem := range first {
		r.tell(problem, together(causes[causeOf(problem)], far.groups))
	}
}

// causeOf identifies a cause among those of a fleet.
func causeOf(problem explain.Problem) string { return cmp.Or(problem.Cause, problem.Summary) }

// problemOf says why a member failed, on the element that is at fault. The conditions of a group that was only listed
// are at fault themselves.
func (r *blockRead) problemOf(f failure, latest bool) explain.Problem {
	problem := r.problem(f.err, explain.Subject{Path: f.at, Value: f.id, OfLatest: latest})
	switch {
	case f.isOfImage():
		problem.Path = path.Root(argDockerImages).AtMapKey(f.id)
	case len(f.at.Steps()) > 0:
		problem.Path = f.at
	}
	return problem
}

// isOfImage reports whether the image that was given is at fault.
func (f failure) isOfImage() bool {
	lacking, ok := errors.AsType[*groupError](f.err)
	return ok && lacking.Path.Equal(path.Root(argDockerImage))
}

// together names those that failed like the first of them, or returns "" if none did.
func together(alike []failure, groups int) string {
	others := alike[1:]
	if len(others) == 0 {
		return ""
	}
	var lines []string
	for _, f := range others {
		lines = append(lines, f.inAPhrase())
	}
	way, limit := "the same way", explain.MaxIDs
	if wordsDiffer(alike) {
		way = "with the same status and code; the service's words differ"
	}
	if alike[0].isOfImage() {
		limit = maxImages
	}
	return fmt.Sprintf("%d more of %d groups failed %s:", len(others), groups, way) +
		explain.Bulleted(lines, limit-1)
}

// maxImages bounds the images that one message lists. It is more than explain.MaxIDs, because each has to be reviewed.
const maxImages = 100

func (f failure) inAPhrase() string {
	if lacking, ok := errors.AsType[*groupError](f.err); ok {
		return fmt.Sprintf("%q: %s", f.id, lacking.phrase)
	}
	if odd := explain.Oddity(f.id); odd != "" && errors.Is(f.err, catalogue.ErrNotFound) {
		return fmt.Sprintf("%q (%s)", f.id, odd)
	}
	return fmt.Sprintf("%q", f.id)
}

// wordsDiffer reports whether the service said something different of some groups.
func wordsDiffer(alike []failure) bool {
	said := map[string]bool{}
	for _, f := range alike {
		api, ok := errors.AsType[*catalogue.APIError](f.err)
		if !ok || errors.Is(api, catalogue.ErrNotFound) { // whose cause is known
			return false
		}
		said[fmt.Sprint(api.Message, api.Issues, api.Data)] = true
	}
	return len(said) > 1
}
