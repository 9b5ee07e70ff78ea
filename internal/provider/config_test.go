package provider

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// complete is a provider block with what is required and nothing else.
var complete = arguments{argBaseURL: "https://catalogue.example", argClientID: "id", argClientSecret: "secret"}

// settle resolves a provider block in an environment of these
// assignments, whose names lack their prefix.
func settle(tb testing.TB, given arguments, assignments ...string) (settings, []configProblem) {
	tb.Helper()
	return block(tb, given).resolve(surroundings(assignments...))
}

// block returns a provider block as the provider decodes it.
func block(tb testing.TB, given arguments) (c configuration) {
	tb.Helper()
	var schema provider.SchemaResponse
	(&catalogueProvider{}).Schema(tb.Context(), provider.SchemaRequest{}, &schema)
	raw := valueOf(schemas.Provider.ValueType(), map[string]any(given))
	if diagnostics := (tfsdk.Config{Raw: raw, Schema: schema.Schema}).Get(tb.Context(), &c); diagnostics.HasError() {
		tb.Fatal(diagnostics)
	}
	return c
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
	certificates := []*x509.Certificate{certificate}
	env := []string{
		"BASE_URL=https://environment.example", "CLIENT_ID=environment id", "CLIENT_SECRET=environment secret",
		"CA_CERTIFICATE_PEM=" + inPEM, "REQUEST_TIMEOUT=10s", "READ_TIMEOUT=2m", "MAX_RETRIES=7", "MAX_REQUESTS=60/1m", "SNAPSHOT=false",
	}
	var wrong []string
	for _, assignment := range env {
		name, _, _ := strings.Cut(assignment, "=")
		wrong = append(wrong, name+"=wrong")
	}
	address := func(host, path string) *url.URL { return &url.URL{Scheme: "https", Host: host, Path: path} }
	defaults := catalogue.Config{
		BaseURL:        address("catalogue.example", ""),
		ClientID:       "id",
		ClientSecret:   "secret",
		RequestTimeout: 30 * time.Second,
		ReadTimeout:    5 * time.Minute,
		MaxRetries:     4,
		Snapshot:       true,
	}
	fromEnvironment := catalogue.Config{
		BaseURL:        address("environment.example", ""),
		ClientID:       "environment id",
		ClientSecret:   "environment secret",
		CACertificates: certificates,
		RequestTimeout: 10 * time.Second,
		ReadTimeout:    2 * time.Minute,
		MaxRetries:     7,
		Ceiling:        pace.Limit{Requests: 60, Per: time.Minute},
	}
	whole := arguments{
		argBaseURL:        "https://block.example/prefix/",
		argClientID:       "a",
		argClientSecret:   "b",
		argCACertificate:  inPEM,
		argRequestTimeout: "1m30s",
		argReadTimeout:    "500ms",
		argMaxRetries:     0,
		argMaxRequests:    "1/2s",
		argSnapshot:       true,
	}
	fromBlock := catalogue.Config{
		BaseURL:        address("block.example", "/prefix"),
		ClientID:       "a",
		ClientSecret:   "b",
		CACertificates: certificates,
		RequestTimeout: 90 * time.Second,
		ReadTimeout:    500 * time.Millisecond,
		Snapshot:       true,
		Ceiling:        pace.Limit{Requests: 1, Per: 2 * time.Second},
	}
	empty := arguments{}
	for argument, value := range whole {
		if _, isText := value.(string); isText {
			empty[argument] = ""
		}
	}
	for name, test := range map[string]struct {
		block       arguments
		environment []string
		want        catalogue.Config
	}{
		"defaults":                  {complete, nil, defaults},
		"the environment only":      {nil, env, fromEnvironment},
		"an empty block counts not": {empty, env, fromEnvironment},
		"empty arguments count not": {empty.merge(complete), nil, defaults},
		"empty variables count not": {
			complete, []string{"MAX_RETRIES=", "SNAPSHOT=", "READ_TIMEOUT=", "CLIENT_SECRET_FILE=", "ACCESS_TOKEN="}, defaults,
		},
		"the block goes first": {whole, wrong, fromBlock},
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
		"https://catalogue.example":              "https://catalogue.example",
		"https://catalogue.example/":             "https://catalogue.example",
		"https://catalogue.example/a/b":          "https://catalogue.example/a/b",
		"HTTPS://catalogue.example:8443/a/b/":    "https://catalogue.example:8443/a/b",
		"https://catalogue.example:65535/a%2Fb/": "https://catalogue.example:65535/a%2Fb",
		"https://catalogue.example/v1/eu":        "https://catalogue.example/v1/eu",
		"https://catalogue.example/v10":          "https://catalogue.example/v10",
		"https://192.0.2.1":                      "https://192.0.2.1",
		"https://[2001:db8::1]:8443":             "https://[2001:db8::1]:8443",
		"http://LOCALHOST:8080/a":                "http://LOCALHOST:8080/a",
		"http://localhost":                       "http://localhost",
		"http://127.8.9.10/x//":                  "http://127.8.9.10/x",
		"http://[::1]:8080/":                     "http://[::1]:8080",
	} {
		got, problems := settle(t, complete.with(argBaseURL, text))
		if len(problems) > 0 || got.client.BaseURL.String() != want {
			t.Errorf("%s: %v, %+v; want %s", text, got.client.BaseURL, problems, want)
		}
	}
	// One of the environment is quoted unless it may hold a password, or be a
	// secret in the wrong variable.
	for text, want := range map[string]bool{
		"https//catalogue.example":              true,
		"http://catalogue.example":              true,
		"catalogue.example":                     false,
		"https://me:hunter2@catalogue.example":  false,
		"me:hunter2@catalogue.example.com":      false,
		"hunter2":                               false,
		"https://catalogue.example?key=hunter2": false,
		"aGVsbG8/d29ybGQ=":                      false,
		"abc8Q~x.Y12":                           false,
		"eyJhbGci.e30.c2lnbmF0dXJl_-":           false,
	} {
		_, problems := settle(t, complete.with(argBaseURL, nil), "BASE_URL="+text)
		if len(problems) != 1 || strings.Contains(problems[0].detail, strconv.Quote(text)) != want {
			t.Errorf("%s: %+v, quoted: %t", text, problems, want)
		}
	}
}

