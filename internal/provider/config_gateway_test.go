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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
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

// TestHeadersOfTheBlock: each problem is at its key, in `validate`. An absent value waits for configuring.
func TestHeadersOfTheBlock(t *testing.T) {
	t.Parallel()
	refused := strings.Fields("Authorization authorization Host Content-Length content-type Content-Encoding Accept Accept-Encoding " +
		"User-Agent Connection Transfer-Encoding TE Trailer Upgrade Keep-Alive Proxy-Connection Expect Cache-Control Range If-None-Match")
	for _, name := range append(refused, "", "X Key", "X-Key:", "X-Kéy", "X-Key\n", "(x)") {
		expectOutcomes(t, validateProvider(t, complete.with(argHeaders, map[string]any{name: "hunter2"})),
			outcome{argument: strings.TrimSuffix(fmt.Sprintf("headers[%q]", name), `[""]`), summary: "Invalid headers"})
	}
	values := map[any]bool{"": true, " ": true, nil: true} // whether one is absent
	for _, wrong := range []string{"a\nb", "a\r\nX-Other: b", "a\x00", "a\x7f", "a\tb", " a", "a\n", "a\u200b"} {
		values[wrong] = false
	}
	for value, absent := range values {
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
	several := map[string]any{"X-KEY": "a", "X-Key": "a", "x-key": unknown, "Host": unknown}
	expectOutcomes(t, validateProvider(t, complete.with(argHeaders, several)),
		outcome{argument: `headers["Host"]`, summary: "Invalid headers"},
		outcome{argument: `headers["X-Key"]`, summary: "Invalid headers"},
		outcome{argument: `headers["x-key"]`, summary: "Invalid headers"})
	for fine := range strings.FieldsSeq("Proxy-Authorization CF-Access-Client-Id Ocp-Apim-Subscription-Key apikey Cookie X_Y Date") {
		expectNone(t, validateProvider(t, complete.with(argHeaders, map[string]any{fine: "Bearer ä"})))
	}
}

// An element that is not known yet is like an unknown argument, and hides nothing else.
func TestAnUnknownHeader(t *testing.T) {
	t.Parallel()
	several := map[string]any{"X-A": unknown, "X-B": unknown, "X-C": "c"}
	got, problems := settle(t, complete.with(argHeaders, several), "HEADERS=wrong")
	if len(problems) > 0 || !slices.Equal(got.unknown, []string{argHeaders}) {
		t.Errorf("problems %+v, unknown %q", problems, got.unknown)
	}
	e := newEngine(t, complete.with(argHeaders, map[string]any{"X-A": unknown}))
	expectError(t, e.reports(t, oneGroup.name, oneGroup.config), "", explain.SummaryUnknownArgument, argHeaders)
}

// TestClientCertificates: both or neither, and each problem is on its own argument.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	_, certificate, key := clientPair(t, "Gate")
	for name, test := range pairsOfAClient(t, certificate, key) {
		given := arguments{argClientCertificate: test.certificate, argClientKey: test.key}
		got, problems := settle(t, complete.merge(given), test.environment...)
		said := map[string]string{}
		for _, p := range problems {
			said[p.argument] = p.detail
		}
		for argument, want := range map[string]string{argClientCertificate: test.aboutCertificate, argClientKey: test.aboutKey} {
			if found := said[argument]; (found != "") != (want != "") || !strings.Contains(found, want) {
				t.Errorf("%s: of %s it is said %q, want %q", name, argument, found, want)
			}
		}
		isSound := len(problems) == 0 && test.key != unknown
		if isPair := got.client.ClientCertificate.PrivateKey != nil; isPair != isSound {
			t.Errorf("%s: a pair is %t", name, isPair)
		}
		text, _ := test.certificate.(string)
		count, presented := strings.Count(text, "BEGIN CERTIFICATE"), len(got.client.ClientCertificate.Certificate)
		if isSound && presented != count {
			t.Errorf("%s: %d certificates of %d are presented", name, presented, count)
		}
	}
	expectNone(t, validateProvider(t, complete.with(argClientCertificate, certificate))) // the key may be in the environment
}

// pairOfAClient is a certificate of a client and its key as given, and the error about each, "" for none.
type pairOfAClient struct {
	certificate, key           any
	environment                []string
	aboutCertificate, aboutKey string
}

