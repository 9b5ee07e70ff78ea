package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// addCredentials resolves client id and secret, or the access token in their place. The kind that the block gives
// wins. Of two in the environment the token wins: a job that was handed one often has the id and the secret as well,
// since it asked for the token with them.
func (r *resolver) addCredentials() {
	pair, token := r.gives(argClientID) || r.gives(argClientSecret), r.gives(argAccessToken)
	switch {
	case pair && token:
		r.addBothKinds()
	case token || !pair && r.env.Has(argAccessToken):
		take(r, argAccessToken, setting.ParseAccessToken, &r.client.AccessToken)
		r.addCredential(argAccessToken, r.client.AccessToken)
	default:
		r.addPair()
	}
}

// gives reports whether the provider block gives a credential, now or later.
func (r *resolver) gives(name string) bool {
	value := r.block[name]
	return value.IsUnknown() || !setting.IsBlank(asText(value))
}

func (r *resolver) addPair() {
	hasID := take(r, argClientID, setting.Verbatim, &r.client.ClientID)
	hasSecret := take(r, argClientSecret, setting.Verbatim, &r.client.ClientSecret)
	switch {
	case !hasID && !hasSecret:
		r.addMissingBoth()
	case !hasID:
		r.addMissing(argClientID, "", r.unusedToken(argClientSecret))
	case !hasSecret:
		r.addMissing(argClientSecret, "", r.unusedToken(argClientID))
	}
	r.addCredential(argClientID, r.client.ClientID)
	r.addCredential(argClientSecret, r.client.ClientSecret)
}

// addMissingBoth adds that credentials are missing. If the variable of the token is empty, a token was likely meant.
func (r *resolver) addMissingBoth() {
	if r.emptyVariable(argAccessToken) != "" {
		r.addMissing(argAccessToken, "The provider needs access_token, or client_id and client_secret.")
		return
	}
	instead := "Or give an access token in their place, as access_token"
	if !r.elsewhere {
		instead += " or in " + setting.Variable(argAccessToken)
	}
	r.addMissing(argClientID, "", instead+".")
	r.addMissing(argClientSecret, "", instead+".")
}

// unusedToken says that the environment has a token, but the provider block gives one of the pair, or returns "".
func (r *resolver) unusedToken(given string) string {
	if token := r.env.VariablesFor(argAccessToken); token != nil {
		return token[0] + " is not used, because the provider block sets " + given + "."
	}
	return ""
}

// addBothKinds adds that the provider block gives both. A value that is not known yet may turn out to be null.
func (r *resolver) addBothKinds() {
	isKnown := true
	for _, name := range []string{argClientID, argClientSecret, argAccessToken} {
		if r.block[name].IsUnknown() {
			r.unknown = append(r.unknown, name)
			isKnown = false
		}
	}
	if isKnown {
		r.problems.AddAttributeError(path.Root(argAccessToken), explain.SummaryBothCredentials,
			"The provider block gives access_token, and client_id or client_secret too. The provider uses one or the "+
				"other. Leave out access_token, or the other two: set them to null, or remove them.")
	}
}

// addCredential notes where a credential comes from, and its oddities.
func (r *resolver) addCredential(name, value string) {
	from, given := r.origins[name]
	if !given {
		return
	}
	oddities := setting.Oddities(name, value)
	if name == argClientSecret && value == r.client.ClientID {
		oddities = []string{"is the same text as " + argClientID}
	}
	r.credentials = append(r.credentials, explain.Credential{Argument: name, Origin: from, Oddities: oddities})
}
