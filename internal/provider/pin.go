package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/imageref"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// pin is one pinned revision of a block.
type pin struct {
	groupID  string
	revision int64
	image    *string // the reviewed image, or nil
}

// pinnedModel is a model with the highest revision of its group. latest and isLatest are nil if they are unknown,
// because the service sent a record without a readable revision.
type pinnedModel struct {
	*catalogue.Model
	latest   *int64
	isLatest *bool
}

// read reads the pinned model, and fails if its image is not the reviewed one. It returns the group's id and the image
// as configured. Errors are those of the client, or a *groupError.
func (p pin) read(ctx context.Context, client *catalogue.Client) (*pinnedModel, error) {
	models, err := client.Models(ctx, p.groupID)
	if err != nil {
		return nil, err
	}
	model, err := p.pick(models)
	if err != nil {
		return nil, err
	}
	if problem := p.reviewed(model.Model); problem != nil {
		return nil, problem
	}
	model.Model = ofGroup(model.Model, p.groupID)
	if p.image != nil {
		model.DockerImage = p.image
	}
	return model, nil
}

// ofGroup returns a copy of a model with the id of its group as configured.
func ofGroup(model *catalogue.Model, id string) *catalogue.Model {
	own := *model
	own.ModelGroupID = &id
	return &own
}

// pick returns the only model of the pinned revision. Records of other revisions may be malformed.
func (p pin) pick(models []*catalogue.Model) (*pinnedModel, error) {
	var found []*catalogue.Model
	var unread *catalogue.Model
	latest := p.revision
	for _, model := range models {
		switch {
		case model.Revision == nil:
			unread = model
		case isRevision(model, p.revision):
			found = append(found, model)
		default:
			latest = max(latest, int64(*model.Revision))
		}
	}
	switch {
	case len(found) == 1:
		return p.among(found[0], latest, unread == nil), found[0].Err
	case len(found) > 1:
		return nil, severalModels("revision", p.groupID, p.revision, len(found))
	case unread != nil:
		return nil, unread.Err // it may be the pinned one
	}
	return nil, p.notFound(models)
}

// among compares the pinned model with the highest known revision of its group. all reports whether every revision is
// known.
func (p pin) among(model *catalogue.Model, latest int64, all bool) *pinnedModel {
	result := &pinnedModel{Model: model}
	if all {
		result.latest = &latest
	}
	if all || p.revision < latest {
		result.isLatest = new(p.revision == latest)
	}
	return result
}

// notFound returns the error for a revision that the group lacks.
func (p pin) notFound(models []*catalogue.Model) *groupError {
	phrase := fmt.Sprintf("no revision %d; it has %s", p.revision, revisionNames(models))
	next := "Pin a revision that it has, or leave the group out until it has one. To follow the newest, use " +
		"modelcatalogue_latest_model, or modelcatalogue_latest_models for many groups."
	if len(models) == 0 {
		next = "Wait until it has a revision, or leave the group out until then."
	}
	return &groupError{
		summary: explain.SummaryRevisionNotFound,
		path:    path.Root("revision"),
		detail: explain.Paragraphs(
			fmt.Sprintf("Model group %q has %s.", p.groupID, phrase), mayLackArchived(models), next),
		phrase: phrase,
	}
}

// mayLackArchived returns a sentence about archived revisions that may be missing from a list, or "" if it has some.
func mayLackArchived(models []*catalogue.Model) string {
	if slices.ContainsFunc(models, func(model *catalogue.Model) bool { return orZero(model.Archived) }) {
		return ""
	}
	return "Archived revisions may be missing here, because the service may leave them out."
}

// revisionNames lists the revisions of models, the newest first, each once.
func revisionNames(models []*catalogue.Model) string {
	var names []string
	for _, model := range slices.SortedFunc(slices.Values(models), newestFirst) {
		if model.Revision != nil {
			names = append(names, fmt.Sprint(*model.Revision))
		}
	}
	return cmp.Or(explain.JoinFirst(slices.Compact(names), ", "), "no models")
}

// severalModels returns the error for several models of one revision: a block can read only one.
func severalModels(argument, group string, revision int64, count int) *groupError {
	return &groupError{
		summary: explain.SummarySeveralModels,
		path:    path.Root(argument),
		detail: fmt.Sprintf("The catalogue lists %d models of revision %d in model group %q, so the revision does not "+
			"identify one. Ask the publisher of the group to correct it.", count, revision, group),
		phrase: fmt.Sprintf("%d models of revision %d", count, revision),
	}
}

