package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// TestWhichCredentials is the rule of which credentials are used, a row for each
// combination of what the block and the environment give.
func TestWhichCredentials(t *testing.T) {
	t.Parallel()
	const id, secret, token = "CLIENT_ID", "CLIENT_SECRET", "ACCESS_TOKEN"
	value, none, unknown := types.StringValue, types.StringNull(), types.StringUnknown()
	// What the environment gives is its own name.
	for name, test := range map[string]struct {
		id, secret, token types.String
		set               []string
		want              string // id:secret or a token
		problems          []string
		unknown           []string
	}{
		"a pair in the block":             {id: value("i"), secret: value("s"), token: none, want: "i:s"},
		"a token in the block":            {id: none, secret: none, token: value("t"), want: "t"},
		"a pair in the environment":       {set: []string{id, secret}, want: id + ":" + secret},
		"a token in the environment":      {set: []string{token}, want: token},
		"a pair, half of it in the block": {id: value("i"), set: []string{secret}, want: "i:" + secret},
		"the block's pair over a token":   {id: value("i"), secret: value("s"), set: []string{token}, want: "i:s"},
		"the block's half over a token":   {id: value("i"), set: []string{secret, token}, want: "i:" + secret},
		"the block's token over a pair":   {token: value("t"), set: []string{id, secret}, want: "t"},
		"both in the environment":         {set: []string{id, secret, token}, want: token},
		"a token and half a pair":         {set: []string{id, token}, want: token},

		"both in the block": {
			id: value("i"), secret: value("s"), token: value("t"),
			problems: []string{"access_token: Both access_token and client credentials given"},
		},
		"a token and half a pair in the block": {
			secret: value("s"), token: value("t"), problems: []string{"access_token: Both access_token and client credentials given"},
		},
		"neither":     {problems: []string{"client_id: Missing client_id", "client_secret: Missing client_secret"}},
		"half a pair": {set: []string{id}, want: id + ":", problems: []string{"client_secret: Missing client_secret"}},
		"half a pair, a token not used": {
			secret: value("s"), set: []string{token}, want: ":s", problems: []string{"client_id: Missing client_id"},
		},

		"empty beside a token":  {id: value(""), secret: value(""), token: value("t"), want: "t"},
		"white space is absent": {id: value(" \n"), token: value("\t"), set: []string{id, secret}, want: id + ":" + secret},

		"an unknown pair and a token": {id: unknown, secret: unknown, token: value("t"), unknown: []string{"client_id", "client_secret"}},
		"a pair and an unknown token": {id: value("i"), secret: value("s"), token: unknown, unknown: []string{"access_token"}},
		"an unknown token":            {token: unknown, set: []string{id, secret}, unknown: []string{"access_token"}},
		"an unknown secret": {
			secret: unknown, set: []string{id, token}, want: id + ":", unknown: []string{"client_secret"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variables := map[string]string{}
			for _, name := range test.set {
				variables[name] = name
			}
			c := complete()
			c.ClientID, c.ClientSecret, c.AccessToken = test.id, test.secret, test.token
			got, problems := c.settings(withVariables(variables))
			if !slices.Equal(inShort(problems), test.problems) || !slices.Equal(got.unknown, test.unknown) {
				t.Errorf("problems %q, unknown %q", inShort(problems), got.unknown)
			}
			used := got.client.AccessToken
			if pair := got.client.ClientID + ":" + got.client.ClientSecret; pair != ":" {
				used += pair
			}
			if used != test.want {
				t.Errorf("%q is used, want %q", used, test.want)
			}
		})
	}
}

// inShort lists problems as "argument: summary".
func inShort(problems []problem) []string {
	var list []string
	for _, p := range problems {
		summary := p.summary
		if summary == "" {
			summary = map[bool]string{true: "Missing ", false: "Invalid "}[p.missing] + p.argument
		}
		list = append(list, p.argument+": "+summary)
	}
	return list
}

func TestMissingCredentialsNameBothWays(t *testing.T) {
	t.Parallel()
	const orToken = "Or give a token in place of client_id and client_secret, as access_token or in MODELCATALOGUE_ACCESS_TOKEN."
	c := complete()
	c.ClientID, c.ClientSecret = types.StringNull(), types.StringNull()
	_, problems := c.settings(environment{})
	for _, p := range problems {
		if !strings.Contains(p.detail, orToken) || !strings.Contains(p.detail, variable(p.argument)+"_FILE") {
			t.Errorf("%s: %s", p.argument, p.detail)
		}
	}
	if len(problems) != 2 {
		t.Errorf("%d problems", len(problems))
	}
	// A block that gives the id says which way it goes.
	c.ClientID = types.StringValue("id")
	_, problems = c.settings(withVariables(map[string]string{"ACCESS_TOKEN": "token"}))
	if len(problems) != 1 || strings.Contains(problems[0].detail, orToken) ||
		!strings.Contains(problems[0].detail, "The token of MODELCATALOGUE_ACCESS_TOKEN is not used") {
		t.Errorf("%+v", problems)
	}
}

