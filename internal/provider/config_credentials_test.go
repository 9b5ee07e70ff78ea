package provider

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// Which credentials are used, of those that the block and the environment give. TestSettings has a pair in either, and
// TestMessages what is refused.
func TestWhichCredentials(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name              string
		id, secret, token any    // of the block
		environment       string // names of variables; the value of each is its name
		want              string // id:secret or a token
	}{
		{name: "a pair, half of it in the block", id: "i", environment: "CLIENT_SECRET", want: "i:CLIENT_SECRET"},
		{name: "the block's pair over a token", id: "i", secret: "s", environment: "ACCESS_TOKEN", want: "i:s"},
		{name: "the block's pair over a file", id: "i", secret: "s", environment: "CLIENT_SECRET_FILE", want: "i:s"},
		{name: "the block's half over a token", id: "i", environment: "CLIENT_SECRET ACCESS_TOKEN", want: "i:CLIENT_SECRET"},
		{name: "the block's token over a pair", token: "t", environment: "CLIENT_ID CLIENT_SECRET", want: "t"},
		{name: "both in the environment", environment: "CLIENT_ID CLIENT_SECRET ACCESS_TOKEN", want: "ACCESS_TOKEN"},
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
		if len(problems) > 0 || !slices.Equal(got.unknown, late) {
			t.Errorf("%s: problems %+v, unknown %q", test.name, problems, got.unknown)
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

// fileOf writes a file, and returns its path.
func fileOf(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestOddities: values that are not odd. TestMessages shows those that are.
func TestOddities(t *testing.T) {
	t.Parallel()
	for _, sound := range []string{"a long secret", "$ecret{}<xABCD", "ABCDEFGHIJKL==", "aBC=defghijk", "AB=defghijkl"} {
		if got := setting.Oddities(argClientSecret, sound); got != nil {
			t.Errorf("%q: %q", sound, got)
		}
	}
}
