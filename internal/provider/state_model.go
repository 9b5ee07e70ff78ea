package provider

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// argDockerImage is the argument with the reviewed image of a pin.
const argDockerImage = "docker_image"

// modelAttributes returns the attributes of a model, all computed.
func modelAttributes() map[string]schema.Attribute {
	return with(modelValueAttributes(), map[string]schema.Attribute{
		"horizon": horizonAttribute("The model's forecast time horizon."),
		"output_variables": listOf(
			"The model's output variables, with their colours in charts.",
			outputVariableAttributes()),
		"output_specification": computedStrings("Deprecated by the service, which always sends an empty list. Use " +
			"`output_variables`."),
		"inputs": listOf("The model's inputs. Null if the service names none.",
			inputAttributes()),
		"datasets": listOf("The model's datasets. Null if the service names none.",
			datasetAttributes()),
		"tags": computedStrings("The model's tags, such as `offshore`."),
		"sensitivities": listOf("The model's sensitivity configurations, such as `gas_up` for a higher gas price.",
			namedRecordAttributes("sensitivity", "gas_up", "Gas price +10 %")),
		"axes": listOf("The model's axes, in declared order. A query of the service's latest run selects a variant by "+
			"one `axis=key:value` for each.", modelAxisAttributes()),
		"input_aggregations": listOf("The model's input aggregations, such as `daily_mean`.",
			namedRecordAttributes("input aggregation", "daily_mean", "Daily mean")),
		"forecast_variable": keyedNameAttribute("The variable being forecast.",
			"The variable's name, such as `Day-ahead price`.",
			"The variable's short name, such as `DA price`.",
			"The variable's key, such as `day_ahead_price`."),
		"default_comparison_models": computedStrings("The ids of the model groups with which the service's user " +
			"interface compares the model by default."),
	})
}

// modelValueAttributes returns the attributes of a model with one value each.
func modelValueAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":             computedString("The model's unique identifier, one for each revision."),
		"model_group_id": computedString("The id of the model's group."),
		"name":           computedString("The model's stable identifier slug, such as `de-lu-day-ahead-price`."),
		"display_name":   computedString("The model's human-readable name."),
		"notes":          computedString("The publisher's notes, or null unless your organisation owns the model."),
		"description":    computedString("A short human-readable description."),
		"revision": computedInt64("The model's revision number, higher with each publication in the group. The first " +
			"can be `0`."),
		argDockerImage: computedString("The model's container image reference, or null unless your organisation owns " +
			"the model. It can change by a re-publication in place."),
		"created_at": computedString("The ISO 8601 timestamp of the revision's creation."),
		"updated_at": computedString("The ISO 8601 timestamp of the last re-publication or change of settings. The " +
			"revision stays the same in both cases."),
		"run_mode": computedString("The way the model runs: `AUTOMATIC` on a schedule, `ON_DEMAND` only by request."),
		"model_metadata": computedString("Free-form metadata as compact JSON of any type, with every digit kept, for " +
			"`jsondecode`."),
		"archived": computedBool("Whether the model is archived. The latest revision of a group can be."),
		"enabled": computedBool("Whether the model runs according to its configuration. A disabled one does not " +
			"run."),
		"output_file_format": computedString("The format of run output: `json`, `csv` or `parquet`."),
		"display_timezone": computedString("The IANA time zone of displayed forecast results, such as " +
			"`Europe/Berlin`."),
		"is_owner": computedBool("Whether your organisation owns the model. Otherwise `docker_image` and `notes` are " +
			"withheld."),
		"has_performance_metrics": computedBool("Whether the model has performance metrics that your organisation " +
			"can open."),
		"other_fields": otherFieldsAttribute("model",
			"New fields of a nested record are in its `json`, and are dropped if it has none."),
	}
}

func outputVariableAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name": computedString("The variable's name, such as `Price`."),
		"key":  computedString("The variable's key within the model, such as `price`."),
		"type": computedString("The type of the variable's values, such as `float`."),
		"series_key": computedBool("Whether the variable is a series key, `true` or `false`. The service's interface " +
			"does not define that."),
		"colours": computedStrings("The colours of the variable in charts, such as `#1f77b4`."),
	}
}

func inputAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":   computedString("The input's unique identifier."),
		"key":  computedString("The input's key within the model, such as `gas_price`."),
		"json": wholeRecord("input"),
	}
}

func datasetAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":               computedString("The dataset's unique identifier."),
		"key":              computedString("The dataset's key within the model, such as `spot_prices`."),
		"storage_location": computedString("The dataset's location, such as `s3://datasets/spot/`."),
		"source":           computedString("The dataset's source, such as `EPEX SPOT`."),
		"file_format":      computedString("The format of the dataset's files, such as `parquet`."),
		"json":             wholeRecord("dataset"),
	}
}

func modelAxisAttributes() map[string]schema.Attribute {
	return with(axisAttributes(), map[string]schema.Attribute{
		"values":  computedStrings("The axis's values as strings, spelled as an `axis=key:value` query takes them."),
		"default": computedString("The value for a query without the axis, spelled like `values`."),
	})
}

// namedRecordAttributes returns the attributes of a record with a name and open content.
func namedRecordAttributes(what, key, name string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":   computedString("The " + what + "'s unique identifier."),
		"key":  computedString("The " + what + "'s key within the model, such as `" + key + "`."),
		"name": computedString("The " + what + "'s name, such as `" + name + "`."),
		"json": wholeRecord(what),
	}
}

func wholeRecord(what string) schema.StringAttribute {
	return computedString("The whole " + what + " as compact JSON, for `jsondecode`.")
}

// otherFieldsAttribute keeps a field that a later version gives an attribute, because configurations read it there.
func otherFieldsAttribute(what, inside string) schema.StringAttribute {
	return computedString("The top-level fields of the " + what + " beyond the service's interface when this " +
		"provider was first written, as a compact JSON object, or null. A field stays here after a later version has " +
		"an attribute for it. Read one with `try(jsondecode(…).name, null)`. " + inside)
}

// otherFields returns the text of a JSON object, or nil.
func otherFields(fields []byte) *string {
	if fields == nil {
		return nil
	}
	return new(string(fields))
}

// modelState is the state of a model.
type modelState struct {
	ID                      *string                `tfsdk:"id"`
	ModelGroupID            *string                `tfsdk:"model_group_id"`
	Name                    *string                `tfsdk:"name"`
	DisplayName             *string                `tfsdk:"display_name"`
	Notes                   *string                `tfsdk:"notes"`
	Description             *string                `tfsdk:"description"`
	Revision                *int64                 `tfsdk:"revision"`
	DockerImage             *string                `tfsdk:"docker_image"`
	CreatedAt               *string                `tfsdk:"created_at"`
	UpdatedAt               *string                `tfsdk:"updated_at"`
	RunMode                 *string                `tfsdk:"run_mode"`
	Horizon                 *keyedNameState        `tfsdk:"horizon"`
	ModelMetadata           *string                `tfsdk:"model_metadata"`
	OutputVariables         []*outputVariableState `tfsdk:"output_variables"`
	OutputSpecification     []*catalogue.Scalar    `tfsdk:"output_specification"`
	Inputs                  []*inputState          `tfsdk:"inputs"`
	Datasets                []*datasetState        `tfsdk:"datasets"`
	Archived                *bool                  `tfsdk:"archived"`
	Enabled                 *bool                  `tfsdk:"enabled"`
	Tags                    []*string              `tfsdk:"tags"`
	Sensitivities           []*namedRecordState    `tfsdk:"sensitivities"`
	Axes                    []*modelAxisState      `tfsdk:"axes"`
	InputAggregations       []*namedRecordState    `tfsdk:"input_aggregations"`
	OutputFileFormat        *string                `tfsdk:"output_file_format"`
	DisplayTimezone         *string                `tfsdk:"display_timezone"`
	ForecastVariable        *keyedNameState        `tfsdk:"forecast_variable"`
	IsOwner                 *bool                  `tfsdk:"is_owner"`
	HasPerformanceMetrics   *bool                  `tfsdk:"has_performance_metrics"`
	DefaultComparisonModels []*string              `tfsdk:"default_comparison_models"`
	OtherFields             *string                `tfsdk:"other_fields"`
}

type outputVariableState struct {
	Name      *string             `tfsdk:"name"`
	Key       *string             `tfsdk:"key"`
	Type      *string             `tfsdk:"type"`
	SeriesKey *bool               `tfsdk:"series_key"`
	Colours   []*catalogue.Scalar `tfsdk:"colours"`
}