// TestAMisspeltVariableIsNamed, and only where something is missing.
func TestAMisspeltVariableIsNamed(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"": {
			"PATH", "MODELCATALOGUE_TEST_MODEL_GROUP_ID", "MODELCATALOGUE_SANDBOX_LISTEN", "MODELCATALOGUE_SNAPSHOT",
			"MODELCATALOGUE_CLIENT_ID_FILE", "MODELCATALOGUE_ACCESS_TOKEN_FILE", "MODELCATALOGUE_CA_CERTIFICATE_PEM_FILE",
		},
		"MODELCATALOGUE_CLIENTID is set, and the provider reads no such variable.": {"MODELCATALOGUE_CLIENTID"},
		"MODELCATALOGUE_BASE_URL_FILE and modelcatalogue_client_id are set, and the provider reads no such variables.": {
			"modelcatalogue_client_id", "MODELCATALOGUE_BASE_URL_FILE",
		},
		"MODELCATALOGUE_A, MODELCATALOGUE_B, MODELCATALOGUE_C, MODELCATALOGUE_D, MODELCATALOGUE_E and 2 more are set, and the " +
			"provider reads no such variables.": {
			"MODELCATALOGUE_A", "MODELCATALOGUE_B", "MODELCATALOGUE_C", "MODELCATALOGUE_D", "MODELCATALOGUE_E", "MODELCATALOGUE_F",
			"MODELCATALOGUE_G",
		},
	} {
		assignments := []string{"MODELCATALOGUE_EMPTY="}
		for _, name := range names {
			assignments = append(assignments, name+"=hunter2")
		}
		env := environmentOf(assignments)
		if got := unreadHint(env.unread()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		c := complete()
		c.BaseURL = types.StringNull()
		_, problems := c.settings(env)
		if len(problems) == 0 || !strings.HasSuffix(problems[0].detail, want) || strings.Contains(problems[0].detail, "hunter2") {
			t.Errorf("%+v, want %q", problems, want)
		}
	}
}

// TestValuesFromFiles reads each argument that may come from a file.
func TestValuesFromFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(content string) string {
		name := filepath.Join(folder, fmt.Sprint(len(content)))
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	c := complete()
	c.ClientID, c.ClientSecret = types.StringNull(), types.StringNull()
	got, problems := c.settings(withVariables(map[string]string{
		"CLIENT_ID_FILE": file("an id\n"), "CLIENT_SECRET_FILE": file("a secret \r\n"),
	}))
	if len(problems) > 0 || got.client.ClientID != "an id" || got.client.ClientSecret != "a secret " {
		t.Errorf("%q, %q, %+v", got.client.ClientID, got.client.ClientSecret, problems)
	}
	// Only one line break is not part of the value.
	got, problems = c.settings(withVariables(map[string]string{"CLIENT_ID": "id", "CLIENT_SECRET_FILE": file("two breaks\n\n")}))
	if len(problems) > 0 || got.client.ClientSecret != "two breaks\n" {
		t.Errorf("%q, %+v", got.client.ClientSecret, problems)
	}
	got, problems = c.settings(withVariables(map[string]string{"ACCESS_TOKEN_FILE": file("a.token\n")}))
	if len(problems) > 0 || got.client.AccessToken != "a.token" {
		t.Errorf("%q, %+v", got.client.AccessToken, problems)
	}
	_, problems = complete().settings(withVariables(map[string]string{"CA_CERTIFICATE_PEM_FILE": file("-----BEGIN CERTIFICATE-----\nMIIB")}))
	if len(problems) != 1 || !strings.Contains(problems[0].detail,
		"the content of the file that MODELCATALOGUE_CA_CERTIFICATE_PEM_FILE names cannot be used: certificate 1 in it is broken") {
		t.Errorf("%+v", problems)
	}
}

