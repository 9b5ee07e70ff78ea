package sandbox

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/imageref"
)

// checkModel adds the mistakes in a model of a group that a schema cannot find: those of checkInGroup, an impossible
// image, a time horizon that is not among those of the catalogue, if it has any, and the name of a group in place of
// its id.
func (e *TextErrors) checkModel(at jsontext.Pointer, fields object, groupID string, in *Catalogue) {
	e.checkInGroup(at, fields, groupID)
	image := fields.text("dockerImage")
	if _, err := imageref.Parse(image); err != nil && image != "" {
		const form = "%.200q is not a container image such as registry.example/team/model:1.2.3: %s"
		e.add(at+"/dockerImage", form, image, err)
	}
	horizon := parseObject(fields["horizon"]).text("key")
	if horizon != "" && len(in.horizons) > 0 && !slices.Contains(in.horizons, horizon) {
		known := prose(in.horizons, "and")
		e.add(at+"/horizon/key", "%q is not a time horizon of the catalogue, which has %s", horizon, known)
	}
	for i, raw := range elements(fields["defaultComparisonModels"]) {
		e.checkNoName(element(at+"/defaultComparisonModels", i), object{"id": raw}.text("id"), in)
	}
}

// checkNoName refuses the name of a group in place of its id. Any other text may be the id of an absent group.
func (e *TextErrors) checkNoName(at jsontext.Pointer, id string, in *Catalogue) {
	var named string
	for _, g := range in.groups {
		switch id {
		case "", g.ID:
			return
		case g.Stated.text("name"):
			named = g.ID
		}
	}
	if named != "" {
		e.add(at, "%q is the name of a group; its id is %q", id, named)
	}
}
