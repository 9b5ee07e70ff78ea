package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// addCredentials resolves client id and secret, or the access token in their place. The kind that the block gives wins.
// Of two in the environment the token wins: a job that was handed one often has the id and the secret as well, since it
// asked for the token with them.
func (c configuration) addCredentials(r *resolver) {
	pair, token := gives(c.ClientID) || gives(c.ClientSecret), gives(c.AccessToken)
	switch {
	case pair && token:
		c.reportBothKinds(r)
	case token || !pair && r.env.Has(argAccessToken):
		c.addToken(r)
	default:
		c.addPair(r)
	}
}

// gives reports whether the provider block gives a credential, now or later.
func gives(value types.String) bool {
	return value.IsUnknown() || !setting.IsBlank(value.ValueString())
}

func (c configuration) addToken(r *resolver) {
	r.client.AccessToken, _ = argument(argAccessToken, c.AccessToken, setting.ParseAccessToken).resolve(r)
	r.addCredential(argAccessToken, r.client.AccessToken, argClientID, argClientSecret)
}

func (c configuration) addPair(r *resolver) {
	id := argument(argClientID, c.ClientID, setting.Verbatim)
	secret := argument(argClientSecret, c.ClientSecret, setting.Verbatim)
	var hasID, hasSecret bool
	r.client.ClientID, hasID = id.resolve(r)
	r.client.ClientSecret, hasSecret = secret.resolve(r)
	switch {
	case hasID && hasSecret:
	case hasSecret:
		r.addMissingCredential(id, argClientSecret)
	case hasID:
		r.addMissingCredential(secret, argClientID)
	default:
		r.addMissingBoth(id, secret)
	}
	r.addCredential(argClientID, r.client.ClientID)
	r.addCredential(argClientSecret, r.client.ClientSecret)
}

// reportBothKinds reports a provider block that gives both. A value that is not known yet may turn out to be null.
func (c configuration) reportBothKinds(r *resolver) {
	before := len(r.unknown)
	for i, value := range []types.String{c.ClientID, c.ClientSecret, c.AccessToken} {
		if value.IsUnknown() {
			r.unknown = append(r.unknown, []string{argClientID, argClientSecret, argAccessToken}[i])
		}
	}
	if len(r.unknown) == before {
		r.problems = append(r.problems, configProblem{
			argument: argAccessToken, summary: explain.SummaryBothCredentials,
			detail: "The provider block gives access_token, and client_id or client_secret too. The provider uses " +
				"one or the other. Leave out access_token, or the other two: set them to null, or remove them.",
		})
	}
}

// addMissingBoth adds that there are no credentials. If the variable of the token is empty, a token was likely meant.
func (r *resolver) addMissingBoth(id, secret blockArgument[string]) {
	if empty := r.env.EmptyHint(argAccessToken); empty != "" {
		r.addMissing(argAccessToken, empty+" Give it a token, or give client_id and client_secret instead.")
		return
	}
	r.addMissingCredential(id, "")
	r.addMissingCredential(secret, "")
}

// addMissingCredential adds that client id or secret is absent, and how to give it. other is the one that is given, or
// "".
func (r *resolver) addMissingCredential(absent blockArgument[string], other string) {
	name, token := absent.name, ""
	switch {
	case other == "":
		token = "Or give an access token in their place, as access_token or in " +
			setting.Variable(argAccessToken) + "."
	case r.env.Has(argAccessToken): // so the block gives the other one
		token = fmt.Sprintf("%s is not used, because the provider block sets %s.",
			r.env.VariablesFor(argAccessToken)[0], other)
	}
	r.addMissing(name, absent.need(), absent.inItsPlace(r.env), token)
}

// addCredential notes where a credential comes from, and its oddities. instead are arguments of
// the other kind, whose variables it overrides.
func (r *resolver) addCredential(name, value string, instead ...string) {
	from, given := r.origins[name]
	if !given {
		return
	}
	if r.elsewhere {
		instead = nil // the environment's belong to a different address
	}
	for _, other := range instead {
		from.Over = append(from.Over, r.env.VariablesFor(other)...)
	}
	r.origins[name] = from
	oddities := setting.Oddities(name, value, trimmedBy(name, from))
	if name == argClientSecret && value == r.client.ClientID {
		oddities = []string{"is the same text as " + argClientID}
	}
	r.credentials = append(r.credentials, explain.Credential{Argument: name, Origin: from, Oddities: oddities})
}

// trimmedBy says how to get rid of white space around a credential.
func trimmedBy(name string, from explain.Origin) string {
	switch {
	case from.Block:
		return "trimspace(…) leaves it out"
	case from.File:
		return "take it out of the file"
	}
	return "set " + setting.FileVariable(name) + " to the file's path instead"
}
