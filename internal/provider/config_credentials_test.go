package provider

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// Which credentials are used, for each combination of what the block and the environment give.
func TestWhichCredentials(t *testing.T) {
	t.Parallel()
	const (
		both     = "access_token: Both access_token and client credentials given"
		noID     = "client_id: Missing client_id"
		noSecret = "client_secret: Missing client_secret"
	)
	for _, test := range []struct {
		name              string
		id, secret, token any    // of the block
		environment       string // names of variables; the value of each is its name
		want              string // id:secret or a token
		problems          []string
	}{
		{name: "a pair in the block", id: "i", secret: "s", want: "i:s"},
		{name: "a token in the block", token: "t", want: "t"},
		{name: "a pair in the environment", environment: "CLIENT_ID CLIENT_SECRET", want: "CLIENT_ID:CLIENT_SECRET"},
		{name: "a token in the environment", environment: "ACCESS_TOKEN", want: "ACCESS_TOKEN"},
		{name: "a pair, half of it in the block", id: "i", environment: "CLIENT_SECRET", want: "i:CLIENT_SECRET"},
		{name: "the block's pair over a token", id: "i", secret: "s", environment: "ACCESS_TOKEN", want: "i:s"},
		{name: "the block's pair over a file", id: "i", secret: "s", environment: "CLIENT_SECRET_FILE", want: "i:s"},
		{name: "the block's half over a token", id: "i", environment: "CLIENT_SECRET ACCESS_TOKEN", want: "i:CLIENT_SECRET"},
		{name: "the block's token over a pair", token: "t", environment: "CLIENT_ID CLIENT_SECRET", want: "t"},
		{name: "both in the environment", environment: "CLIENT_ID CLIENT_SECRET ACCESS_TOKEN", want: "ACCESS_TOKEN"},
		{name: "a token and half a pair", environment: "CLIENT_ID ACCESS_TOKEN", want: "ACCESS_TOKEN"},
		{name: "both in the block", id: "i", secret: "s", token: "t", problems: []string{both}},
		{name: "a token and half a pair in the block", secret: "s", token: "t", problems: []string{both}},
		{name: "neither", problems: []string{noID, noSecret}},
		{name: "half a pair", environment: "CLIENT_ID", want: "CLIENT_ID:", problems: []string{noSecret}},
		{name: "half a pair, a token not used", secret: "s", environment: "ACCESS_TOKEN", want: ":s", problems: []string{noID}},
		{name: "empty beside a token", id: "", secret: "", token: "t", want: "t"},
		{name: "white space is absent", id: " \n", token: "\t", environment: "CLIENT_ID CLIENT_SECRET", want: "CLIENT_ID:CLIENT_SECRET"},
		{name: "an unknown pair and a token", id: unknown, secret: unknown, token: "t"},
		{name: "a pair and an unknown token", id: "i", secret: "s", token: unknown},
		{name: "an unknown token", token: unknown, environment: "CLIENT_ID CLIENT_SECRET"},
		{name: "an unknown secret", secret: unknown, environment: "CLIENT_ID ACCESS_TOKEN", want: "CLIENT_ID:"},
	} {
		var env, late []string
		for name := range strings.FieldsSeq(test.environment) {
			env = append(env, name+"="+name)
		}
		given := arguments{argClientID: test.id, argClientSecret: test.secret, argAccessToken: test.token}
		for _, argument := range []string{argClientID, argClientSecret, argAccessToken} {
			if given[argument] == unknown {
				late = append(late, argument)
			}
		}
		got, problems := settle(t, complete.merge(given), env...)
		if !slices.Equal(inShort(problems), test.problems) || !slices.Equal(got.unknown, late) {
			t.Errorf("%s: problems %q, unknown %q", test.name, inShort(problems), got.unknown)
		}
		used := got.client.AccessToken
		if pair := got.client.ClientID + ":" + got.client.ClientSecret; pair != ":" {
			used += pair
		}
		if used != test.want {
			t.Errorf("%s: %q is used, want %q", test.name, used, test.want)
		}
	}
}

// inShort lists problems as "argument: summary".
func inShort(problems []configProblem) (list []string) {
	for _, p := range problems {
		summary := p.summary
		if summary == "" {
			summary = map[bool]string{true: "Missing ", false: "Invalid "}[p.missing] + p.argument
		}
		list = append(list, p.argument+": "+summary)
	}
	return list
}

func TestOddities(t *testing.T) {
	t.Parallel()
	const (
		space = "has white space around it, such as the line break at the end of a file; trimspace(…) leaves it out"
		quote = "has quotes around it that are part of the value"
		mark  = "begins with a byte order mark (U+FEFF); save its file as UTF-8 without one"
	)
	form := func(form string) string { return "is a placeholder of the form " + form + ", which nothing filled in" }
	for value, want := range map[string][]string{
		"a secret":       nil,
		"$ecret{}<x":     nil,
		"\ufeffsecret\n": {mark, space},
		"$(cat secret)":  {form("$(…)")},
		"<your secret>":  {form("<…>")},
		"{{ .Secret }}":  {form("{{…}}")},
		"'${SECRET}'\n":  {space, quote, form("${…}")},
		"null\n":         {space, "is the word null, which jq prints for a field that does not exist"},
		"a\nb\n":         {space, "has a line break in it: it has 2 lines, and only one can be meant"},
		"a\u00a0b":       {"is odd: its character 2 is a no-break space (U+00A0)"},
		"export KEY=v":   {"is a text of the form KEY=value; give only the value"},
		"ABCDEFGH==":     nil,
		"aBC=d":          nil,
		"AB=d":           nil,
	} {
		if got := setting.Oddities(value, trimmedBy(argClientSecret, explain.Origin{Block: true})); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
	for remedy, from := range map[string]explain.Origin{
		"take it out of the file":                                     {File: true},
		"name that file in MODELCATALOGUE_CLIENT_SECRET_FILE instead": {Variable: "any"},
	} {
		if got := setting.Oddities("secret\n", trimmedBy(argClientSecret, from)); !strings.HasSuffix(got[0], "; "+remedy) {
			t.Errorf("from %s: %q", from, got)
		}
	}
}
