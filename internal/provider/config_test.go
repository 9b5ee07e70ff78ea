package provider

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// complete is a provider block with the required arguments and nothing else.
var complete = arguments{argBaseURL: "https://catalogue.example", argClientID: "id", argClientSecret: "secret"}

// settle resolves a provider block in an environment of these assignments, whose names lack their prefix.
func settle(tb testing.TB, given arguments, assignments ...string) (settings, []configProblem) {
	tb.Helper()
	return block(tb, given).resolve(surroundings(assignments...))
}

// block returns a provider block as the provider decodes it.
func block(tb testing.TB, given arguments) configuration {
	tb.Helper()
	var schema provider.SchemaResponse
	(&catalogueProvider{}).Schema(tb.Context(), provider.SchemaRequest{}, &schema)
	raw := valueOf(schemas.Provider.ValueType(), map[string]any(given))
	var diagnostics diag.Diagnostics
	decoded := decode(tb.Context(), tfsdk.Config{Raw: raw, Schema: schema.Schema}, &diagnostics)
	if diagnostics.HasError() {
		tb.Fatal(diagnostics)
	}
	return decoded
}

func surroundings(assignments ...string) environment {
	whole := make([]string, 0, len(assignments))
	for _, assignment := range assignments {
		whole = append(whole, setting.Prefix+assignment)
	}
	return setting.EnvironmentOf(whole)
}

// trusted returns a certificate, and the same in PEM form.
func trusted() (certificate *x509.Certificate, text string) {
	service := httptest.NewTLSServer(nil)
	service.Close()
	return service.Certificate(), pemOf("CERTIFICATE", service.Certificate().Raw)
}

func pemOf(kind string, content []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
}

func TestSettings(t *testing.T) {
	t.Parallel()
	certificate, inPEM := trusted()
	own, ownPEM, ownKey := clientPair(t, "")
	whole := arguments{
		argBaseURL:        "https://whole.example/prefix/",
		argClientID:       "a",
		argClientSecret:   "b",
		argHeaders:        map[string]any{"X-Key": "k: 1", "cf-id": "2"},
		argCACertificate:  inPEM,
		argRequestTimeout: "1m30s",
		argReadTimeout:    "500ms",
		argMaxRetries:     0,
		argMaxRequests:    "1/2s",
		argSnapshot:       false,

		argClientCertificate: ownPEM,
		argClientKey:         ownKey,
	}
	ofWhole := catalogue.Config{
		BaseURL:        &url.URL{Scheme: "https", Host: "whole.example", Path: "/prefix"},
		ClientID:       "a",
		ClientSecret:   "b",
		Headers:        map[string]string{"X-Key": "k: 1", "cf-id": "2"},
		CACertificates: []*x509.Certificate{certificate},
		RequestTimeout: 90 * time.Second,
		ReadTimeout:    500 * time.Millisecond,
		MaxRetries:     0,
		Ceiling:        pace.Limit{Requests: 1, Per: 2 * time.Second},
		Snapshot:       false,

		ClientCertificate: own,
	}
	defaults := catalogue.Config{
		BaseURL:        &url.URL{Scheme: "https", Host: "catalogue.example"},
		ClientID:       "id",
		ClientSecret:   "secret",
		RequestTimeout: 30 * time.Second,
		ReadTimeout:    5 * time.Minute,
		MaxRetries:     4,
		Snapshot:       true,
	}
	empty := arguments{}
	var set, wrong, blank []string
	for argument, value := range whole {
		name := strings.ToUpper(argument)
		if argument == argHeaders {
			empty[argument] = map[string]any{}
			value = "\ufeffX-Key: k: 1\r\n\r\n  cf-id:2 \n"
		}
		set = append(set, fmt.Sprintf("%s=%v", name, value))
		wrong = append(wrong, name+"=wrong")
		blank = append(blank, name+"=", name+"_FILE=")
		if _, isText := whole[argument].(string); isText {
			empty[argument] = ""
		}
	}
	for name, test := range map[string]struct {
		block       arguments
		environment []string
		want        catalogue.Config
	}{
		"defaults":                  {complete, nil, defaults},
		"the environment only":      {nil, set, ofWhole},
		"an empty block counts not": {empty, set, ofWhole},
		"empty arguments count not": {empty.merge(complete), nil, defaults},
		"empty variables count not": {complete, append(blank, "ACCESS_TOKEN="), defaults},
		"the block goes first":      {whole, append(wrong, "CLIENT_SECRET_FILE=none"), ofWhole},
	} {
		got, problems := settle(t, test.block, test.environment...)
		if base := got.client.BaseURL; base != nil {
			base.RawPath = "" // how the path is escaped; TestBaseURLs compares it
		}
		if len(problems) > 0 || !reflect.DeepEqual(got.client, test.want) || got.unknown != nil {
			t.Errorf("%s: %+v, %+v\nwant %+v", name, problems, got, test.want)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://catalogue.example/":             "https://catalogue.example",
		"https://catalogue.example/a/b":          "https://catalogue.example/a/b",
		"HTTPS://catalogue.example:8443/a/b/":    "https://catalogue.example:8443/a/b",
		"https://catalogue.example:65535/a%2Fb/": "https://catalogue.example:65535/a%2Fb",
		"https://catalogue.example/v1/eu":        "https://catalogue.example/v1/eu",
		"https://catalogue.example/v10":          "https://catalogue.example/v10",
		"https://[2001:db8::1]:8443":             "https://[2001:db8::1]:8443",
		"http://LOCALHOST:8080/a":                "http://LOCALHOST:8080/a",
		"http://127.8.9.10/x//":                  "http://127.8.9.10/x",
		"http://[::1]:8080/":                     "http://[::1]:8080",
	} {
		got, problems := settle(t, complete.with(argBaseURL, text))
		if len(problems) > 0 || got.client.BaseURL.String() != want {
			t.Errorf("%s: %v, %+v; want %s", text, got.client.BaseURL, problems, want)
		}
	}
}

// wrongValues are the values of an argument for which the same is said.
type wrongValues struct {
	argument string
	reason   string
	values   []string
	isShown  bool // by TestMessages, the first of them
}

// readWrongValues reads testdata/wrong_values.txt: a line says what is wrong, and the indented lines after it have values.
func readWrongValues() (groups []wrongValues) {
	text, err := os.ReadFile("testdata/wrong_values.txt")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		quoted, isValue := strings.CutPrefix(line, "\t")
		switch value, err := strconv.Unquote(quoted); {
		case isValue && err != nil:
			panic(line)
		case isValue:
			last := &groups[len(groups)-1]
			last.values = append(last.values, value)
		case line != "" && line[0] != '#':
			rest, isShown := strings.CutPrefix(line, "* ")
			argument, reason, _ := strings.Cut(rest, ": ")
			groups = append(groups, wrongValues{argument: argument, reason: reason, isShown: isShown})
		}
	}
	return groups
}

