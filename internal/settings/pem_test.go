package settings

import (
	"encoding/pem"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestBundles: which certificates of a bundle are found, whatever text is around and between them, and which are left
// out.
func TestBundles(t *testing.T) {
	t.Parallel()
	service := httptest.NewTLSServer(nil)
	service.Close()
	certificate := service.Certificate()
	inPEM := string(pem.EncodeToMemory(&pem.Block{Type: certificateLabel, Bytes: certificate.Raw}))
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
