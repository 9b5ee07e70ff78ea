package provider

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// addCredentials resolves client id and secret, or the access token in their place. The kind that the
// block gives wins. Of two in the environment the token wins: a job that was handed one often has
// the id and the secret as well, since it asked for the token with them.
func (c configuration) addCredentials(r *resolver) {
	pair, token := gives(c.ClientID) || gives(c.ClientSecret), gives(c.AccessToken)
	switch {
	case pair && token:
		c.reportBothKinds(r)
	case token || !pair && r.env.has(argAccessToken):
		c.addToken(r)
	default:
		c.addPair(r)
	}
}

// gives reports whether the provider block gives a credential, now or later.
func gives(value types.String) bool { return value.IsUnknown() || !isBlank(value.ValueString()) }

func (c configuration) addToken(r *resolver) {
	r.client.AccessToken = blockArgument[string]{
		name:  argAccessToken,
		value: c.AccessToken,
		parse: parseAccessToken,
	}.optional(r)
	r.addCredential(argAccessToken, r.client.AccessToken, argClientID, argClientSecret)
}

func (c configuration) addPair(r *resolver) {
	id := blockArgument[string]{name: argClientID, value: c.ClientID, parse: verbatim}
	secret := blockArgument[string]{name: argClientSecret, value: c.ClientSecret, parse: verbatim}
	var hasID, hasSecret bool
	r.client.ClientID, hasID = id.resolve(r)
	r.client.ClientSecret, hasSecret = secret.resolve(r)
	switch {
	case hasID && hasSecret:
	case hasSecret:
		r.missingCredential(id, argClientSecret)
	case hasID:
		r.missingCredential(secret, argClientID)
	default:
		r.missingBoth(id, secret)
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

// missingBoth says that there are no credentials. If the variable of the token is empty, a token was likely meant.
func (r *resolver) missingBoth(id, secret blockArgument[string]) {
	if empty := r.env.emptyHint(argAccessToken); empty != "" {
		r.missing(argAccessToken, empty+" Give it a token, or give client_id and client_secret instead.")
		return
	}
	r.missingCredential(id, "")
	r.missingCredential(secret, "")
}

// missingCredential says how to give client id or secret. other is the one that is given, or "".
func (r *resolver) missingCredential(absent blockArgument[string], other string) {
	name, token := absent.name, ""
	switch {
	case other == "":
		token = "Or give an access token in their place, as access_token or in " + variable(argAccessToken) + "."
	case r.env.has(argAccessToken): // so the block gives the other one
		token = fmt.Sprintf("%s is not used, because the provider block sets %s.",
			r.env.variablesFor(argAccessToken)[0], other)
	}
	need := fmt.Sprintf("The provider needs %s. Set it in the provider block or in the environment variable %s, or "+
		"name a file that holds it in %s.", name, variable(name), fileVariable(name))
	r.missing(name, need, absent.inItsPlace(r.env), token)
}

// addCredential notes where a credential that is given comes from, and what is odd about it. instead are arguments of
// the other kind, whose variables it overrides.
func (r *resolver) addCredential(name, value string, instead ...string) {
	from, given := r.origins[name]
	if !given {
		return
	}
	for _, other := range instead {
		from.Over = append(from.Over, r.env.variablesFor(other)...)
	}
	r.origins[name] = from
	r.credentials = append(r.credentials, explain.Credential{
		Argument: name,
		Origin:   from,
		Oddities: oddities(name, value, from),
	})
}

// wrappings are what may stand around a credential: what is left without it, and what to say about it.
var wrappings = []struct {
	without func(string) string
	say     string
}{
	{withoutMark, "begins with a byte order mark (U+FEFF); save its file as UTF-8 without one"},
	{strings.TrimSpace, "has white space around it, such as the line break at the end of a file; {}"},
	{withoutQuotes, "has quotes around it that are part of the value"},
}

func withoutMark(text string) string { return strings.TrimPrefix(text, byteOrderMark) }

func withoutQuotes(text string) string { return strings.Trim(text, quotes) }

// oddities says what looks wrong with a credential and what to do about it, in words that show
// none of it. Each may belong to the value, so none is a problem by itself.
func oddities(name, value string, from explain.Origin) []string {
	var found []string
	for _, around := range wrappings {
		inner := around.without(value)
		if inner != value {
			found = append(found, strings.ReplaceAll(around.say, "{}", trimmedBy(name, from)))
		}
		value = inner
	}
	if odd := secretMistakes.about(value); odd != "" {
		found = append(found, odd)
	}
	return found
}

// trimmedBy says how to get rid of white space around a credential.
func trimmedBy(name string, from explain.Origin) string {
	switch {
	case from.Block:
		return "trimspace(…) leaves it out"
	case from.File:
		return "take it out of the file"
	}
	return "name that file in " + fileVariable(name) + " instead"
}

// secretMistakes describe what looks wrong inside a credential.
var secretMistakes = hints{
	{mistaken, "is {}"},
	{severalLines, "has a line break in it: it has {} lines, and only one can be meant"},
	{invisible, "is odd: its character {}"},
	{is(existingFile), "is the path of a file; a variable that ends in " + fileSuffix + " names a file"},
}

// existingFile reports whether a text is the absolute path of a file on this machine.
func existingFile(text string) bool {
	info, err := os.Stat(text)
	return filepath.IsAbs(text) && err == nil && info.Mode().IsRegular()
}

func verbatim(text string) (string, error) { return text, nil }

// parseAccessToken returns an error for what cannot be sent as a bearer token (RFC 6750 §2.1), and
// for what people paste in its place. White space around it, which no token has, is left out.
// The error shows none of it.
func parseAccessToken(text string) (string, error) {
	text = strings.TrimSpace(withoutMark(text))
	if problem := tokenMistakes.about(text); problem != "" {
		return "", errors.New(problem)
	}
	return text, nil
}

// tokenMistakes describe access tokens that cannot be sent.
var tokenMistakes = hints{
	{is(withScheme), "it begins with the word Bearer, which the provider adds; give only what follows"},
	{mistaken, "it is {}"},
	{severalLines, "it has {} lines, and a token has one"},
	{is(existingFile), "it is the path of a file; a variable that ends in " + fileSuffix + " names a file"},
	{is(notSendable), "it has characters that no bearer token may have, such as a space or a letter beyond ASCII"},
}

func withScheme(text string) bool {
	scheme, _, _ := strings.Cut(text, " ")
	return strings.EqualFold(scheme, "bearer")
}

func notSendable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