// TestValuesThatCannotBeUsed: each value is an error for that reason, in the block and in the environment alike, on
// its argument, and never shows a password.
func TestValuesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, group := range append(readWrongValues(), wrongCertificates()...) {
		for _, value := range group.values {
			argument := group.argument
			without := complete.with(argument, nil)
			if argument == argAccessToken {
				without = arguments{argBaseURL: complete[argBaseURL]}
			}
			_, problems := settle(t, without, strings.ToUpper(argument)+"="+value)
			expectInvalid(t, problems, argument,
				"The provider block does not set "+argument+", and the value of the environment variable "+setting.Variable(argument),
				group.reason)
			if slices.Contains([]string{argMaxRetries, argSnapshot, argHeaders}, argument) {
				continue // the block takes a number, a boolean and a map
			}
			_, problems = settle(t, without.with(argument, value))
			expectInvalid(t, problems, argument, "The value cannot be used: ", group.reason)
		}
	}
	huge, _, err := big.ParseFloat("1e400", 10, 512, big.ToNearestEven) // as engines spell it
	if err != nil {
		t.Fatal(err)
	}
	_, problems := settle(t, complete.with(argMaxRetries, huge))
	expectInvalid(t, problems, argMaxRetries, "The value cannot be used: ", "is not a whole number from 0 to 2147483647")
}

// wrongCertificates are texts in PEM form that TestMessages does not show.
func wrongCertificates() []wrongValues {
	_, inPEM := trusted()
	about := func(argument, reason, text string) wrongValues {
		return wrongValues{argument: argument, reason: reason, values: []string{text}}
	}
	return []wrongValues{
		about(argCACertificate, "a private key", inPEM+pemOf("EC PRIVATE KEY", []byte("hunter2"))),
		about(argCACertificate, "certificate 1 of 2 is broken: its PEM block is cut short or damaged", inPEM[:300]+inPEM[:300]),
	}
}