// TestFilesThatCannotBeUsed has what may be wrong with a file. None of the
// messages has its name, which may be the secret in the wrong variable.
func TestFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const cannot = "The file that the environment variable MODELCATALOGUE_CLIENT_SECRET_FILE names cannot be used: "
	for name, test := range map[string]struct {
		variables map[string]string
		want      string
		asRoot    bool // also where the tests run as a user who may read everything
	}{
		"missing": {map[string]string{"CLIENT_SECRET_FILE": filepath.Join(folder, "hunter2")}, cannot + "it does not exist.", true},
		"missing, a relative name": {
			map[string]string{"CLIENT_SECRET_FILE": "hunter2"},
			cannot + "it does not exist; a name that does not begin at the root is looked for in the folder where the engine runs.", true,
		},
		"a folder": {map[string]string{"CLIENT_SECRET_FILE": folder}, cannot + "it is a folder.", true},
		"a device": {map[string]string{"CLIENT_SECRET_FILE": os.DevNull}, cannot + "it is not a regular file.", true},
		"unreadable": {
			map[string]string{"CLIENT_SECRET_FILE": write("hunter2-a", "x", 0)}, cannot + "the user who runs the engine may not read it.", false,
		},
		"too large": {
			map[string]string{"CLIENT_SECRET_FILE": write("hunter2-b", strings.Repeat("x", maxFile+1), 0o600)},
			cannot + "it has more than 1048576 bytes.", true,
		},
		"empty":       {map[string]string{"CLIENT_SECRET_FILE": write("hunter2-c", "", 0o600)}, cannot + "it is empty.", true},
		"white space": {map[string]string{"CLIENT_SECRET_FILE": write("hunter2-d", " \n", 0o600)}, cannot + "it is empty.", true},
		"UTF-16": {
			map[string]string{"CLIENT_SECRET_FILE": write("hunter2-e", "\xff\xfea\x00", 0o600)},
			cannot + "it is not UTF-8 text, as some Windows programs write it; save it as UTF-8.", true,
		},
		"a file below a file": {map[string]string{"CLIENT_SECRET_FILE": write("hunter2-f", "x", 0o600) + "/x"}, cannot + "it ", true},
		"beside its variable": {
			map[string]string{"CLIENT_SECRET_FILE": "hunter2", "CLIENT_SECRET": "hunter2"},
			"The environment variables MODELCATALOGUE_CLIENT_SECRET and MODELCATALOGUE_CLIENT_SECRET_FILE are both set, and only one " +
				"of them can be meant; unset the other one.", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !test.asRoot && os.Geteuid() == 0 {
				t.Skip("root may read every file")
			}
			c := complete()
			c.ClientSecret = types.StringNull()
			_, problems := c.settings(withVariables(test.variables))
			if len(problems) != 1 || problems[0].argument != argClientSecret || problems[0].missing {
				t.Fatalf("%+v", problems)
			}
			if detail := problems[0].detail; !strings.HasPrefix(detail, test.want) || strings.Contains(detail, "hunter2") {
				t.Errorf("%s, want %s", detail, test.want)
			}
			// The block is not asked about the environment, and wins over it.
			if problems := c.malformed(); len(problems) != 0 {
				t.Errorf("validate: %+v", problems)
			}
			if _, problems := complete().settings(withVariables(test.variables)); len(problems) != 0 {
				t.Errorf("under a block that sets it: %+v", problems)
			}
		})
	}
}

