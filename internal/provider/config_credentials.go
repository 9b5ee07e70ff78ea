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
	switch empty := r.env.emptyHint(argAccessToken); {
	case !hasID && !hasSecret && empty != "":
		r.missing(argAccessToken, empty+" Give it a token, or give client_id and client_secret instead.")
	case !hasID && !hasSecret:
		r.missingCredential(argClientID, "")
		r.missingCredential(argClientSecret, "")
	case !hasID:
		r.missingCredential(argClientID, argClientSecret)
	case !hasSecret:
		r.missingCredential(argClientSecret, argClientID)
	}
	return append(r.credential(argClientID, r.client.ClientID), r.credential(argClientSecret, r.client.ClientSecret)...)
}

// gives reports whether the provider block gives a credential, now or later.
func gives(value types.String) bool {
	return value.IsUnknown() || strings.TrimSpace(value.ValueString()) != ""
}

// bothKinds reports a provider block that gives both. A value that is not known yet may turn out to be null.
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
			detail: "The provider block gives access_token, and client_id or client_secret too. The provider uses one or " +
				"the other. Leave out access_token, or the other two: set them to null, or remove them.",
		})
	}
}

// missingCredential says how to give client id or secret. other is the one that is given, or "".
func (r *resolver) missingCredential(argument, other string) {
	token := ""
	switch {
	case other == "":
		token = fmt.Sprintf("Or give an access token in their place, as access_token or in %s.", variable(argAccessToken))
	case r.env.has(argAccessToken): // so the block gives the other one
		token = fmt.Sprintf("%s is not used, because the provider block sets %s.", variable(argAccessToken), other)
	}
	r.missing(argument, fmt.Sprintf("The provider needs %s. Set it in the provider block or in the environment variable "+
		"%s, or name a file that holds it in %s.", argument, variable(argument), fileVariable(argument)),
		r.env.emptyHint(argument), token)
}

// credential notes where a credential comes from, and what is odd about it. instead
// are arguments of the other kind, whose variables it overrides.
func (r *resolver) credential(argument, value string, instead ...string) []explain.Credential {
	from, used := r.origins[argument]
	if !used {
		return nil
	}
	for _, other := range instead {
		from.Over = append(from.Over, r.env.setFor(other)...)
	}
	r.origins[argument] = from
	return []explain.Credential{{Argument: argument, Origin: from, Oddities: oddities(argument, value, from)}}
}

const (
	byteOrderMark = "\ufeff"
	quotes        = "\"'`“”‘’„"
)

// oddities says what looks wrong with a credential and what to do about it, in words that show
// none of it. Each may belong to the value, so none is a problem by itself.
func oddities(argument, value string, from explain.Origin) []string {
	var found []string
	inner, marked := strings.CutPrefix(value, byteOrderMark)
	if marked {
		found = append(found, "begins with a byte order mark (U+FEFF); save its file as UTF-8 without one")
	}
	if trimmed := strings.TrimSpace(inner); trimmed != inner {
		remedy := "name that file in " + fileVariable(argument) + " instead"
		switch {
		case from.Block:
			remedy = "trimspace(…) leaves it out"
		case from.File:
			remedy = "take it out of the file"
		}
		found = append(found, "has white space around it, such as the line break at the end of a file; "+remedy)
		inner = trimmed
	}
	if bare := strings.Trim(inner, quotes); bare != inner {
		found = append(found, "has quotes around it that are part of the value")
		inner = bare
	}
	if mistaken := mistakenFor(inner); mistaken != "" {
		found = append(found, "is "+mistaken)
	}
	return found
}

// mistakenFor says what a text is that a job left in place of a credential, or returns "".
func mistakenFor(text string) string {
	switch lower := strings.ToLower(text); {
	case lower == "null" || lower == "none" || lower == "undefined":
		return fmt.Sprintf("the word %s, which programs such as jq print for a field that does not exist", text)
	case strings.HasPrefix(lower, "<!doctype") || strings.HasPrefix(lower, "<html"):
		return "a page of HTML"
	case strings.HasPrefix(strings.Join(strings.Fields(text), ""), `{"`):
		return "a JSON object, as a token endpoint answers; give only the value in it"
	}
	for _, form := range []struct{ begin, end string }{{"${", "}"}, {"$(", ")"}, {"<", ">"}, {"{{", "}}"}} {
		if strings.HasPrefix(text, form.begin) && strings.HasSuffix(text, form.end) {
			return fmt.Sprintf("a placeholder of the form %s…%s, which nothing filled in", form.begin, form.end)
		}
	}
	return ""
}

func verbatim(text string) (string, error) { return text, nil }

// parseAccessToken returns an error for what cannot be sent as a bearer token (RFC 6750 §2.1), and
// for what people paste in its place. White space around it, which no token has, is left out.
// The error shows none of it.
func parseAccessToken(text string) (string, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
	scheme, _, _ := strings.Cut(text, " ")
	switch mistaken := mistakenFor(text); {
	case strings.EqualFold(scheme, "bearer"):
		return "", errors.New("it begins with the word Bearer, which the provider adds; give only what follows")
	case mistaken != "":
		return "", errors.New("it is " + mistaken)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("it has characters that no bearer token may have, such as a space or a line break")
	}
	return text, nil
}
