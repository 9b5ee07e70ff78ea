package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// pin is what a block asks for in one model group.
type pin struct {
	groupID  string
	revision int64
	image    *string // the image that was reviewed, nil if none is given
	follow   string  // the data source to use for the newest revision instead
}

// pinnedModel is one revision of a group, and the highest of them.
type pinnedModel struct {
	*catalogue.Model
	latest int64
}

// read reads the pinned model, and fails if its image is not the one that was reviewed. The id
// and the image are returned as they were given. A failure other than of the client is a *groupError.
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

// ofGroup returns a model with the id of its group as it was given.
func ofGroup(model *catalogue.Model, id string) *catalogue.Model {
	own := *model
	own.ModelGroupID = &id
	return &own
}

// names reports whether a model is of the pinned revision.
func (p pin) names(model *catalogue.Model) bool {
	return int64(*model.Revision) == p.revision
}

// pick finds the one model of the pinned revision.
func (p pin) pick(models []*catalogue.Model) (*pinnedModel, *groupError) {
	var found []*catalogue.Model
	var revisions []int64
	for _, model := range models {
		revisions = append(revisions, int64(*model.Revision))
		if p.names(model) {
			found = append(found, model)
		}
	}
	problem := &groupError{
		argument: "revision",
		summary:  explain.SummaryRevisionNotFound,
		alike:    explain.SummaryRevisionNotFound,
		which:    fmt.Sprintf(", revision %d", p.revision),
	}
	switch {
	case len(found) == 1:
		return &pinnedModel{Model: found[0], latest: slices.Max(revisions)}, nil
	case len(found) > 1:
		return nil, severalModels("revision", p.groupID, p.revision, len(found))
	case len(revisions) == 0:
		problem.detail = fmt.Sprintf("Model group %q has no revision %d: it has no models yet, or the service leaves them "+
			"out because they are archived. Wait for the publisher of the group, or read another group.",
			p.groupID, p.revision)
		problem.short = "no models yet"
		problem.alike = problem.short
		problem.brief = fmt.Sprintf("Model group %q has no models yet.", explain.ShortID(p.groupID))
	default:
		problem.detail = explain.Paragraphs(
			fmt.Sprintf("Model group %q has no revision %d. It has: %s.", p.groupID, p.revision, listed(revisions)),
			mayLackArchived(models), "Set revision to one of these. To follow the newest, use "+p.follow+".")
		problem.short = fmt.Sprintf("no revision %d; it has %s", p.revision, listed(revisions))
		problem.brief = fmt.Sprintf("Model group %q has %s.", explain.ShortID(p.groupID), problem.short)
	}
	return nil, problem
}

// mayLackArchived says that a list may not have every revision, or returns "" if it has archived ones.
func mayLackArchived(models []*catalogue.Model) string {
	if slices.ContainsFunc(models, func(model *catalogue.Model) bool { return orZero(model.Archived) }) {
		return ""
	}
	return "Archived revisions may be missing here, because the service may leave them out."
}

// listed names revisions, the newest first.
func listed(revisions []int64) string {
	slices.Sort(revisions)
	var names []string
	for _, revision := range slices.Backward(slices.Compact(revisions)) {
		names = append(names, strconv.FormatInt(revision, 10))
	}
	return strings.Join(explain.First(explain.MaxIDs, names), ", ")
}

// severalModels returns the error if a block must name one image, and the catalogue
// does not say which of several models is meant.
func severalModels(argument, groupID string, revision int64, count int) *groupError {
	return &groupError{
		argument: argument, summary: explain.SummarySeveralModels,
		detail: fmt.Sprintf("The catalogue lists %d models of revision %d in model group %q, so the revision "+
			"does not identify one. Ask the publisher of the group to correct it.", count, revision, groupID),
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
	both := func(indent string) string {
		return fmt.Sprintf("%sgiven:   %q\n%sservice: %q", indent, redact.Shorten(*p.image, maxImage),
			indent, redact.Shorten(*image, maxImage))
	}
	return &groupError{
		argument: argDockerImage, summary: explain.SummaryImageDiffers,
		detail: explain.Paragraphs(
			fmt.Sprintf("Revision %d of model group %q has another image than the one given.", p.revision, p.groupID),
			both("  "), cmp.Or(imageHint(*p.image, *image), republished(model)),
			"If the service's image is right, give that one. If not, correct the revision or the image."),
		short: fmt.Sprintf("revision %d\n%s", p.revision, both("      ")),
	}
}

// imageHint says in a sentence what is odd about an image that was given, or returns "".
func imageHint(given, has string) string {
	switch {
	case strings.TrimSpace(given) != given:
		return "The image that was given has white space around it."
	case strings.Contains(given, "://"):
		return "The image that was given has a scheme; leave out the part up to ://."
	case strings.EqualFold(given, has):
		return "The two differ only in upper and lower case."
	}
	for _, r := range given {
		if r > '~' {
			return fmt.Sprintf("The image that was given has the character %q (%U) in it, which no image name can have.", r, r)
		}
	}
	return ""
}

// republished says if a revision was changed after it was published, which explains another image.
func republished(model *catalogue.Model) string {
	created, errCreated := time.Parse(time.RFC3339, orZero(model.CreatedAt))
	updated, errUpdated := time.Parse(time.RFC3339, orZero(model.UpdatedAt))
	switch {
	case errCreated != nil || errUpdated != nil:
		return ""
	case updated.After(created):
		return fmt.Sprintf("The revision may have been re-published in place: the service says that it last changed at %s.",
			*model.UpdatedAt)
	}
	return "The service says that the revision has not changed since it was published: check the image that was given."
}

// withheld returns the error if there is no image to compare with.
func (p pin) withheld(model *catalogue.Model) *groupError {
	owner := "null"
	if model.IsOwner != nil {
		owner = strconv.FormatBool(*model.IsOwner)
	}
	return &groupError{
		argument: argDockerImage, summary: explain.SummaryImageWithheld,
		detail: fmt.Sprintf("The image of revision %d of model group %q is withheld, so it cannot be compared with the "+
			"one given, %q.\n\nThe service shows images only to members of the organisation that owns the model; is_owner is "+
			"%s for these credentials.\n\nUse credentials of that organisation, or do not give the image. If is_owner is "+
			"true, ask the publisher of the group.", p.revision, p.groupID, redact.Shorten(*p.image, maxImage), owner),
		short: fmt.Sprintf("revision %d", p.revision),
	}
}

// sameText compares a text of a configuration with one of the service. Engines
// normalise the former to NFC.
func sameText(configured, served string) bool {
	return norm.NFC.String(configured) == norm.NFC.String(served)
}

// withdrawal says how the revision is withdrawn, "" if it is not. A
// setting that the service left out withdraws nothing.
func (m *pinnedModel) withdrawal() string {
	var how []string
	if orZero(m.Archived) {
		how = append(how, "archived")
	}
	if m.Enabled != nil && !*m.Enabled {
		how = append(how, "disabled")
	}
	text := strings.Join(how, " and ")
	if text != "" && int64(*m.Revision) != m.latest {
		text += fmt.Sprintf(" (the latest is %d)", m.latest)
	}
	return text
}

// withdrawnNext is what to do about pins that are withdrawn.
const withdrawnNext = "The read goes on. Pin another revision, or set accept_withdrawn = true to silence this warning."
