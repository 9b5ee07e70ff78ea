package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// failure is a question that failed, and why.
type failure struct {
	question
	err error
}

// failures returns the questions that failed, without those that share the fault. A read that made one attempt
// because another had used up its retries comes last: the message of the other says more.
func failures[T any](all []ended[T], fault error) []failure {
	var list, last []failure
	for _, one := range all {
		gaveUp, _ := errors.AsType[*catalogue.GaveUpError](one.err)
		switch {
		case one.err == nil || fault != nil && scopeOf(one.err) == ofAllQuestions:
		case gaveUp != nil && gaveUp.Cause == catalogue.ServiceDown:
			last = append(last, failure{one.question, one.err})
		default:
			list = append(list, failure{one.question, one.err})
		}
	}
	return append(list, last...)
}

// causeOf identifies what failures have in common that a user would see as one.
func causeOf(summary string, err error) string {
	cause := summary
	if api, ok := errors.AsType[*catalogue.APIError](err); ok {
		cause += fmt.Sprint(api.Status, api.Code)
	}
	if network, ok := errors.AsType[*catalogue.NetworkError](err); ok {
		cause += fmt.Sprint(network.Fault)
	}
	if unusable, ok := errors.AsType[*catalogue.UnusableAnswerError](err); ok {
		cause += explain.Field(unusable.Place) // the places in a list differ from group to group
	}
	return cause
}

// reportFailures says what failed: one diagnostic for a fault, and one for each other cause, on the
// first element that has it. groups is how many groups there are, and latest whether their latest models are read.
func (r *blockRead) reportFailures(fault error, list []failure, groups int, latest bool) {
	shared := ""
	if fault != nil {
		problem := r.diagnose(fault, explain.Subject{})
		if down, ok := errors.AsType[*fleetError](fault); ok {
			problem = explain.Extended(problem, down.howFar())
		}
		r.diags.Append(problem)
		if errors.Is(fault, context.Canceled) {
			return
		}
		shared = causeOf(problem.Summary(), fault)
	}
	// By their causes, in the order of the first failure of each.
	var order []string
	alike := map[string][]failure{}
	for _, f := range list {
		c := causeOf(f.explained(latest).Summary(), f.err)
		if c == shared {
			continue
		}
		if alike[c] == nil {
			order = append(order, c)
		}
		alike[c] = append(alike[c], f)
	}
	for _, c := range order {
		r.diags.Append(together(r.once(alike[c][0], latest), alike[c], groups))
	}
}

// once returns the diagnostic of one failure, a short one if another block has reported the cause in full.
func (r *blockRead) once(f failure, latest bool) diag.Diagnostic {
	by := r.connection.explainer
	if problem, ok := errors.AsType[*groupError](f.err); ok {
		source := explain.Source(r.fullName(), f.id) + problem.which
		return by.Once(problem.alike, source, f.explained(latest), problem.brief)
	}
	return by.Explain(f.err, r.fullName(), f.subject(latest))
}

func (f failure) subject(latest bool) explain.Subject {
	return explain.Subject{Path: f.at, Value: f.id, OfLatest: latest}
}

// explained returns the diagnostic of one failure, on the element that is at fault.
func (f failure) explained(latest bool) diag.Diagnostic {
	problem, ok := errors.AsType[*groupError](f.err)
	switch {
	case !ok:
		return explain.Error(f.err, f.subject(latest))
	case problem.argument == argDockerImage:
		return problem.on(path.Root(argDockerImages).AtMapKey(f.id))
	}
	return problem.on(f.at)
}

// together adds to the diagnostic of the first of several failures which others are like it.
func together(d diag.Diagnostic, alike []failure, groups int) diag.Diagnostic {
	detail := d.Detail()
	if others := alike[1:]; len(others) > 0 {
		lines := make([]string, 0, len(others))
		for _, f := range others {
			lines = append(lines, f.inAPhrase())
		}
		way := "the same way"
		if wordsDiffer(alike) {
			way = "with the same status and code; the service's words differ"
		}
		detail += fmt.Sprintf("\n\n%d more of %d groups failed %s:", len(others), groups, way) +
			explain.Bulleted(lines, alike[0].listedAtMost()-1)
	}
	at := alike[0].at
	if own, ok := d.(diag.DiagnosticWithPath); ok {
		at = own.Path()
	}
	if !at.Equal(path.Empty()) {
		return diag.NewAttributeErrorDiagnostic(at, d.Summary(), detail)
	}
	return diag.NewErrorDiagnostic(d.Summary(), detail)
}

// maxImages bounds the images that one message lists. It is more than explain.MaxIDs, because each has to be reviewed.
const maxImages = 100

// listedAtMost returns how many of the failures that are like this one are named.
func (f failure) listedAtMost() int {
	if problem, ok := errors.AsType[*groupError](f.err); ok && problem.argument == argDockerImage {
		return maxImages
	}
	return explain.MaxIDs
}

func (f failure) inAPhrase() string {
	if problem, ok := errors.AsType[*groupError](f.err); ok {
		return fmt.Sprintf("%q: %s", f.id, problem.short)
	}
	if odd := explain.Oddity(f.id); odd != "" && errors.Is(f.err, catalogue.ErrNotFound) {
		return fmt.Sprintf("%q (%s)", f.id, odd)
	}
	return fmt.Sprintf("%q", f.id)
}

// wordsDiffer reports whether the service said something different of some groups.
func wordsDiffer(alike []failure) bool {
	said := ""
	for i, f := range alike {
		api, ok := errors.AsType[*catalogue.APIError](f.err)
		if !ok || errors.Is(api, catalogue.ErrNotFound) { // whose cause is known
			return false
		}
		if i > 0 && api.Message != said {
			return true
		}
		said = api.Message
	}
	return false
}
