package provider

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// The arguments of the provider block.
const (
	argBaseURL           = settings.BaseURL
	argClientID          = settings.ClientID
	argClientSecret      = settings.ClientSecret
	argAccessToken       = settings.AccessToken
	argHeaders           = settings.Headers
	argClientCertificate = settings.ClientCertificate
	argClientKey         = settings.ClientKey
	argCACertificate     = settings.CACertificate
	argRequestTimeout    = settings.RequestTimeout
	argReadTimeout       = settings.ReadTimeout
	argMaxRetries        = settings.MaxRetries
	argMaxRequests       = settings.MaxRequests
	argSnapshot          = settings.Snapshot
)

// complete is a provider block with the required arguments and nothing else.
var complete = arguments{argBaseURL: "https://catalogue.example", argClientID: "id", argClientSecret: "secret"}

// settle resolves a provider block in an environment of these assignments, whose names lack their prefix.
func settle(tb testing.TB, given arguments, assignments ...string) settings.Resolved {
	tb.Helper()
	return settings.Resolve(block(tb, given), surroundings(assignments...))
}

// block returns a provider block as the provider decodes it.
func block(tb testing.TB, given arguments) settings.Block {
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

func surroundings(assignments ...string) settings.Environment {
	whole := make([]string, 0, len(assignments))
	for _, assignment := range assignments {
		whole = append(whole, settings.Prefix+assignment)
	}
	return settings.EnvironmentOf(whole)
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
	own.Certificate = append(own.Certificate, certificate.Raw)
	whole := arguments{
		argBaseURL:        "https://whole.example/prefix/",
		argClientID:       "a",
		argClientSecret:   "b",
		argHeaders:        map[string]any{"X-Key": "k: 1", "cf-id": "2"},
		argCACertificate:  inPEM,
		argRequestTimeout: "1m30s",
		argReadTimeout:    "500ms",
		argMaxRetries:     1_000_000,
		argMaxRequests:    "1/2s",
		argSnapshot:       false,

		argClientCertificate: ownPEM + inPEM,
		argClientKey:         ownKey,
	}
	if len(whole) != len(settings.Arguments)-1 { // all but access_token
		t.Errorf("%d arguments are tried of %q", len(whole), settings.Arguments)
	}
	ofWhole := catalogue.Config{
		BaseURL:        &url.URL{Scheme: "https", Host: "whole.example", Path: "/prefix"},
		ClientID:       "a",
		ClientSecret:   "b",
		Headers:        map[string]string{"X-Key": "k: 1", "cf-id": "2"},
		CACertificates: []*x509.Certificate{certificate},
		RequestTimeout: 90 * time.Second,
		ReadTimeout:    500 * time.Millisecond,
		MaxRetries:     1_000_000,
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
		got := settle(t, test.block, test.environment...)
		if base := got.Client.BaseURL; base != nil {
			base.RawPath = "" // how the path is escaped; TestConfigurations compares it
		}
		if got.Problems != nil || !reflect.DeepEqual(got.Client, test.want) || got.Unknown != nil {
			t.Errorf("%s: %+v\nwant %+v", name, got, test.want)
		}
	}
}

// wrongValues are the values of an argument that share an error.
type wrongValues struct {
	argument string
	reason   string
	values   []string
}

// readWrongValues reads testdata/wrong_values.txt: a line describes a mistake, and the indented lines after it have
// values with it.
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

// TestValuesThatCannotBeUsed: each value is an error for that reason, in the block and in the environment alike, on
// its argument, and never shows a password.
func TestValuesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	tried := []string{argClientID, argClientSecret, argClientCertificate, argClientKey} // or have tests of their own
	for _, group := range readWrongValues() {
		tried = append(tried, group.argument)
		for _, value := range group.values {
			without := complete.with(group.argument, nil)
			if group.argument == argAccessToken {
				without = arguments{argBaseURL: complete[argBaseURL]}
			}
			group.expect(t, without, strings.ToUpper(group.argument)+"="+value)
			if !slices.Contains([]string{argMaxRetries, argSnapshot, argHeaders}, group.argument) { // not strings there
				group.expect(t, without.with(group.argument, value))
			}
		}
	}
	for _, argument := range settings.Arguments {
		if !slices.Contains(tried, argument) {
			t.Errorf("testdata/wrong_values.txt has no value of %s", argument)
		}
	}
	wrongValues{argument: argMaxRetries, reason: `"1.5" is not a whole number from 0 to …`}.expect(t, complete.with(argMaxRetries, 1.5))
}

// expect fails unless the one error of a configuration is on the argument, and gives the reason.
func (w wrongValues) expect(t *testing.T, config arguments, environment ...string) {
	t.Helper()
	subject := "The value cannot be used: "
	if environment != nil {
		subject = "The provider block does not set " + w.argument + ", and the value of the environment variable "
	}
	reason, isCut := strings.CutSuffix(w.reason, " …")
	if !isCut {
		reason += "."
	}
	_, diagnostics := startEngine(t, within(environment...), config)
	expectError(t, diagnostics, w.argument, explain.SummaryInvalid(w.argument), subject, reason)
	if strings.Contains(diagnostics[0].Detail, "hunter2") {
		t.Errorf("a password is shown: %s", diagnostics[0].Detail)
	}
}
