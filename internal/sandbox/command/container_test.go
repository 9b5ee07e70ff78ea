package command

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
)

// In a container nobody gives arguments, and its name is no loopback address.
func TestEveryFlagIsAVariable(t *testing.T) {
	for name, value := range map[string]string{
		"HOST": "localhost,sandbox",
		"TLS":  "true", "AS": "fabrikam", "TOKEN_LIFE": "90s", "RATE_LIMIT": "60/1m:bucket", "HIDE_ARCHIVED": "true", "VERSION": "0.1.0",
	} {
		t.Setenv("MODELCATALOGUE_SANDBOX_"+name, value)
	}
	s := startServing(t)
	if s.ClientID != "fabrikam" || !strings.HasPrefix(s.URL, "https://localhost:") ||
		!strings.HasPrefix(s.CACertificate, "-----BEGIN CERTIFICATE") {
		t.Errorf("it says %+v", s.readiness)
	}
	for _, want := range []string{
		"Each client may send 60 requests at once, and as many more, evenly, in each minute.\n",
		"export MODELCATALOGUE_CA_CERTIFICATE_PEM='-----BEGIN CERTIFICATE-----\n",
	} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("the welcome lacks %q:\n%s", want, s.String())
		}
	}
	transport, _ := newSite(s.URL).trusting(s.CACertificate).client.Transport.(*http.Transport)
	transport.TLSClientConfig.ServerName = "sandbox"
	dialer := tls.Dialer{Config: transport.TLSClientConfig}
	if connection, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "https://")); err != nil {
		t.Error(err)
	} else {
		connection.Close()
	}
	t.Setenv("MODELCATALOGUE_SANDBOX_TOKEN_LIFE", "90")
	_, _, err := commanded(t, "-listen=127.0.0.1:0")
	if err == nil || err.Error() != `MODELCATALOGUE_SANDBOX_TOKEN_LIFE is "90": "90" is not a time such as 60s or 1h` {
		t.Errorf("the error is %v", err)
	}
}

func TestTLS(t *testing.T) {
	s := startServing(t, "-tls", "-print-env")
	trusted := newSite(s.URL).trusting(s.CACertificate).client
	response, err := trusted.Get(s.URL + "/control/ready")
	if status, body := answerOf(t, response, err); status != http.StatusOK {
		t.Errorf("the answer is %d %s", status, body)
	}
	if _, err := http.Get(s.URL + "/control/ready"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without its authority: %v", err)
	}
	if !strings.Contains(s.String(), "export MODELCATALOGUE_CA_CERTIFICATE_PEM=") {
		t.Errorf("it prints %s", s.String())
	}
	// Commands trust it as the provider does.
	t.Setenv("MODELCATALOGUE_CA_CERTIFICATE_PEM", s.CACertificate)
	if stdout, _, err := commanded(t, "faults", "-url="+s.URL); err != nil || stdout != "[]\n" {
		t.Errorf("%q, %v", stdout, err)
	}
}