func pairsOfAClient(t *testing.T, certificate, key string) map[string]pairOfAClient {
	t.Helper()
	const header = "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,00\n\n"
	encrypted := strings.Replace(pemOf("RSA PRIVATE KEY", []byte("abc")), "KEY-----\n", header, 1)
	_, other, otherKey := clientPair(t, "Gate")
	archive := "\x30\x82\x01\x00\x02\x01\x03\x30\x82"
	inBase64, file := base64.StdEncoding.EncodeToString([]byte(archive)), fileOf(t, archive)
	of := func(key any, about string) pairOfAClient {
		return pairOfAClient{certificate: certificate, key: key, aboutKey: about}
	}
	return map[string]pairOfAClient{
		"both":                       of(key, ""),
		"one file with both":         of("Bag Attributes\n"+certificate+key, ""),
		"parameters before the key":  of(pemOf("EC PARAMETERS", []byte("abc"))+key, ""),
		"an unknown key":             of(unknown, ""),
		"only the certificate":       of(nil, "needs client_key_pem beside it"),
		"a key of a different one":   of(otherKey, "a different certificate"),
		"an encrypted key":           of(encrypted, "it is encrypted"),
		"an encrypted key, PKCS #8":  of(pemOf("ENCRYPTED PRIVATE KEY", []byte("abc")), "it is encrypted"),
		"a key of OpenSSH":           of(pemOf("OPENSSH PRIVATE KEY", []byte("abc")), "labelled OPENSSH PRIVATE KEY"),
		"a key that is cut short":    of(key[:100], "is cut short or damaged"),
		"the path of a key":          of("./client.key", "the name of a file"),
		"a chain":                    {certificate: certificate + other, key: key},
		"a chain with it twice":      {certificate: certificate + other + certificate, key: key},
		"the key in the environment": {certificate: certificate, environment: []string{"CLIENT_KEY_PEM=" + key}},
		"only the key":               {certificate: "\n", key: key, aboutCertificate: "needs client_certificate_pem beside it"},
		"a chain in another order":   {certificate: other + certificate, key: key, aboutKey: "a different certificate than the first one in"},
		"the path of a certificate":  {certificate: "client.pem", key: key, aboutCertificate: "the name of a file"},
		"cut short":                  {certificate: certificate[:200], key: key, aboutCertificate: "certificate 1 of 1 is broken: its PEM"},
		"a swapped pair": {
			certificate:      key,
			key:              certificate,
			aboutCertificate: "it holds a private key; only certificates belong here",
			aboutKey:         "it is a certificate; give that in client_certificate_pem",
		},
		"archives": {
			certificate:      inBase64,
			key:              inBase64,
			aboutCertificate: "it is base64 of a PKCS #12 archive",
			aboutKey:         "it is base64 of a PKCS #12 archive",
		},
		"files of archives": {
			environment:      []string{"CLIENT_CERTIFICATE_PEM_FILE=" + file, "CLIENT_KEY_PEM_FILE=" + file},
			aboutCertificate: "it is a PKCS #12 archive; openssl pkcs12",
			aboutKey:         "it is a PKCS #12 archive; openssl pkcs12",
		},
		"binary form": {
			certificate:      unframed(certificate),
			key:              unframed(key),
			aboutCertificate: "in binary form (DER)",
			aboutKey:         "in binary form (DER)",
		},
		"a chain with a broken one": {
			certificate:      certificate + pemOf("CERTIFICATE", []byte("abc")),
			key:              key,
			aboutCertificate: "certificate 2 of 2 is broken: x509: ",
		},
	}
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
	if len(diagnostics) != 1 {
		t.Fatalf("%+v", diagnostics)
	}
	for _, part := range []string{
		"Warning: Certificate left out (on ca_certificate_pem)",
		"\ncertificate 2 of 4 is broken: x509: ", "\ncertificate 4 of 4 is broken: its PEM",
	} {
		if shown := rendered(diagnostics); !strings.Contains(shown, part) {
			t.Errorf("it does not say %q:\n%s", part, shown)
		}
	}
	got, _ := settle(t, complete.with(argCACertificate, bundle))
	if len(got.client.CACertificates) != 2 {
		t.Errorf("%d are left", len(got.client.CACertificates))
	}
}

// TestCredentialsOfADifferentAddress: credentials that the environment has for its own address are never sent
// elsewhere, whatever stands in its place in the block.
func TestCredentialsOfADifferentAddress(t *testing.T) {
	t.Parallel()
	_, certificate, key := clientPair(t, "")
	own := []string{
		"BASE_URL=https://own.example", "CLIENT_ID=i", "CLIENT_SECRET=s", "ACCESS_TOKEN=t", "HEADERS=X-Key: k",
		"CLIENT_CERTIFICATE_PEM=" + certificate, "CLIENT_KEY_PEM=" + key,
	}
	whole := arguments{
		argBaseURL: "https://other.example", argClientID: "i", argClientSecret: "s",
		argHeaders: map[string]any{"X-Key": "k"}, argClientCertificate: certificate, argClientKey: key,
	}
	for _, argument := range []string{argClientID, argClientSecret, argHeaders, argClientCertificate, argClientKey} {
		for _, absent := range []any{nil, "", " \n"} {
			if argument == argHeaders && absent != nil {
				absent = map[string]any{}
			}
			_, problems := settle(t, whole.with(argument, absent), own...)
			said := fmt.Sprintf("does not give %s. The environment has %s, for", argument, setting.Variable(argument))
			if len(problems) != 1 || problems[0].argument != argBaseURL || !strings.Contains(problems[0].detail, said) {
				t.Errorf("%s is %q: %+v", argument, absent, problems)
			}
		}
	}
}

// TestAddressesThatDiffer shows which addresses are one.
func TestAddressesThatDiffer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		block, environment string
		differ             bool
	}{
		{"https://c.example", "https://c.example/", false},
		{"https://C.example:443/a/", "https://c.EXAMPLE/a", false},
		{"http://localhost:80", "http://localhost", false},
		{"https://c.example", "", false},
		{"https://c.example", " \n", false},
		{"", "https://c.example", false},
		{"https://c.example", "https://c.example:8443", true},
		{"https://c.example/a", "https://c.example/A", true},
		{"https://c.example", "https://c.example.other", true},
		{"https://localhost", "http://localhost", true},
		{"https://c.example", "//me:hunter2@c.example", true},
	} {
		got, problems := settle(t, arguments{argBaseURL: test.block}, "ACCESS_TOKEN=t", "BASE_URL="+test.environment)
		isWithheld := len(problems) == 1 && problems[0].summary == explain.SummaryOtherAddress
		if isWithheld != test.differ || (got.client.AccessToken == "") != test.differ || strings.Contains(fmt.Sprint(problems), "hunter2") {
			t.Errorf("%+v: %+v", test, problems)
		}
	}
}
