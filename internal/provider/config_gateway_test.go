package provider

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// clientPair returns a certificate of a client that an authority of that name signed, or the client itself, and both in
// PEM form.
func clientPair(tb testing.TB, authority string) (pair tls.Certificate, certificate, key string) {
	tb.Helper()
	pair, _ = sandboxtest.Certify(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "client"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(time.Hour),
	}, authority)
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	leaf, errLeaf := x509.ParseCertificate(pair.Certificate[0])
	if err != nil || errLeaf != nil {
		tb.Fatal(err, errLeaf)
	}
	pair.Leaf = leaf
	return pair, pemOf("CERTIFICATE", leaf.Raw), pemOf("PRIVATE KEY", der)
}

// TestHeadersOfTheBlock: each problem is at its key, in `validate`. What is merely absent waits for configuring.
func TestHeadersOfTheBlock(t *testing.T) {
	t.Parallel()
	refused := strings.Fields("Authorization authorization Host Content-Length content-type Content-Encoding Accept Accept-Encoding " +
		"User-Agent Connection Transfer-Encoding TE Trailer Upgrade Keep-Alive Proxy-Connection Expect Cache-Control Range If-None-Match")
	for _, name := range append(refused, "", "X Key", "X-Key:", "X-Kéy", "X-Key\n", "(x)") {
		expectOutcomes(t, validateProvider(t, complete.with(argHeaders, map[string]any{name: "hunter2"})),
			outcome{argument: strings.TrimSuffix(fmt.Sprintf("headers[%q]", name), `[""]`), summary: "Invalid headers"})
	}
	for value, absent := range map[any]bool{
		"a\nb": false, "a\r\nX-Other: b": false, "a\x00": false, "a\x7f": false, "a\tb": false, " a": false, "a\n": false, "a\u200b": false,
		"": true, " ": true, nil: true,
	} {
		config := complete.with(argHeaders, map[string]any{"X-Key": value})
		want := outcome{argument: `headers["X-Key"]`, summary: "Invalid headers"}
		if absent {
			expectNone(t, validateProvider(t, config))
		} else {
			expectOutcomes(t, validateProvider(t, config), want)
		}
		_, diagnostics := startEngine(t, within("HEADERS=X-Key: of the environment"), config)
		expectOutcomes(t, diagnostics, want)
	}
	expectOutcomes(t, validateProvider(t, complete.with(argHeaders, map[string]any{"X-KEY": "a", "X-Key": "a", "x-key": unknown, "Host": unknown})),
		outcome{argument: `headers["Host"]`, summary: "Invalid headers"},
		outcome{argument: `headers["X-Key"]`, summary: "Invalid headers"},
		outcome{argument: `headers["x-key"]`, summary: "Invalid headers"})
	for _, fine := range []string{"Proxy-Authorization", "CF-Access-Client-Id", "Ocp-Apim-Subscription-Key", "apikey", "Cookie", "X_Y", "Date"} {
		expectNone(t, validateProvider(t, complete.with(argHeaders, map[string]any{fine: "Bearer ä"})))
	}
}

// An element that is not known yet is like an unknown argument, and hides nothing else.
func TestAnUnknownHeader(t *testing.T) {
	t.Parallel()
	got, problems := settle(t, complete.with(argHeaders, map[string]any{"X-A": unknown, "X-B": unknown, "X-C": "c"}), "HEADERS=wrong")
	if len(problems) > 0 || !slices.Equal(got.unknown, []string{argHeaders}) {
		t.Errorf("problems %+v, unknown %q", problems, got.unknown)
	}
	e := newEngine(t, complete.with(argHeaders, map[string]any{"X-A": unknown}))
	expectError(t, e.reports(t, oneGroup.name, oneGroup.config), "", explain.SummaryUnknownArgument, argHeaders)
}