type inputState struct {
	ID   *string        `tfsdk:"id"`
	Key  *string        `tfsdk:"key"`
	JSON catalogue.JSON `tfsdk:"json"`
}

type datasetState struct {
	ID              *string        `tfsdk:"id"`
	Key             *string        `tfsdk:"key"`
	StorageLocation *string        `tfsdk:"storage_location"`
	Source          *string        `tfsdk:"source"`
	FileFormat      *string        `tfsdk:"file_format"`
	JSON            catalogue.JSON `tfsdk:"json"`
}

type namedRecordState struct {
	ID   *string        `tfsdk:"id"`
	Key  *string        `tfsdk:"key"`
	Name *string        `tfsdk:"name"`
	JSON catalogue.JSON `tfsdk:"json"`
}

type modelAxisState struct {
	Key         *string             `tfsdk:"key"`
	Kind        *string             `tfsdk:"kind"`
	Label       *string             `tfsdk:"label"`
	Description *string             `tfsdk:"description"`
	Type        *string             `tfsdk:"type"`
	Values      []*catalogue.Scalar `tfsdk:"values"`
	Default     *catalogue.Scalar   `tfsdk:"default"`
}

// newModelState maps the selected attributes of a model.
func newModelState(from *catalogue.Model, only selection) *modelState {
	state := &modelState{
		ID:                      from.ID,
		ModelGroupID:            from.ModelGroupID,
		Name:                    from.Name,
		DisplayName:             from.DisplayName,
		Notes:                   from.Notes,
		Description:             from.Description,
		Revision:                (*int64)(from.Revision),
		DockerImage:             shownImage(from.DockerImage),
		CreatedAt:               from.CreatedAt,
		UpdatedAt:               from.UpdatedAt,
		RunMode:                 from.RunMode,
		Horizon:                 (*keyedNameState)(from.Horizon),
		ModelMetadata:           (*string)(from.ModelMetadata),
		OutputVariables:         orEmpty(mapped(from.OutputVariables, newOutputVariableState)),
		OutputSpecification:     orEmpty(from.OutputSpecification),
		Inputs:                  mapped(from.Inputs, newInputState),     // may be null, as in the service
		Datasets:                mapped(from.Datasets, newDatasetState), // may be null, as in the service
		Archived:                from.Archived,
		Enabled:                 from.Enabled,
		Tags:                    orEmpty(from.Tags),
		Sensitivities:           orEmpty(mapped(from.Sensitivities, newNamedRecordState)),
		Axes:                    orEmpty(mapped(from.Axes, newModelAxisState)),
		InputAggregations:       orEmpty(mapped(from.InputAggregations, newNamedRecordState)),
		OutputFileFormat:        from.OutputFileFormat,
		DisplayTimezone:         from.DisplayTimezone,
		ForecastVariable:        (*keyedNameState)(from.ForecastVariable),
		IsOwner:                 from.IsOwner,
		HasPerformanceMetrics:   from.HasPerformanceMetrics,
		DefaultComparisonModels: orEmpty(from.DefaultComparisonModels),
		OtherFields:             otherFields(from.OtherFields),
	}
	only.clearOthers(state)
	return state
}

// shownImage returns the reference of an image, or nil if the service withholds it by a blank string. Null makes a
// required argument fail at plan time, and works with coalesce.
func shownImage(reference *string) *string {
	if strings.TrimSpace(orZero(reference)) == "" {
		return nil
	}
	return reference
}

func newOutputVariableState(from *catalogue.OutputVariable) *outputVariableState {
	state := outputVariableState(*from)
	state.Colours = orEmpty(state.Colours)
	return &state
}

func newInputState(from *catalogue.Input) *inputState { return (*inputState)(from) }

func newDatasetState(from *catalogue.Dataset) *datasetState { return (*datasetState)(from) }

func newNamedRecordState(from *catalogue.NamedRecord) *namedRecordState {
	return (*namedRecordState)(from)
}

func newModelAxisState(from *catalogue.ModelAxis) *modelAxisState {
	state := modelAxisState(*from)
	state.Values = orEmpty(state.Values)
	return &state
}

// sortedModelStates maps models, newest revision first, then by id.
func sortedModelStates(models []*catalogue.Model, only selection) []*modelState {
	sorted := slices.SortedStableFunc(slices.Values(models), newestFirst)
	return orEmpty(mapped(sorted, func(model *catalogue.Model) *modelState {
		return newModelState(model, only)
	}))
}
