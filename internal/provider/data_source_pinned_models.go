package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// pinnedModelsSchema describes modelcatalogue_pinned_models.
func pinnedModelsSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads one revision of each of many model groups at once, archived ones too if " +
			"the service lists them, and whether each is the latest. It warns if some are archived or disabled.",
		Attributes: map[string]schema.Attribute{
			argRevisions: schema.MapAttribute{
				MarkdownDescription: "The revision to read of each model group, by model group id. The first " +
					"revision of a group can be `0`. A missing one is an error. An empty map reads nothing.",
				Required:    true,
				ElementType: types.NumberType,
				Validators:  []validator.Map{countRule},
			},
			argDockerImages: schema.MapAttribute{
				MarkdownDescription: "The container image reference you reviewed, by model group id, for any of the " +
					"groups in `revisions`. The read fails if the service has a different image or withholds it; one " +
					"plan names all such groups, up to a hundred.",
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Map{notEmpty(explain.SummaryInvalidImage), imagesOfPins{}},
			},
			argAcceptWithdrawn: acceptWithdrawnAttribute(),
			argAttributes:      attributesArgument(pinnedModelAttributes(), "models"),
			"models": recordMap("The pinned model of each group, by model group id.", "model",
				pinnedModelAttributes()),
		},
	}
}

// The arguments by model group id.
const (
	argRevisions    = "revisions"
	argDockerImages = "docker_images"
)

type pinnedModelsState struct {
	Revisions       map[string]int64             `tfsdk:"revisions"`
	DockerImages    map[string]string            `tfsdk:"docker_images"`
	AcceptWithdrawn *bool                        `tfsdk:"accept_withdrawn"`
	Attributes      []string                     `tfsdk:"attributes"`
	Models          map[string]*pinnedModelState `tfsdk:"models"`
}

func readPinnedModels(ctx context.Context, r *blockRead, state *pinnedModelsState) {
	var members []*member
	for _, id := range slices.Sorted(maps.Keys(state.Revisions)) {
		members = append(members, &member{id: id, at: path.Root(argRevisions).AtMapKey(id)})
	}
	images := map[string]*string{}
	for id, image := range state.DockerImages {
		images[catalogue.IDKey(id)] = &image
	}
	models := make([]*pinnedModel, len(members))
	far, fault := readFleet(ctx, members, func(ctx context.Context, i int) (err error) {
		id := members[i].id
		wanted := pin{groupID: id, revision: state.Revisions[id], image: images[catalogue.IDKey(id)]}
		models[i], err = wanted.read(ctx, r.client)
		return err
	})
	r.reportFailures(members, far, fault, false)
	if r.diags.HasError() {
		return
	}
	var found withdrawn
	state.Models = make(map[string]*pinnedModelState, len(members))
	for i, model := range models {
		found.add(model.Model, nil, model.otherLatest())
		state.Models[members[i].id] = newPinnedModelState(model, state.Attributes)
	}
	found.warn(r, state.AcceptWithdrawn, path.Root(argRevisions), pinAnother)
}