// TestClientCertificates: both or neither, and each problem is on its own argument.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	const encrypted = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n"
	_, certificate, key := clientPair(t, "Gate")
	_, other, otherKey := clientPair(t, "Gate")
	archive := "\x30\x82\x01\x00\x02\x01\x03\x30\x82"
	for name, test := range map[string]struct {
		certificate, key any
		environment      []string
		want             []string // the arguments that are wrong, and a part of what is said of each
	}{
		"both":                        {certificate: certificate, key: key},
		"a chain":                     {certificate: certificate + other, key: key},
		"one file with both":          {certificate: certificate, key: "Bag Attributes\n" + certificate + key},
		"parameters before the key":   {certificate: certificate, key: pemOf("EC PARAMETERS", []byte("abc")) + key},
		"the key in the environment":  {certificate: certificate, environment: []string{"CLIENT_KEY_PEM=" + key}},
		"an unknown key":              {certificate: certificate, key: unknown},
		"only the certificate":        {certificate: certificate, want: []string{"client_key_pem", "needs client_key_pem beside it"}},
		"only the key":                {key: key, certificate: "\n", want: []string{"client_certificate_pem", "needs client_certificate_pem"}},
		"a key of a different one":    {certificate: certificate, key: otherKey, want: []string{"client_key_pem", "a different certificate"}},
		"the chain in another order":  {certificate: other + certificate, key: key, want: []string{"client_key_pem", "to certificate 2 in"}},
		"an encrypted key":            {certificate: certificate, key: encrypted, want: []string{"client_key_pem", "it is encrypted"}},
		"an encrypted key of PKCS #8": {certificate: certificate, key: pemOf("ENCRYPTED PRIVATE KEY", []byte("abc")), want: []string{"client_key_pem", "it is encrypted"}},
		"a key of OpenSSH":            {certificate: certificate, key: pemOf("OPENSSH PRIVATE KEY", []byte("abc")), want: []string{"client_key_pem", "labelled OPENSSH PRIVATE KEY"}},
		"a swapped pair": {certificate: key, key: certificate, want: []string{
			"client_certificate_pem", "it holds a private key; give that in client_key_pem",
			"client_key_pem", "it is a certificate; give that in client_certificate_pem",
		}},
		"paths": {certificate: "client.pem", key: "./client.key", want: []string{
			"client_certificate_pem", "the name of a file", "client_key_pem", "the name of a file",
		}},
		"PKCS #12": {certificate: base64.StdEncoding.EncodeToString([]byte(archive)), key: base64.StdEncoding.EncodeToString([]byte(archive)), want: []string{
			"client_certificate_pem", "it is base64 of a PKCS #12 archive", "client_key_pem", "it is base64 of a PKCS #12 archive",
		}},
		"files of PKCS #12": {environment: []string{"CLIENT_CERTIFICATE_PEM_FILE=" + fileOf(t, archive), "CLIENT_KEY_PEM_FILE=" + fileOf(t, archive)}, want: []string{
			"client_certificate_pem", "it is a PKCS #12 archive; openssl pkcs12", "client_key_pem", "it is a PKCS #12 archive",
		}},
		"DER": {certificate: unframed(certificate), key: unframed(key), want: []string{
			"client_certificate_pem", "a certificate in binary form (DER)", "client_key_pem", "a private key in binary form (DER)",
		}},
		"cut short": {certificate: certificate[:200], key: key[:100], want: []string{
			"client_certificate_pem", "certificate 1 of 1 is broken: its PEM block is cut short", "client_key_pem", "is cut short or damaged",
		}},
		"a chain with a broken one": {certificate: certificate + pemOf("CERTIFICATE", []byte("abc")), key: key, want: []string{
			"client_certificate_pem", "certificate 2 of 2 is broken: x509: ",
		}},
	} {
		got, problems := settle(t, complete.merge(arguments{argClientCertificate: test.certificate, argClientKey: test.key}), test.environment...)
		if len(problems)*2 != len(test.want) {
			t.Errorf("%s: %+v", name, problems)
			continue
		}
		for i, p := range problems {
			if p.argument != test.want[2*i] || !strings.Contains(p.detail, test.want[2*i+1]) || strings.Contains(p.detail, "BEGIN PRIVATE") {
				t.Errorf("%s: %+v, want %q", name, p, test.want[2*i:2*i+2])
			}
		}
		if isPair := got.client.ClientCertificate.PrivateKey != nil; isPair != (test.want == nil && test.key != unknown) {
			t.Errorf("%s: a pair is %t", name, isPair)
		}
	}
	expectNone(t, validateProvider(t, complete.with(argClientCertificate, certificate))) // the key may be in the environment
}

