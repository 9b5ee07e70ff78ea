package settings

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"strings"
	"testing"
)

// trusted returns a certificate, and the same in PEM form.
func trusted() (certificate *x509.Certificate, text string) {
	service := httptest.NewTLSServer(nil)
	service.Close()
	block := &pem.Block{Type: certificateLabel, Bytes: service.Certificate().Raw}
	return service.Certificate(), string(pem.EncodeToMemory(block))
}

// TestBundles: which certificates of a bundle are found, whatever text is around and between them, and which are left
// out.
func TestBundles(t *testing.T) {
	t.Parallel()
	certificate, inPEM := trusted()
	for text, want := range map[string][]string{
		"\ufeff" + inPEM:                                            nil,
		strings.ReplaceAll(inPEM, "\n", "\r\n"):                     nil,
		"    " + strings.ReplaceAll(inPEM, "\n", "\n  \t"):          nil,
		"Our authority\n" + inPEM + "\n# and the old one\n" + inPEM: nil,
		strings.TrimSpace(inPEM) + inPEM + inPEM[:300]:              {"certificate 3 of 3 is broken: its PEM block is cut short"},
		inPEM + "-----BEGIN CERTIFICATE\n" + inPEM:                  {"certificate 2 of 3 is broken: its PEM block is cut short"},
	} {
		got, err := parseBundle(text)
		if err != nil || len(got.leftOut) != len(want) || !strings.HasPrefix(strings.Join(got.leftOut, ""), strings.Join(want, "")) {
			t.Errorf("%q, %v; want %q of %s", got.leftOut, err, want, text)
		}
		count := strings.Count(text, "END CERTIFICATE")
		if len(got.certificates) != count || !got.certificates[count-1].Equal(certificate) {
			t.Errorf("%d certificates of %s", len(got.certificates), text)
		}
	}
}

// TestAKeyOfADifferentAddress: a message names an optional credential of the environment if it is needed after all.
func TestAKeyOfADifferentAddress(t *testing.T) {
	t.Parallel()
	_, inPEM := trusted()
	block := Block{BaseURL: {Text: "https://c.example"}, AccessToken: {Text: "t"}, ClientCertificate: {Text: inPEM}}
	env := Environment{Variable(BaseURL): "https://own.example", Variable(ClientKey): "k"}
	const want = "client_certificate_pem is given, and needs client_key_pem beside it. Set it in the provider block.\n\n" +
		"MODELCATALOGUE_CLIENT_KEY_PEM is not used, because it belongs to the address in MODELCATALOGUE_BASE_URL."
	if found := Resolve(block, env).Problems; len(found) != 1 || found[0].Detail != want || found[0].Path[0] != ClientKey {
		t.Errorf("%+v", found)
	}
}