// maxImage bounds an image in a message. A reference with a registry, a tag and a sha512 digest is shorter.
const maxImage = 600

// maxBriefImage bounds an image in a short message, so that each of the two has a line of an engine.
const maxBriefImage = 64

// reviewed compares a model's image with the reviewed one, if there is one.
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
	both := func(indent string) string { return bothImages(indent, *p.image, *image, maxImage) }
	what := fmt.Sprintf("Revision %d of model group %q has a different image than the one given.",
		p.revision, p.groupID)
	return &groupError{
		summary: explain.SummaryImageDiffers,
		path:    path.Root(argDockerImage),
		detail: explain.Paragraphs(what, both("  "), whyDifferent(*p.image, *image, model),
			"If the service's image is the right one, put it into the configuration. If not, correct the revision or "+
				"the image."),
		phrase: fmt.Sprintf("revision %d\n%s", p.revision, both("      ")),
		short:  bothImages("", *p.image, *image, maxBriefImage),
	}
}

// bothImages returns two images, one below the other. It shortens long ones to their ends, where tags and digests are,
// or to their beginnings if the ends are equal.
func bothImages(indent, given, service string, limit int) string {
	end := func(image string) string {
		letters := []rune(image)
		if len(letters) <= limit {
			return image
		}
		return "…" + string(letters[len(letters)-limit:])
	}
	if end(given) != end(service) {
		given, service = end(given), end(service)
	}
	return fmt.Sprintf("%sgiven:   %q\n%sservice: %q", indent, redact.Shorten(given, limit+1),
		indent, redact.Shorten(service, limit+1))
}

// whyDifferent returns a likely reason for a different image, or "".
func whyDifferent(given, has string, model *catalogue.Model) string {
	one, err := imageref.Parse(given)
	if err != nil {
		return fmt.Sprintf("The image that was given is not a container image reference: %s.", err)
	}
	other, err := imageref.Parse(has)
	if err != nil {
		return fmt.Sprintf("The service's image is not a container image reference: %s.", err)
	}
	same, butForDigest := imageref.Compare(one, other)
	switch {
	case same:
		return "The two name the same image, spelled in two ways."
	case butForDigest:
		return explain.Paragraphs("They differ in the digest only.", republished(model))
	}
	return republished(model)
}

// republished reports, in a sentence, whether a revision was changed after its publication, or returns "" if its dates
// are not readable. A change explains a different image.
func republished(model *catalogue.Model) string {
	published, isPublished := parseTime(orZero(model.CreatedAt))
	changed, isChanged := parseTime(orZero(model.UpdatedAt))
	switch {
	case !isPublished || !isChanged:
		return ""
	case changed.After(published):
		return fmt.Sprintf("The revision may have been re-published in place: the service says that it last changed "+
			"at %s.", *model.UpdatedAt)
	}
	return "The service says that the revision has not changed since it was published: check the image that was " +
		"given."
}

// withheld returns the error for a model without an image to compare.
func (p pin) withheld(model *catalogue.Model) *groupError {
	isOwner := "null"
	if model.IsOwner != nil {
		isOwner = strconv.FormatBool(*model.IsOwner)
	}
	why := "It is withheld: the service shows images only to members of the organisation that owns the model, and " +
		"for these credentials its is_owner is " + isOwner + "."
	next := "Use credentials of that organisation, ask the publisher of the group, or leave the image out."
	if orZero(model.IsOwner) {
		why = "The service names no image, though these credentials own the model."
		next = "Ask the publisher of the group, or leave the image out."
	}
	return &groupError{
		summary: explain.SummaryImageWithheld,
		path:    path.Root(argDockerImage),
		detail: explain.Paragraphs(
			fmt.Sprintf("The image of revision %d of model group %q cannot be compared with the one given, %q.",
				p.revision, p.groupID, redact.Shorten(*p.image, maxImage)), why, next),
		phrase: fmt.Sprintf("revision %d (is_owner is %s)", p.revision, isOwner),
	}
}

// otherLatest returns a note with the latest revision, or "" if the pinned one is the latest or that is unknown.
func (m *pinnedModel) otherLatest() string {
	if m.latest == nil || isRevision(m.Model, *m.latest) {
		return ""
	}
	return fmt.Sprintf(" (the latest is %d)", *m.latest)
}
