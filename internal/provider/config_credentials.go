package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// credentials resolves client id and secret, or the access token in their place. The kind that the
// block gives wins. Of two in the environment the token wins: a job that was handed one often has
// the id and the secret as well, since it asked for the token with them.
func (c configuration) credentials(r *resolver) []explain.Credential {
	pair, token := gives(c.ClientID) || gives(c.ClientSecret), gives(c.AccessToken)
	switch {
	case pair && token:
		c.bothKinds(r)
		return nil
	case token || !pair && r.env.has(argAccessToken):
		r.client.AccessToken = optional(r, argAccessToken, c.AccessToken, "", parseAccessToken)
		return r.credential(argAccessToken, r.client.AccessToken, argClientID, argClientSecret)
	}
	var hasID, hasSecret bool
	r.client.ClientID, hasID = resolve(r, argClientID, c.ClientID, verbatim)
	r.client.ClientSecret, hasSecret = resolve(r, argClientSecret, c.ClientSecret, verbatim)
	if !hasID {
		r.missingCredential(argClientID, pair)
	}
	if !hasSecret {
		r.missingCredential(argClientSecret, pair)
	}
	return append(r.credential(argClientID, r.client.ClientID), r.credential(argClientSecret, r.client.ClientSecret)...)
}

// gives tells whether the provider block gives a credential, now or later.
func gives(value types.String) bool {
	return value.IsUnknown() || strings.TrimSpace(value.ValueString()) != ""
}

// bothKinds is a provider block that gives both. What is not known yet may turn out to be null.
func (c configuration) bothKinds(r *resolver) {
	before := len(r.unknown)
	for i, value := range []types.String{c.ClientID, c.ClientSecret, c.AccessToken} {
		if value.IsUnknown() {
			r.unknown = append(r.unknown, []string{argClientID, argClientSecret, argAccessToken}[i])
		}
	}
	if len(r.unknown) == before {
		r.problems = append(r.problems, problem{
			argument: argAccessToken, summary: explain.SummaryBothCredentials,
			detail: "The provider block gives a token, and client_id or client_secret as well. The provider uses one or " +
				"the other. Leave out access_token, or the other two: set them to null, or remove them.",
		})
	}
}

// missingCredential says how to give client id or secret. inBlock tells whether the block gives the other one.
func (r *resolver) missingCredential(argument string, inBlock bool) {
	token := ""
	switch {
	case !inBlock:
		token = fmt.Sprintf("Or give a token in place of client_id and client_secret, as access_token or in %s.",
			variable(argAccessToken))
	case r.env.has(argAccessToken):
		token = fmt.Sprintf("The token of %s is not used, because the provider block gives the other of client_id and "+
			"client_secret.", variable(argAccessToken))
	}
	r.missing(argument, fmt.Sprintf("The provider needs %s. Set it in the provider block or in the environment variable "+
		"%s, or name a file that holds it in %s.", argument, variable(argument), fileVariable(argument)), token)
}

// credential notes where a credential comes from, and what is odd about it. instead
// are arguments of the other kind, whose variables it goes before.
func (r *resolver) credential(argument, value string, instead ...string) []explain.Credential {
	from, used := r.origins[argument]
	if !used {
		return nil
	}
	for _, other := range instead {
		from.Over = append(from.Over, r.env.setFor(other)...)
	}
	r.origins[argument] = from
	return []explain.Credential{{Argument: argument, Origin: from, Oddities: oddities(value)}}
}

const (
	byteOrderMark = "\ufeff"
	quotes        = "\"'`“”‘’„"
)

// oddities are what looks wrong with a credential, in words that show none of it.
// Each may belong to the value, so none is a problem by itself.
func oddities(value string) []string {
	var found []string
	inner, marked := strings.CutPrefix(value, byteOrderMark)
	if marked {
		found = append(found, "begins with a byte order mark (U+FEFF), as files from Windows programs do")
	}
	if trimmed := strings.TrimSpace(inner); trimmed != inner {
		found = append(found, "has white space around it, such as the line break at the end of a file")
		inner = trimmed
	}
	if bare := strings.Trim(inner, quotes); bare != inner {
		found = append(found, "has quotes around it that are part of the value")
		inner = bare
	}
	for _, form := range []struct{ begin, end string }{{"${", "}"}, {"$(", ")"}, {"<", ">"}, {"{{", "}}"}} {
		if strings.HasPrefix(inner, form.begin) && strings.HasSuffix(inner, form.end) {
			found = append(found, "has the form "+form.begin+"…"+form.end+", like a variable that nothing filled in")
		}
	}
	return found
}

func verbatim(text string) (string, error) { return text, nil }

// parseAccessToken refuses what cannot be sent as a bearer token (RFC 6750 §2.1),
// and what people paste in its place. An error shows none of it.
func parseAccessToken(text string) (string, error) {
	inner := strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
	scheme, _, _ := strings.Cut(inner, " ")
	switch {
	case strings.EqualFold(scheme, "bearer"):
		return "", errors.New("it begins with the word Bearer, which the provider adds itself; give only what follows")
	case strings.HasPrefix(inner, "{"):
		return "", errors.New("it looks like the whole answer of a token endpoint; give only the value of its access_token")
	case inner != text:
		return "", errors.New("it has white space or a byte order mark around it, as the content of a file often has; " +
			"leave that out, with trimspace(…) in the configuration")
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("it has characters that no bearer token may have, such as a space or a line break")
	}
	return text, nil
}
