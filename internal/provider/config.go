package provider

import (
	"context"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// decode returns the provider block, with each value as the environment would spell it: the framework's own numbers
// call 1.5 and 1e400 errors in the provider.
func decode(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) settings.Block {
	var object types.Object
	diags.Append(config.Get(ctx, &object)...)
	block := settings.Block{}
	for argument, value := range object.Attributes() {
		block[argument] = settingOf(value)
	}
	return block
}

// settingOf returns a value of the provider block.
func settingOf(value attr.Value) settings.Value {
	setting := settings.Value{IsSet: !value.IsNull(), IsUnknown: value.IsUnknown()}
	elements, isMap := value.(types.Map)
	switch {
	case !isKnown(value):
	case isMap:
		setting.Elements = map[string]settings.Value{}
		for name, element := range elements.Elements() {
			setting.Elements[name] = settingOf(element)
		}
	default:
		setting.Text = asText(value)
	}
	return setting
}

// asText returns a value as the environment would spell it. A null or unknown text is empty.
func asText(value attr.Value) string {
	switch value := value.(type) {
	case types.Number:
		return value.ValueBigFloat().Text('f', -1)
	case types.String:
		return value.ValueString()
	}
	return value.String()
}

// diagnosticsOf returns problems of settings, each on its argument if it has one.
func diagnosticsOf(problems []settings.Problem) (diags diag.Diagnostics) {
	for _, p := range problems {
		d := diag.Diagnostic(diag.NewErrorDiagnostic(p.Summary, p.Detail))
		if p.Kind == settings.Warning {
			d = diag.NewWarningDiagnostic(p.Summary, p.Detail)
		}
		switch len(p.Path) {
		case 1:
			d = diag.WithPath(path.Root(p.Path[0]), d)
		case 2:
			d = diag.WithPath(path.Root(p.Path[0]).AtMapKey(p.Path[1]), d)
		}
		diags.Append(d)
	}
	return diags
}

// userAgent returns the provider's name and version, and the words of TF_APPEND_USER_AGENT without line breaks and
// control characters, which a header cannot contain. It omits the engine's version: OpenTofu reports itself as a
// Terraform.
func userAgent(version string, env settings.Environment) string {
	separator := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	words := strings.FieldsFunc(env["TF_APPEND_USER_AGENT"], separator)
	return strings.Join(append([]string{"terraform-provider-modelcatalogue/" + version}, words...), " ")
}
