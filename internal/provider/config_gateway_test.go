package provider

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// clientPair returns a client certificate with its key, and both in PEM form. An authority of that name signed it, or
// the client itself if the name is empty.
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

// TestHeadersOfTheBlock: `validate` reports each problem on its key, except an absent value, which configuring reports.
// TestMessages has values that cannot be sent.
func TestHeadersOfTheBlock(t *testing.T) {
	t.Parallel()
	expect := func(diagnostics []*tfprotov6.Diagnostic, names ...string) {
		t.Helper()
		var want []outcome
		for _, name := range names {
			want = append(want, outcome{argument: fmt.Sprintf("headers[%q]", name), summary: explain.SummaryInvalid(argHeaders)})
		}
		expectOutcomes(t, diagnostics, want...)
	}
	for _, name := range append(strings.Fields("Authorization authorization Host Content-Length content-type "+
		"Content-Encoding Accept Accept-Encoding User-Agent Connection Transfer-Encoding TE Trailer Upgrade "+
		"Keep-Alive Proxy-Connection Expect Cache-Control Range If-None-Match X-Key: X-Kéy (x)"), "", "X Key", "X-Key\n") {
		expect(validateProvider(t, complete.with(argHeaders, map[string]any{name: "hunter2"})), name)
	}
	for _, absent := range []any{"", " ", nil} {
		config := complete.with(argHeaders, map[string]any{"X-Key": absent})
		expect(validateProvider(t, config))
		_, diagnostics := startEngine(t, within("HEADERS=X-Key: of the environment"), config)
		expect(diagnostics, "X-Key")
	}
	several := map[string]any{"X-Other": "a\r\nX-Injected: b", "X-KEY": "a", "X-Key": "a", "x-key": unknown, "Host": unknown}
	expect(validateProvider(t, complete.with(argHeaders, several)), "Host", "X-Key", "X-Other", "x-key")
	for fine := range strings.FieldsSeq("Proxy-Authorization CF-Access-Client-Id Ocp-Apim-Subscription-Key apikey Cookie X_Y Date") {
		expect(validateProvider(t, complete.with(argHeaders, map[string]any{fine: "Bearer ä"})))
	}
}

// TestClientCertificates: both or neither, and each problem is on its own argument. TestMessages has more of them.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	_, certificate, key := clientPair(t, "Gate")
	for name, test := range pairsOfAClient(t, certificate, key) {
		given := arguments{argClientCertificate: test.certificate, argClientKey: test.key}
		_, diagnostics := startEngine(t, within(test.environment...), complete.merge(given))
		said := map[string]string{}
		for _, d := range diagnostics {
			said[argumentOf(d)] = d.Detail
		}
		for argument, want := range map[string]string{argClientCertificate: test.aboutCertificate, argClientKey: test.aboutKey} {
			if found := said[argument]; (found != "") != (want != "") || !strings.Contains(found, want) {
				t.Errorf("%s: of %s it is said %q, want %q", name, argument, found, want)
			}
		}
	}
	expectNone(t, validateProvider(t, complete.with(argClientCertificate, certificate))) // the key may be in the environment
}

// pairOfAClient is a configured client certificate with its key, and the error about each, "" for none.
type pairOfAClient struct {
	certificate, key           any
	environment                []string
	aboutCertificate, aboutKey string
}

func pairsOfAClient(t *testing.T, certificate, key string) map[string]pairOfAClient {
	t.Helper()
	const header = "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,00\n\n"
	encrypted := strings.Replace(pemOf("RSA PRIVATE KEY", []byte("abc")), "KEY-----\n", header, 1)
	_, other, _ := clientPair(t, "Gate")
	file := fileOf(t, "\x30\x82\x01\x00\x02\x01\x03\x30\x82")
	of := func(key any, about string) pairOfAClient {
		return pairOfAClient{certificate: certificate, key: key, aboutKey: about}
	}
	return map[string]pairOfAClient{
		"one file with both":         of("Bag Attributes\n"+certificate+key, ""),
		"parameters before the key":  of(pemOf("EC PARAMETERS", []byte("abc"))+key, ""),
		"an unknown key":             of(unknown, ""),
		"an encrypted key":           of(encrypted, "it is encrypted"),
		"an encrypted key, PKCS #8":  of(pemOf("ENCRYPTED PRIVATE KEY", []byte("abc")), "it is encrypted"),
		"a key of OpenSSH":           of(pemOf("OPENSSH PRIVATE KEY", []byte("abc")), "labelled OPENSSH PRIVATE KEY"),
		"a public key of OpenSSH":    of("ssh-ed25519 AAAA/C3Nz me@c.example", "it is not in PEM form"),
		"a key of DSA":               of(pemOf("DSA PRIVATE KEY", []byte("abc")), "labelled DSA PRIVATE KEY; give one labelled"),
		"a key of PGP":               of("-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ==\n=abcd\n", "labelled PGP PRIVATE KEY BLOCK"),
		"a key that is cut short":    of(key[:100], "is cut short or damaged"),
		"the path of a key":          of("./client.key", "the name of a file"),
		"a chain":                    {certificate: certificate + other, key: key},
		"the key in the environment": {certificate: certificate, environment: []string{"CLIENT_KEY_PEM=" + key}},
		"only the key":               {certificate: "\n", key: key, aboutCertificate: "needs client_certificate_pem beside it"},
		"a chain in another order":   {certificate: other + certificate, key: key, aboutKey: "does not match public key"},
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
