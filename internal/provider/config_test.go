package provider

import (
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// complete is a configuration with what is required and nothing else.
func complete() configuration {
	return configuration{
		BaseURL:      types.StringValue("https://catalogue.example"),
		ClientID:     types.StringValue("id"),
		ClientSecret: types.StringValue("secret"),
	}
}

func baseURL(tb testing.TB, text string) *url.URL {
	tb.Helper()
	parsed, err := parseBaseURL(text)
	if err != nil {
		tb.Fatal(err)
	}
	return parsed
}

func emptyEnvironment(string) string { return "" }

func TestSettings(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	fromEnvironment := map[string]string{
		"MODELCATALOGUE_BASE_URL":           "https://environment.example",
		"MODELCATALOGUE_CLIENT_ID":          "environment id",
		"MODELCATALOGUE_CLIENT_SECRET":      "environment secret",
		"MODELCATALOGUE_CA_CERTIFICATE_PEM": certificate,

		"MODELCATALOGUE_REQUEST_TIMEOUT":         "10s",
		"MODELCATALOGUE_READ_TIMEOUT":            "2m",
		"MODELCATALOGUE_MAX_RETRIES":             "7",
		"MODELCATALOGUE_MAX_REQUESTS_PER_SECOND": "2.5",
		"MODELCATALOGUE_SNAPSHOT":                "false",
	}
	defaults := catalogue.Config{
		BaseURL: baseURL(t, "https://catalogue.example"), ClientID: "id", ClientSecret: "secret",
		RequestTimeout: 30 * time.Second, ReadTimeout: 5 * time.Minute, MaxRetries: 4, Snapshot: true,
	}
	certificates := []*x509.Certificate{server.Certificate()}
	environmentOnly := catalogue.Config{
		BaseURL: baseURL(t, "https://environment.example"), ClientID: "environment id", ClientSecret: "environment secret",
		CACertificates: certificates,
		RequestTimeout: 10 * time.Second, ReadTimeout: 2 * time.Minute, MaxRetries: 7, MaxRequestsPerSecond: 2.5, Snapshot: false,
	}
	wrong := map[string]string{}
	for variable := range fromEnvironment {
		wrong[variable] = "wrong"
	}
	for name, test := range map[string]struct {
		config      configuration
		environment map[string]string
		want        catalogue.Config
	}{
		"defaults":         {config: complete(), want: defaults},
		"environment only": {environment: fromEnvironment, want: environmentOnly},
		"empty HCL counts not": {
			config: configuration{
				BaseURL: types.StringValue(""), ClientID: types.StringValue(""), ClientSecret: types.StringValue(""),
				CACertificatePEM: types.StringValue(""),
				RequestTimeout:   types.StringValue(""), ReadTimeout: types.StringValue(""),
			},
			environment: fromEnvironment, want: environmentOnly,
		},
		"empty duration counts not": {config: func() configuration {
			c := complete()
			c.RequestTimeout, c.ReadTimeout = types.StringValue(""), types.StringValue("")
			return c
		}(), want: defaults},
		"empty variables count not": {
			config: complete(), want: defaults,
			environment: map[string]string{
				"MODELCATALOGUE_MAX_RETRIES": "", "MODELCATALOGUE_SNAPSHOT": "",
				"MODELCATALOGUE_READ_TIMEOUT": "",
			},
		},
		"HCL over environment": {
			config: configuration{
				BaseURL: types.StringValue("http://localhost:8080/prefix/"), ClientID: types.StringValue("a"),
				ClientSecret:     types.StringValue("b"),
				CACertificatePEM: types.StringValue(certificate), RequestTimeout: types.StringValue("1m30s"),
				ReadTimeout: types.StringValue("500ms"),
				MaxRetries:  types.NumberValue(big.NewFloat(0)), MaxRequestsPerSecond: types.NumberValue(big.NewFloat(0.5)),
				Snapshot: types.BoolValue(true),
			},
			environment: wrong,
			want: catalogue.Config{
				BaseURL: baseURL(t, "http://localhost:8080/prefix/"), ClientID: "a", ClientSecret: "b", CACertificates: certificates,
				RequestTimeout: 90 * time.Second, ReadTimeout: 500 * time.Millisecond, MaxRetries: 0, MaxRequestsPerSecond: 0.5,
				Snapshot: true,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := test.config.settings(func(variable string) string { return test.environment[variable] })
			if len(problems) > 0 {
				t.Fatalf("problems: %+v", problems)
			}
			if !reflect.DeepEqual(got.client, test.want) || got.unknown != nil {
				t.Errorf("%+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestBaseURLs(t *testing.T) {
	t.Parallel()
	for _, accepted := range []string{
		"https://catalogue.example", "https://catalogue.example/", "https://catalogue.example/a/b", "https://catalogue.example/a/b/",
		"https://catalogue.example:8443/a%2Fb", "HTTPS://catalogue.example", "https://192.0.2.1", "https://[2001:db8::1]:8443",
		"http://localhost", "http://LOCALHOST:8080/a", "http://127.0.0.1:8080/", "http://127.8.9.10", "http://[::1]:8080",
	} {
		c := complete()
		c.BaseURL = types.StringValue(accepted)
		if _, problems := c.settings(emptyEnvironment); len(problems) > 0 {
			t.Errorf("%q: %+v", accepted, problems)
		}
	}
	for refused, fragment := range map[string]string{
		"catalogue.example":                  "absolute URL that starts with https://",
		"catalogue.example:8443":             "absolute URL that starts with https://",
		"/v1":                                "absolute URL that starts with https://",
		"//catalogue.example":                "absolute URL that starts with https://",
		"https:catalogue.example":            "absolute URL that starts with https://",
		"ftp://catalogue.example":            "absolute URL that starts with https://",
		"https://":                           "names no host",
		"https:///a":                         "names no host",
		"https://:8443":                      "names no host",
		"https://user@catalogue.example":     "user name or password",
		"https://user:pw@catalogue.example":  "user name or password",
		"https://catalogue.example?a=b":      "query",
		"https://catalogue.example/?":        "query",
		"https://catalogue.example/#a":       "fragment",
		"https://catalogue.example/#":        "fragment",
		"https://catalogue.example:":         "port",
		"https://catalogue.example:0":        "port",
		"https://catalogue.example:65536":    "port",
		"https://catalogue.example:abc":      "cannot be parsed as a URL",
		"https://catalogue.example/%zz":      "cannot be parsed as a URL",
		" https://catalogue.example":         "white space around it; leave that out",
		"\"https://catalogue.example\"":      "quotes around it",
		"https://catalogue.example/v1":       "ends in /v1; leave that out",
		"https://user:p%zz@c.example":        "cannot be parsed as a URL",
		"https://catalogue.example/a/../b":   ". or ..",
		"http://catalogue.example":           "unencrypted",
		"http://192.0.2.1":                   "unencrypted",
		"http://127.0.0.1.catalogue.example": "unencrypted",
		"http://localhost.catalogue.example": "unencrypted",
	} {
		c := complete()
		c.BaseURL = types.StringValue(refused)
		_, problems := c.settings(emptyEnvironment)
		if len(problems) != 1 {
			t.Errorf("%q: %d problems", refused, len(problems))
			continue
		}
		p := problems[0]
		if p.argument != "base_url" || p.missing || !strings.Contains(p.detail, fragment) {
			t.Errorf("%q: %+v, want %q", refused, p, fragment)
		}
		// What stands before an @ may be a password.
		if strings.Contains(p.detail, "pw") || strings.Contains(p.detail, "%zz@") {
			t.Errorf("%q: the detail shows the password: %s", refused, p.detail)
		}
	}
}

func TestOneProblem(t *testing.T) {
	t.Parallel()
	number := func(text string) types.Number {
		value, err := parseNumber(text)
		if err != nil {
			t.Fatal(err)
		}
		return types.NumberValue(value)
	}
	const (
		fromVariable = "the value of the environment variable MODELCATALOGUE_"
		noDuration   = `is no duration; write a number and a unit, such as "30s"`
	)
	for name, test := range map[string]struct {
		change      func(*configuration)
		environment map[string]string
		argument    string
		missing     bool
		details     []string // fragments
	}{
		"no base_url": {
			change: func(c *configuration) { c.BaseURL = types.StringNull() }, argument: "base_url", missing: true,
			details: []string{"The provider needs base_url. Set it in the provider block", "the environment variable MODELCATALOGUE_BASE_URL."},
		},
		"empty base_url": {
			change: func(c *configuration) { c.BaseURL = types.StringValue("") }, argument: "base_url", missing: true,
			details: []string{"MODELCATALOGUE_BASE_URL"},
		},
		"no client_id": {
			change: func(c *configuration) { c.ClientID = types.StringNull() }, argument: "client_id", missing: true,
			details: []string{"client_id", "MODELCATALOGUE_CLIENT_ID."},
		},
		"no client_secret": {
			change: func(c *configuration) { c.ClientSecret = types.StringNull() }, argument: "client_secret", missing: true,
			details: []string{"client_secret", "MODELCATALOGUE_CLIENT_SECRET."},
		},
		"base_url of the environment": {
			change: func(c *configuration) { c.BaseURL = types.StringNull() }, environment: map[string]string{"BASE_URL": "ftp://a"},
			argument: "base_url",
			details: []string{
				"The provider block does not set base_url, and " + fromVariable + "BASE_URL cannot be used",
				"cannot be used: it must be an absolute URL that starts with https://.",
			},
		},
		"certificate of the environment": {
			environment: map[string]string{"CA_CERTIFICATE_PEM": "ca.pem"}, argument: "ca_certificate_pem",
			details: []string{fromVariable + "CA_CERTIFICATE_PEM", "it looks like the name of a file"},
		},
		"request_timeout of the environment": {
			environment: map[string]string{"REQUEST_TIMEOUT": "30"}, argument: "request_timeout",
			details: []string{fromVariable + "REQUEST_TIMEOUT", `"30" ` + noDuration},
		},
		"read_timeout of the environment": {
			environment: map[string]string{"READ_TIMEOUT": "0s"}, argument: "read_timeout",
			details: []string{fromVariable + "READ_TIMEOUT", "longer than zero"},
		},
		"max_retries of the environment": {
			environment: map[string]string{"MAX_RETRIES": "many"}, argument: "max_retries",
			details: []string{fromVariable + "MAX_RETRIES", `"many" is no number.`},
		},
		"infinite max_retries of the environment": {
			environment: map[string]string{"MAX_RETRIES": "inf"}, argument: "max_retries",
			details: []string{fromVariable + "MAX_RETRIES", `"inf" is no number.`},
		},
		"max_requests_per_second of the environment": {
			environment: map[string]string{"MAX_REQUESTS_PER_SECOND": "-1"}, argument: "max_requests_per_second",
			details: []string{
				fromVariable + "MAX_REQUESTS_PER_SECOND",
				"it must be greater than 0, and is -1; leave it out for no ceiling.",
			},
		},
		"snapshot of the environment": {
			environment: map[string]string{"SNAPSHOT": "yes"}, argument: "snapshot",
			details: []string{fromVariable + "SNAPSHOT", `"yes" is neither true nor false.`},
		},
		"certificate": {
			change: func(c *configuration) { c.CACertificatePEM = types.StringValue("none") }, argument: "ca_certificate_pem",
			details: []string{`The value cannot be used: it looks like the name of a file`, `file("…")`},
		},
		"request_timeout, no unit": {
			change: func(c *configuration) { c.RequestTimeout = types.StringValue("30") }, argument: "request_timeout",
			details: []string{`"30" ` + noDuration},
		},
		"request_timeout, words": {
			change: func(c *configuration) { c.RequestTimeout = types.StringValue("soon") }, argument: "request_timeout",
			details: []string{`"soon" ` + noDuration},
		},
		"request_timeout, zero": {
			change: func(c *configuration) { c.RequestTimeout = types.StringValue("0s") }, argument: "request_timeout",
			details: []string{"longer than zero"},
		},
		"read_timeout, no unit": {
			change: func(c *configuration) { c.ReadTimeout = types.StringValue("5") }, argument: "read_timeout",
			details: []string{`"5" ` + noDuration},
		},
		"read_timeout, negative": {
			change: func(c *configuration) { c.ReadTimeout = types.StringValue("-1m") }, argument: "read_timeout",
			details: []string{"longer than zero"},
		},
		"max_retries, negative": {
			change: func(c *configuration) { c.MaxRetries = number("-1") }, argument: "max_retries",
			details: []string{"The value cannot be used: it must be at least 0, not -1."},
		},
		"max_requests_per_second, zero": {
			change: func(c *configuration) { c.MaxRequestsPerSecond = number("0") }, argument: "max_requests_per_second",
			details: []string{"greater than 0, and is 0; leave it out"},
		},
		"max_requests_per_second, negative": {
			change: func(c *configuration) { c.MaxRequestsPerSecond = number("-2.5") }, argument: "max_requests_per_second",
			details: []string{"greater than 0, and is -2.5"},
		},
		"max_requests_per_second, tiny": {
			change: func(c *configuration) { c.MaxRequestsPerSecond = number("1e-400") }, argument: "max_requests_per_second",
			details: []string{"from 0.000001 to 1000000000, and is 1e-400"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := complete()
			if test.change != nil {
				test.change(&c)
			}
			_, problems := c.settings(func(variable string) string {
				return test.environment[strings.TrimPrefix(variable, "MODELCATALOGUE_")]
			})
			if len(problems) != 1 {
				t.Fatalf("want one problem, got %+v", problems)
			}
			got := problems[0]
			if got.argument != test.argument || got.missing != test.missing {
				t.Errorf("%+v", got)
			}
			for _, detail := range test.details {
				if !strings.Contains(got.detail, detail) {
					t.Errorf("the detail lacks %q: %s", detail, got.detail)
				}
			}
		})
	}
}
