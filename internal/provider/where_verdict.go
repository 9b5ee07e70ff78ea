package provider

import (
	"fmt"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// standing is the result of a condition, better ones first.
type standing int

const (
	met       standing = iota
	undecided          // the service does not state the value, or almost states the wanted one
	unmet
)

// finding is the result of one condition, or of one part of it, with its reason.
type finding struct {
	standing standing
	words    string // a clause about the model
}

// verdict is the findings on a model, except those that are met.
type verdict []finding

// standing returns the worst of the findings: one unmet condition rules a model out, even if others are undecided.
func (v verdict) standing() standing {
	worst := met
	for _, f := range v {
		worst = max(worst, f.standing)
	}
	return worst
}

// words joins the clauses of the first findings.
func (v verdict) words() string {
	clauses := make([]string, len(v))
	for i, f := range v {
		clauses[i] = f.words
	}
	return explain.JoinFirst(clauses, "; ")
}

// judge checks one record of a model against the conditions, at a moment. A malformed record is never undecided: its
// own error explains the unreadable fields.
func (w *whereState) judge(model *catalogue.Model, now time.Time) verdict {
	if w == nil {
		return nil
	}
	found := slices.Concat(
		ofFlag(w.Enabled, model.Enabled, "enabled", "disabled"),
		ofFlag(w.Archived, model.Archived, "archived", "not archived"),
		ofTags(w.Tags, model.Tags),
		ofMode(w.RunMode, model.RunMode),
		w.ofAge(model, now))
	return slices.DeleteFunc(found, func(f finding) bool {
		return f.standing == met || f.standing == undecided && model.Err != nil
	})
}

// ofFlag checks a setting.
func ofFlag(want, has *bool, yes, no string) verdict {
	switch {
	case want == nil || has != nil && *has == *want:
		return nil
	case has == nil:
		return verdict{{undecided, "the service does not say whether it is " + yes}}
	case *has:
		return verdict{{unmet, "it is " + yes}}
	default:
		return verdict{{unmet, "it is " + no}}
	}
}

// ofMode checks a run mode.
func ofMode(want, has *string) verdict {
	if want == nil {
		return nil
	}
	if bare(orZero(has)) == "" {
		return verdict{{undecided, "the service does not say its run_mode"}}
	}
	words := fmt.Sprintf("its run_mode is %s, not %s", explain.Quoted(orZero(has)), explain.Quoted(*want))
	return verdict{{standingOf(*want, orZero(has)), words}}
}

// ofTags checks the tags of a model. An empty list is a model without tags. An empty element is not a tag.
func ofTags(want []string, has []*string) (found verdict) {
	areSaid := has != nil && len(has) == 0
	for _, tag := range has {
		areSaid = areSaid || bare(orZero(tag)) != ""
	}
	if len(want) > 0 && !areSaid {
		return verdict{{undecided, "the service does not say its tags"}}
	}
	for _, tag := range want {
		like, how := likest(tag, has)
		words := "it lacks the tag " + explain.Quoted(tag)
		if how == undecided {
			words = fmt.Sprintf("it has the tag %s, not %s", explain.Quoted(like), explain.Quoted(tag))
		}
		found = append(found, finding{how, words})
	}
	return found
}

// likest returns the tag of a model nearest to a wanted one, and how well it matches.
func likest(tag string, has []*string) (like string, best standing) {
	best = unmet
	for _, other := range has {
		if found := standingOf(tag, orZero(other)); found < best {
			like, best = orZero(other), found
		}
	}
	return like, best
}

// ofAge checks the age of a model. One of its dates that is too young rules the model out, even if the other date is
// missing or old enough.
func (w *whereState) ofAge(model *catalogue.Model, now time.Time) (found verdict) {
	if w.MinAge == nil {
		return nil
	}
	published, problem := readDate("created_at", model.CreatedAt, now)
	if problem == "" && published.IsZero() {
		problem = fmt.Sprintf("its created_at is %q, which is before any publication", *model.CreatedAt)
	}
	changed, another := readDate("updated_at", model.UpdatedAt, now) // zero if it never was
	if problem != "" && another != "" {
		problem += ", and "
	}
	if problem += another; problem != "" {
		found = verdict{{undecided, "min_age cannot be checked: " + problem}}
	}
	if changed.After(published) {
		published = changed
	}
	least, _ := parseAge(*w.MinAge) // validated
	if from := published.Add(least); now.Before(from) {
		oldAt := from.UTC().Format("2006-01-02 15:04:05 MST")
		found = append(found, finding{unmet, "it will be old enough at " + oldAt})
	}
	return found
}
