package provider

import (
	"fmt"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// standing says whether a model meets conditions.
type standing int

const (
	met       standing = iota
	undecided          // the service leaves open what is asked for, or spells it almost as it is asked for
	unmet
)

// finding is how a model meets one condition, or one part of it, and the service's words about that.
type finding struct {
	standing standing
	words    string // a clause about the model
}

// verdict is the findings of all conditions on a model, without those that are met.
type verdict []finding

// standing returns the worst of the findings: one unmet condition rules a model out, even if others are undecided.
func (v verdict) standing() standing {
	worst := met
	for _, f := range v {
		worst = max(worst, f.standing)
	}
	return worst
}

// words returns the clauses of the findings, the first of them.
func (v verdict) words() string {
	clauses := make([]string, len(v))
	for i, f := range v {
		clauses[i] = f.words
	}
	return explain.JoinFirst(clauses, "; ")
}

// judge holds one record of a model against the conditions, at a moment. The error of a wrong record says what cannot
// be read of it.
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

// ofFlag holds a setting against a condition on it.
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

// ofMode holds a run mode against a condition on it.
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

// ofTags compares the tags of a model with those it must have. An empty list means that it is not tagged. An empty
// element is no tag.
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

// likest returns the tag of a model that is most like the one it must have, and whether it is that one.
func likest(tag string, has []*string) (like string, best standing) {
	best = unmet
	for _, other := range has {
		if found := standingOf(tag, orZero(other)); found < best {
			like, best = orZero(other), found
		}
	}
	return like, best
}

// ofAge compares the age of a model with the least one. A model that is too young by one of its dates is ruled out,
// even if the other is missing or old enough.
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
