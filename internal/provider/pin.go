package provider

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// pin is what a block asks for in one model group.
type pin struct {
	groupID  string
	revision int64
	image    *string // the image that was reviewed, nil where none is given
	follow   string  // the data source to use for the newest revision instead
}

// pinnedModel is one revision of a group, and the highest of them.
type pinnedModel struct {
	*catalogue.Model
	latest int64
}

// read reads the pinned model, and fails where its image is not the one that was reviewed. The id
// and the image are told as they were given. A failure other than of the client is a *groupError.
func (p pin) read(ctx context.Context, client *catalogue.Client) (*pinnedModel, error) {
	models, err := client.ModelsWith(ctx, p.groupID, func(models []*catalogue.Model) bool {
		return slices.ContainsFunc(models, p.names)
	})
	if err != nil {
		return nil, err
	}
	model, problem := p.pick(models)
	if problem == nil {
		problem = p.reviewed(model.Model)
	}
	if problem != nil {
		return nil, problem
	}
	model.Model = ofGroup(model.Model, p.groupID)
	if p.image != nil {
		model.DockerImage = p.image
	}
	return model, nil
}

// ofGroup is a model with the id of its group as it was given.
func ofGroup(model *catalogue.Model, id string) *catalogue.Model {
	own := *model
	own.ModelGroupID = &id
	return &own
}

// names tells whether a model is of the pinned revision.
func (p pin) names(model *catalogue.Model) bool {
	return model.Revision != nil && int64(*model.Revision) == p.revision
}

// pick finds the one model of the pinned revision.
func (p pin) pick(models []*catalogue.Model) (*pinnedModel, *groupError) {
	var found []*catalogue.Model
	var revisions []int64
	for _, model := range models {
		if model.Revision == nil {
			continue
		}
		revisions = append(revisions, int64(*model.Revision))
		if p.names(model) {
			found = append(found, model)
		}
	}
	switch {
	case len(found) == 1:
		return &pinnedModel{Model: found[0], latest: slices.Max(revisions)}, nil
	case len(found) > 1:
		return nil, severalModels("revision", p.groupID, p.revision, len(found))
	case len(revisions) == 0:
		return nil, &groupError{
			argument: "revision", summary: explain.SummaryRevisionNotFound,
			detail: fmt.Sprintf("Model group %q has no models yet, or the service lists none because they are "+
				"archived. So there is no revision %d. Wait for the publisher of the group, or read another "+
				"group.", p.groupID, p.revision),
			short: "no models yet",
		}
	default:
		return nil, &groupError{
			argument: "revision", summary: explain.SummaryRevisionNotFound,
			detail: fmt.Sprintf("Model group %q has no revision %d. It has: %s. One that was archived may be "+
				"missing there, because the service may leave archived revisions out.\n\nGive one of these as "+
				"revision. To follow the newest, use %s.", p.groupID, p.revision, listed(revisions), p.follow),
			short: fmt.Sprintf("no revision %d, but %s", p.revision, listed(revisions)),
		}
	}
}

// severalModels is the error where a block must name one image, and nothing
// tells which of several models is meant.
func severalModels(argument, groupID string, revision int64, count int) *groupError {
	return &groupError{
		argument: argument, summary: explain.SummarySeveralModels,
		detail: fmt.Sprintf("The catalogue lists %d models of revision %d in model group %q, so the revision "+
			"names no single one. Ask the publisher of the group to mend it.", count, revision, groupID),
		short: fmt.Sprintf("%d models of revision %d", count, revision),
	}
}

// maxImage bounds an image in a message. A reference with a registry, a tag and
// a sha512 digest is shorter.
const maxImage = 600