// expectInvalid fails unless there is one problem of the argument, which begins so and gives that reason.
func expectInvalid(t *testing.T, problems []configProblem, argument, begins, reason string) {
	t.Helper()
	if len(problems) != 1 {
		t.Fatalf("%+v\nwant one on %s: %s%s", problems, argument, begins, reason)
	}
	p := problems[0]
	isSo := strings.HasPrefix(p.detail, begins) && strings.Contains(p.detail, reason)
	if !isSo || p.argument != argument || p.missing || strings.Contains(p.detail, "hunter2") {
		t.Errorf("%+v\nwant one on %s: %s%s", p, argument, begins, reason)
	}
}

func TestAcceptedValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pace.Limit{
		"10/1m30s":    {Requests: 10, Per: 90 * time.Second},
		"1000000/24h": {Requests: 1_000_000, Per: 24 * time.Hour},
		"1/1ms":       {Requests: 1, Per: time.Millisecond},
	} {
		if got, err := setting.ParseLimit(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	certificate, inPEM := trusted()
	for text, want := range map[string]int{
		"\ufeff" + inPEM:                                            1,
		strings.ReplaceAll(inPEM, "\n", "\r\n"):                     1,
		"    " + strings.ReplaceAll(inPEM, "\n", "\n  \t"):          1,
		"Our authority\n" + inPEM + "\n# and the old one\n" + inPEM: 2,
		strings.TrimSpace(inPEM) + strings.TrimSpace(inPEM):         2,
	} {
		got, err := setting.ParseBundle(text)
		if err != nil || len(got.Certificates) != want || !got.Certificates[0].Equal(certificate) || got.LeftOut != nil {
			t.Errorf("%+v, %v; want %d of %s", got, err, want, text)
		}
	}
	for text, want := range map[string]string{
		"\ufefft\n":                       "t",
		" t\r\n":                          "t",
		"eyJhbGciOiJub25lIn0.e30.x-_~+/=": "eyJhbGciOiJub25lIn0.e30.x-_~+/=",
		`"quoted"`:                        `"quoted"`,
		"bearertoken":                     "bearertoken",
	} {
		if got, err := setting.ParseAccessToken(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// TestTheProxyThatApplies shows which variable counts for which base_url. TestMessages has what cannot be used.
func TestTheProxyThatApplies(t *testing.T) {
	t.Parallel()
	const (
		base = "https://catalogue.example"
		none = ""
	)
	for _, test := range []struct {
		base        string
		environment []string
		want        string // address and variable
	}{
		{base, nil, none},
		{base, []string{"HTTPS_PROXY=http://p.example:3128"}, "http://p.example:3128 HTTPS_PROXY"},
		{base, []string{"https_proxy=p.example:3128"}, "http://p.example:3128 https_proxy"},
		{base, []string{"https_proxy=:", "HTTPS_PROXY=https://p"}, "https://p HTTPS_PROXY"},
		{base, []string{"HTTPS_PROXY=http://joe:p%23ss@p.example:3128/"}, "http://p.example:3128 HTTPS_PROXY"},
		{base, []string{"HTTPS_PROXY=http://joe:p@ss@p.example:3128"}, "http://p.example:3128 HTTPS_PROXY"},
		{base, []string{"HTTPS_PROXY=socks5://[::1]:1080"}, "socks5://[::1]:1080 HTTPS_PROXY"},
		{base, []string{"HTTP_PROXY=http:"}, none},
		{base, []string{"HTTPS_PROXY=http:", "NO_PROXY=.other.example,catalogue.example"}, none},
		{base, []string{"HTTPS_PROXY=http:", "no_proxy=*"}, none},
		{base, []string{"HTTPS_PROXY=socks5h://p", "NO_PROXY=other.example"}, "socks5h://p HTTPS_PROXY"},
		{"http://localhost:8080", []string{"HTTPS_PROXY=http:", "HTTP_PROXY=http:"}, none},
		{"https://127.0.0.1:8443", []string{"HTTPS_PROXY=http:"}, none},
	} {
		got, problems := block(t, complete.with(argBaseURL, test.base)).resolve(setting.EnvironmentOf(test.environment))
		found := none
		if proxy := got.client.Proxy; proxy != nil {
			found = proxy.Address + " " + proxy.Variable
		}
		if len(problems) > 0 || found != test.want {
			t.Errorf("%q: %q, %+v; want %q", test.environment, found, problems, test.want)
		}
	}
}