// unframed returns a text in PEM form without its first and last line.
func unframed(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[1:len(lines)-1], "\n")
}

// TestABundleWithABrokenCertificate: it is left out with one warning that names it.
func TestABundleWithABrokenCertificate(t *testing.T) {
	t.Parallel()
	_, inPEM := trusted()
	bundle := inPEM + pemOf("CERTIFICATE", []byte("no certificate")) + strings.TrimSpace(inPEM) + inPEM[:300]
	expectNone(t, validateProvider(t, complete.with(argCACertificate, bundle)))
	_, diagnostics := startEngine(t, within(), complete.with(argCACertificate, bundle))
	if shown := rendered(diagnostics); len(diagnostics) != 1 || !strings.Contains(shown, "Warning: Certificate left out (on ca_certificate_pem)") ||
		!strings.Contains(shown, "\ncertificate 2 of 4 is broken: x509: ") || !strings.Contains(shown, "\ncertificate 4 of 4 is broken: its PEM") {
		t.Errorf("%s", shown)
	}
	got, _ := settle(t, complete.with(argCACertificate, bundle))
	if len(got.client.CACertificates) != 2 {
		t.Errorf("%d are left", len(got.client.CACertificates))
	}
}

// TestCredentialsOfADifferentAddress: what the environment has for its own address goes nowhere else, whatever stands in
// its place in the block.
func TestCredentialsOfADifferentAddress(t *testing.T) {
	t.Parallel()
	_, certificate, key := clientPair(t, "")
	own := []string{"CLIENT_ID=i", "CLIENT_SECRET=s", "ACCESS_TOKEN=t", "HEADERS=X-Key: k", "CLIENT_CERTIFICATE_PEM=" + certificate, "CLIENT_KEY_PEM=" + key}
	whole := arguments{
		argClientID: "i", argClientSecret: "s", argHeaders: map[string]any{"X-Key": "k"}, argClientCertificate: certificate, argClientKey: key,
	}
	for _, absent := range []any{nil, "", " \n"} {
		for argument := range whole {
			given := absent
			if argument == argHeaders && absent != nil {
				given = map[string]any{}
			}
			_, problems := settle(t, whole.with(argBaseURL, "https://other.example").with(argument, given), append(own, "BASE_URL=https://own.example")...)
			if len(problems) != 1 || problems[0].argument != argBaseURL || problems[0].summary != explain.SummaryOtherAddress ||
				!strings.Contains(problems[0].detail, "and does not give "+argument+". The environment has MODELCATALOGUE_"+strings.ToUpper(argument)+",") {
				t.Errorf("%s is %q: %+v", argument, absent, problems)
			}
		}
	}
	for _, test := range []struct {
		block, environment string
		differ             bool
	}{
		{"https://c.example", "https://c.example/", false},
		{"https://C.example:443/a/", "https://c.EXAMPLE/a", false},
		{"http://localhost:80", "http://localhost", false},
		{"https://c.example", "", false},
		{"", "https://c.example", false},
		{"https://c.example", "https://c.example:8443", true},
		{"https://c.example/a", "https://c.example/A", true},
		{"https://c.example", "https://c.example.other", true},
		{"https://localhost", "http://localhost", true},
		{"https://c.example", "//me:hunter2@c.example", true},
	} {
		got, problems := settle(t, arguments{argBaseURL: test.block}, append(own, "BASE_URL="+test.environment)...)
		isMissing := test.block == "" && test.environment == ""
		if (len(problems) > 0) != (test.differ || isMissing) || (got.client.AccessToken == "") != test.differ || strings.Contains(fmt.Sprint(problems), "hunter2") {
			t.Errorf("%+v: %+v", test, problems)
		}
	}
}