// wrongValues are the values of an argument for which the same is said.
type wrongValues struct {
	argument string
	reason   string
	values   []string
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
			argument, reason, _ := strings.Cut(line, ": ")
			groups = append(groups, wrongValues{argument: argument, reason: reason})
		}
	}
	return groups
}

// TestValuesThatCannotBeUsed: each value is an error for that reason, in the block and in
// the environment alike, on its argument, and shows no password.
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
			if argument == argMaxRetries || argument == argSnapshot {
				continue // the block takes a number and a boolean
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
	expectInvalid(t, problems, argMaxRetries, "The value cannot be used: it must be at most 9223372036854775807, not 1e+400.", "")
}

// wrongCertificates are texts in PEM form that cannot be used, or nearly in it.
func wrongCertificates() []wrongValues {
	certificate, inPEM := trusted()
	inBase64 := base64.StdEncoding.EncodeToString([]byte(inPEM))
	secret := []byte("hunter2")
	about := func(reason string, values ...string) wrongValues {
		return wrongValues{argument: argCACertificate, reason: reason, values: values}
	}
	return []wrongValues{
		about("it has quotes around it; leave them", `"`+inPEM+`"`),
		about("it is base64 of a text in PEM form; give", inBase64, inBase64[:76]+"\n"+inBase64[76:]+"\n"),
		about("a certificate without the line -----BEGIN", base64.StdEncoding.EncodeToString(certificate.Raw)),
		about("a private key", pemOf("PRIVATE KEY", secret), pemOf("RSA PRIVATE KEY", secret), inPEM+pemOf("EC PRIVATE KEY", secret)),
		about("it holds a CERTIFICATE REQUEST; give", pemOf("CERTIFICATE REQUEST", []byte("a"))),
		about("certificate 2 in it is broken: x509: ", inPEM+pemOf("CERTIFICATE", certificate.Raw[:100])),
		about("certificate 1 in it is broken: its PEM block is cut", inPEM[:300]),
		about("certificate 2 in it is broken: its PEM block is cut", inPEM+inPEM[:300]),
		about(`its line breaks are spelled \n; give`, strings.ReplaceAll(inPEM, "\n", `\n`)),
		about("its line breaks are missing; give", strings.ReplaceAll(inPEM, "\n", " ")),
	}
}

// expectInvalid wants one problem of the argument, which begins so and gives that reason.
func expectInvalid(t *testing.T, problems []configProblem, argument, begins, reason string) {
	t.Helper()
	if len(problems) != 1 || problems[0].argument != argument || problems[0].missing || !strings.HasPrefix(problems[0].detail, begins) ||
		!strings.Contains(problems[0].detail, reason) || strings.Contains(problems[0].detail, "hunter2") {
		t.Errorf("%+v\nwant one on %s: %s%s", problems, argument, begins, reason)
	}
}

func TestAcceptedValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pace.Limit{
		"60/1m":       {Requests: 60, Per: time.Minute},
		"1/2s":        {Requests: 1, Per: 2 * time.Second},
		"10/1m30s":    {Requests: 10, Per: 90 * time.Second},
		"1000000/24h": {Requests: 1_000_000, Per: 24 * time.Hour},
		"1/1ms":       {Requests: 1, Per: time.Millisecond},
		"9/10m":       {Requests: 9, Per: 10 * time.Minute},
	} {
		if got, err := setting.ParseLimit(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v, %v, spelled %s", text, got, err, got)
		}
	}
	certificate, inPEM := trusted()
	for text, want := range map[string]int{
		inPEM:                                   1,
		"\ufeff" + inPEM:                        1,
		strings.ReplaceAll(inPEM, "\n", "\r\n"): 1,
		"    " + strings.ReplaceAll(inPEM, "\n", "\n  \t"):          1,
		"Our authority\n" + inPEM + "\n# and the old one\n" + inPEM: 2,
	} {
		got, err := setting.ParseCertificates(text)
		if err != nil || len(got) != want || !got[0].Equal(certificate) {
			t.Errorf("%d certificates, %v; want %d of %s", len(got), err, want, text)
		}
	}
	for _, padded := range []string{"t\n", "\ufefft", " t\r\n"} {
		if got, err := setting.ParseAccessToken(padded); got != "t" || err != nil {
			t.Errorf("%q: %q, %v", padded, got, err)
		}
	}
	for _, token := range []string{"t", "eyJhbGciOiJub25lIn0.e30.x-_~+/=", `"quoted"`, "bearertoken", strings.Repeat("x", 8000)} {
		if got, err := setting.ParseAccessToken(token); got != token || err != nil {
			t.Errorf("%q: %q, %v", token, got, err)
		}
	}
}

// TestTheProxyThatApplies shows which variable counts for which base_url, and what TestMessages does not show of those
// that are not the address of a proxy. No message shows the value, which may hold a password.
func TestTheProxyThatApplies(t *testing.T) {
	t.Parallel()
	const (
		base    = "https://catalogue.example"
		port    = "http://proxy.example:8080: its port is not a number from 1 to 65535."
		escapes = "special characters in its user name or password have to be written as %XX, such as %23 for #."
	)
	const none = ""
	for _, test := range []struct {
		base        string
		environment []string
		want        string // address and variable
		problem     string // a fragment
	}{
		{base, nil, none, ""},
		{base, []string{"HTTPS_PROXY=http://p.example:3128"}, "http://p.example:3128 HTTPS_PROXY", ""},
		{base, []string{"https_proxy=p.example:3128"}, "http://p.example:3128 https_proxy", ""},
		{base, []string{"https_proxy=:", "HTTPS_PROXY=https://p"}, "https://p HTTPS_PROXY", ""},
		{base, []string{"HTTPS_PROXY=http://joe:p%23ss@p.example:3128/"}, "http://p.example:3128 HTTPS_PROXY", ""},
		{base, []string{"HTTPS_PROXY=socks5://[::1]:1080"}, "socks5://[::1]:1080 HTTPS_PROXY", ""},
		{base, []string{"HTTP_PROXY=http:"}, none, ""},
		{base, []string{"HTTPS_PROXY=http:", "NO_PROXY=.other.example,catalogue.example"}, none, ""},
		{base, []string{"HTTPS_PROXY=http:", "no_proxy=*"}, none, ""},
		{"http://localhost:8080", []string{"HTTPS_PROXY=http:", "HTTP_PROXY=http:"}, none, ""},
		{"https://127.0.0.1:8443", []string{"HTTPS_PROXY=http:"}, none, ""},
		{base, []string{"HTTPS_PROXY=http://joe:p@ss@p.example:3128"}, "http://p.example:3128 HTTPS_PROXY", ""},
		{base, []string{"HTTPS_PROXY=http:", "NO_PROXY=other.example"}, none, "it begins with http, and a colon and two slashes do not"},
		{base, []string{"HTTPS_PROXY=HTTP//p.example"}, none, "it begins with http, and"},
		{base, []string{"https_proxy=http://"}, none, "of the environment variable https_proxy is not the address of a proxy, such as " +
			"http://proxy.example:8080: it names no host."},
		{base, []string{"HTTPS_PROXY=http://joe:12/hunter2@p.example:3128"}, none, escapes},
		{base, []string{"HTTPS_PROXY=joe:hunter2%rd@p.example:3128"}, none, escapes},
		{base, []string{"HTTPS_PROXY=http://joe:hunter2^rd@p.example:3128"}, none, escapes},
		{base, []string{"HTTPS_PROXY=http://joe:hunter2@<proxy>:3128"}, none, "its host is a placeholder."},
		{base, []string{"HTTPS_PROXY=http://joe:hunter2@p.example:99999"}, none, port},
		{base, []string{"HTTPS_PROXY=p.example:31:28"}, none, "it cannot be parsed as a URL."},
	} {
		got, problems := block(t, complete.with(argBaseURL, test.base)).resolve(setting.EnvironmentOf(test.environment))
		if test.problem == "" {
			found := none
			if proxy := got.client.Proxy; proxy != nil {
				found = proxy.Address + " " + proxy.Variable
			}
			if len(problems) > 0 || found != test.want {
				t.Errorf("%q: %q, %+v; want %q", test.environment, found, problems, test.want)
			}
			continue
		}
		if expectInvalid(t, problems, "", "", test.problem); inShort(problems)[0] != ": "+explain.SummaryInvalidProxy ||
			strings.Contains(problems[0].detail, "p.example:3128") {
			t.Errorf("%q: %+v", test.environment, problems)
		}
	}
}
