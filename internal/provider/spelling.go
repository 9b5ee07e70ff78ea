package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// oneSpelling validates that an argument does not name a model group by two spellings of its id: two pins of one
// group, for example, would deploy it twice.
type oneSpelling struct{ undescribed }

// ValidateList checks the elements.
func (oneSpelling) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	ids := make([]string, 0, len(req.ConfigValue.Elements()))
	for _, element := range req.ConfigValue.Elements() {
		ids = append(ids, asText(element))
	}
	checkSpellings(&resp.Diagnostics, ids, req.Path.AtListIndex)
}

// ValidateMap checks the keys.
func (oneSpelling) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	ids := slices.Sorted(maps.Keys(req.ConfigValue.Elements()))
	checkSpellings(&resp.Diagnostics, ids, func(i int) path.Path { return req.Path.AtMapKey(ids[i]) })
}

// checkSpellings reports the ids that are spelled in two ways, on the first of them. An empty one is not known yet.
func checkSpellings(diags *diag.Diagnostics, ids []string, at func(int) path.Path) {
	known := map[string]string{}
	var twice mistakes
	for i, id := range ids {
		key := catalogue.IDKey(id)
		other, isKnown := known[key]
		switch {
		case !isKnown:
			known[key] = id
		case other != id:
			twice.add(at(i), explain.Quoted(other)+" and "+explain.Quoted(id))
		}
	}
	if twice.sentences != nil {
		diags.AddAttributeError(twice.first, explain.SummaryInvalidID, "A model group is named in two spellings:"+
			explain.Bulleted(twice.sentences, explain.MaxIDs)+"\n\nIds that differ only in upper and lower case are "+
			"the same. Leave one of the two out.")
	}
}