func TestOddities(t *testing.T) {
	t.Parallel()
	const (
		space = "has white space around it, such as the line break at the end of a file"
		quote = "has quotes around it that are part of the value"
		mark  = "begins with a byte order mark (U+FEFF), as files from Windows programs do"
	)
	form := func(form string) string { return "has the form " + form + ", like a variable that nothing filled in" }
	for value, want := range map[string][]string{
		"a secret":       nil,
		"$ecret{}<x":     nil,
		"secret\n":       {space},
		" secret":        {space},
		`"secret"`:       {quote},
		"'secret'":       {quote},
		"\ufeffsecret":   {mark},
		"\ufeffsecret\n": {mark, space},
		"${SECRET}":      {form("${…}")},
		"$(cat secret)":  {form("$(…)")},
		"<your secret>":  {form("<…>")},
		"{{ .Secret }}":  {form("{{…}}")},
		"'${SECRET}'\n":  {space, quote, form("${…}")},
	} {
		if got := oddities(value); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

func TestAccessTokens(t *testing.T) {
	t.Parallel()
	for _, accepted := range []string{"t", "eyJhbGciOiJub25lIn0.e30.x-_~+/=", `"quoted"`, "bearertoken", strings.Repeat("x", 8000)} {
		if got, err := parseAccessToken(accepted); got != accepted || err != nil {
			t.Errorf("%q: %q, %v", accepted, got, err)
		}
	}
	for refused, want := range map[string]string{
		"Bearer hunter2":               "begins with the word Bearer, which the provider adds itself",
		"bearer hunter2\n":             "begins with the word Bearer",
		"Bearer":                       "begins with the word Bearer",
		"hunter2\n":                    "has white space or a byte order mark around it",
		"\ufeffhunter2":                "has white space or a byte order mark around it",
		`{"access_token":"hunter2"}`:   "the whole answer of a token endpoint",
		"hunter2 anew":                 "characters that no bearer token may have",
		"hunter2\nanew":                "characters that no bearer token may have",
		"hünter2":                      "characters that no bearer token may have",
		"Authorization: Basic hunter2": "characters that no bearer token may have",
	} {
		got, err := parseAccessToken(refused)
		if err == nil || got != "" || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %q, %v, want one about %q", refused, got, err, want)
		}
	}
}

// TestRejectedCredentialsAreTracedToTheirOrigin, and never to their values.
func TestRejectedCredentialsAreTracedToTheirOrigin(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "secret")
	if err := os.WriteFile(file, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const meant = ", and that both are meant for the service at base_url."
	refused := &catalogue.RejectedError{Err: tokenAnswered(401, "invalid_client", "")}
	given := &catalogue.RejectedError{Given: true, Err: answered(401, "UNAUTHORIZED", "")}
	hunter := types.StringValue("hunter2")
	for name, test := range map[string]struct {
		config      configuration
		environment map[string]string
		err         error
		summary     string
		says        []string
	}{
		"the block": {
			config: configuration{ClientID: hunter, ClientSecret: hunter}, err: refused, summary: summaryRejected,
			says: []string{"Check client_id and client_secret, which the provider block sets" + meant},
		},
		"the block and the environment": {
			config: configuration{ClientID: hunter}, environment: map[string]string{"CLIENT_SECRET": "hunter2"}, err: refused,
			summary: summaryRejected,
			says: []string{"Check client_id, which the provider block sets, and client_secret, which comes from " +
				"MODELCATALOGUE_CLIENT_SECRET" + meant},
		},
		"a file": {
			environment: map[string]string{"CLIENT_ID": "hunter2", "CLIENT_SECRET_FILE": file}, err: refused, summary: summaryRejected,
			says: []string{"Check client_id, which comes from MODELCATALOGUE_CLIENT_ID, and client_secret, which comes from the file " +
				"that MODELCATALOGUE_CLIENT_SECRET_FILE names" + meant},
		},
		"an old secret in the block over a new one": {
			config:      configuration{ClientID: hunter, ClientSecret: hunter},
			environment: map[string]string{"CLIENT_SECRET": "hunter2 anew"}, err: refused, summary: summaryRejected,
			says: []string{"MODELCATALOGUE_CLIENT_SECRET is set as well, and the provider block goes before it."},
		},
		"quotes": {
			config: configuration{ClientID: hunter, ClientSecret: types.StringValue(`"hunter2"`)}, err: refused, summary: summaryRejected,
			says: []string{"The value of client_secret has quotes around it that are part of the value. That may be the reason."},
		},
		"a token of the environment over a pair": {
			environment: map[string]string{"CLIENT_ID": "hunter2", "CLIENT_SECRET": "hunter2", "ACCESS_TOKEN": "hunter2"}, err: given,
			summary: summaryTokenRejected,
			says: []string{
				"The service refused the access token.",
				"MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET are set as well, and MODELCATALOGUE_ACCESS_TOKEN goes before them.",
				"Check access_token, which comes from MODELCATALOGUE_ACCESS_TOKEN, and that it is meant for the service at base_url. " +
					"Tokens expire: get a new one.",
			},
		},
		"a token of the block with quotes": {
			config: configuration{AccessToken: types.StringValue("'hunter2'")}, err: given, summary: summaryTokenRejected,
			says: []string{
				"The value of access_token has quotes around it that are part of the value. That may be the reason.",
				"Check access_token, which the provider block sets, and",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config.BaseURL = types.StringValue("https://catalogue.example")
			s, problems := test.config.settings(withVariables(test.environment))
			if len(problems) > 0 {
				t.Fatalf("%+v", problems)
			}
			d := catalogueDataSource{name: "model_groups", connection: &connection{explainer: explain.Explainer{Credentials: s.credentials}}}
			got := d.diagnose(test.err, explain.Subject{})
			if got.Summary() != test.summary || strings.Contains(got.Detail(), "hunter2") {
				t.Errorf("%s: %s", got.Summary(), got.Detail())
			}
			for _, want := range test.says {
				if !strings.Contains(got.Detail(), want) {
					t.Errorf("lacks %q:\n%s", want, got.Detail())
				}
			}
		})
	}
}