// reviewed compares a model's image with the one that was reviewed, if any.
func (p pin) reviewed(model *catalogue.Model) *groupError {
	if p.image == nil {
		return nil
	}
	image := shownImage(model.DockerImage)
	if image == nil {
		return p.withheld(model)
	}
	if sameText(*p.image, *image) {
		return nil
	}
	given, has := redact.Shorten(*p.image, maxImage), redact.Shorten(*image, maxImage)
	changed := "Its publisher may have re-published it in place."
	if model.UpdatedAt != nil {
		changed = fmt.Sprintf("Its publisher may have re-published it in place; the service says that it last changed at "+
			"%s.", explain.Abridged(*model.UpdatedAt))
	}
	return &groupError{
		argument: argDockerImage, summary: explain.SummaryImageDiffers,
		detail: fmt.Sprintf("Revision %d of model group %q has another image than the one given.\n\n"+
			"  given:   %q\n  service: %q\n\n%s\n\n"+
			"If that image is right, give it in place of the old one. If not, correct the revision or the image.",
			p.revision, p.groupID, given, has, changed),
		short: fmt.Sprintf("revision %d: given %q, the service has %q", p.revision, given, has),
	}
}

// withheld is the error where there is no image to compare with.
func (p pin) withheld(model *catalogue.Model) *groupError {
	why := "The service shows it only to members of the organisation that owns the model, and does not say whether " +
		"these credentials are of that one (is_owner is null)."
	next := "Use credentials of the organisation that owns the model, or do not give the image."
	switch owner := model.IsOwner; {
	case owner != nil && *owner:
		why = "The service names none, although these credentials are of the organisation that owns the model " +
			"(is_owner is true)."
		next = "Ask the publisher of the group, or do not give the image."
	case owner != nil:
		why = "The service shows it only to members of the organisation that owns the model, and these credentials " +
			"are of another one (is_owner is false)."
	}
	return &groupError{
		argument: argDockerImage, summary: explain.SummaryImageWithheld,
		detail: fmt.Sprintf("The image of revision %d of model group %q is withheld, so it cannot be compared with the "+
			"one given, %q.\n\n%s\n\n%s", p.revision, p.groupID, redact.Shorten(*p.image, maxImage), why, next),
		short: fmt.Sprintf("revision %d", p.revision),
	}
}

// sameText compares a text of a configuration with one of the service. Engines
// normalise the former to NFC.
func sameText(configured, served string) bool {
	return norm.NFC.String(configured) == norm.NFC.String(served)
}

// withdrawal says in words how the revision is withdrawn, "" where it is not. A
// setting that the service left out withdraws nothing.
func (m *pinnedModel) withdrawal() string {
	archived := m.Archived != nil && *m.Archived
	disabled := m.Enabled != nil && !*m.Enabled
	switch {
	case archived && disabled:
		return "archived and disabled"
	case archived:
		return "archived"
	case disabled:
		return "disabled"
	}
	return ""
}

// newer names the latest revision, "" where that is the pinned one.
func (m *pinnedModel) newer() string {
	if int64(*m.Revision) == m.latest {
		return ""
	}
	return fmt.Sprintf(" (the latest is %d)", m.latest)
}

// What to do about pins that are withdrawn.
const (
	withdrawnNext = "It can still be read, so the plan goes on. Pin another revision, or set accept_withdrawn = true " +
		"to keep this one without the warning."
	withdrawnFleetNext = "They can still be read, so the plan goes on. Pin other revisions, or set " +
		"accept_withdrawn = true to keep these without the warning."
)

// maxListed bounds the revisions listed in a message.
const maxListed = 100

// listed names revisions, the newest first.
func listed(revisions []int64) string {
	slices.Sort(revisions)
	slices.Reverse(revisions)
	revisions = slices.Compact(revisions)
	names := make([]string, 0, min(len(revisions), maxListed+1))
	for _, revision := range revisions[:min(len(revisions), maxListed)] {
		names = append(names, strconv.FormatInt(revision, 10))
	}
	if more := len(revisions) - maxListed; more > 0 {
		names = append(names, fmt.Sprintf("and %d older ones, down to %d", more, revisions[len(revisions)-1]))
	}
	return strings.Join(names, ", ")
}
