package command

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// TestSettings: `record` takes the provider's variables, and files that they name. The provider's tests have what is
// wrong with a value.
func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const service = "https://c.example/prefix/"
	_, key := ofClient(t)
	for _, test := range []struct{ url, variables, want string }{
		{service, "BASE_URL=https://another.example", ""},
		{service, "CLIENT_SECRET=;CLIENT_SECRET_FILE=" + file, ""},
		{"", "BASE_URL=" + service, ""},
		{"", "BASE_URL=" + service + "v1", "MODELCATALOGUE_BASE_URL cannot be used: its path contains /v1"},
		{"", "", "which service? Give -url or set MODELCATALOGUE_BASE_URL. There is no default"},
		{"http://catalogue.example", "", "-url cannot be used: http would send the secret unencrypted"},
		{"https://u:pass@c.example", "", "it must not hold a user name or password"},
		{service, "CLIENT_SECRET=\t", "credentials are missing: set MODELCATALOGUE_CLIENT_ID and"},
		{service, "CLIENT_SECRET_FILE=" + file, "MODELCATALOGUE_CLIENT_SECRET and MODELCATALOGUE_CLIENT_SECRET_FILE are both set"},
		{service, "ACCESS_TOKEN=a\nb", "MODELCATALOGUE_ACCESS_TOKEN cannot be used: character 2 is a line break"},
		{service, "ACCESS_TOKEN_FILE=/dev/zero", "MODELCATALOGUE_ACCESS_TOKEN_FILE names, cannot be used: it is not a regular file"},
		{service, "HEADERS=X-Key hunter2", "MODELCATALOGUE_HEADERS cannot be used: line 1 has no colon"},
		{service, "CLIENT_KEY_PEM=" + key, "MODELCATALOGUE_CLIENT_CERTIFICATE_PEM and MODELCATALOGUE_CLIENT_KEY_PEM belong together"},
		{service, "CLIENT_CERTIFICATE_PEM=" + key + ";CLIENT_KEY_PEM=" + key, "MODELCATALOGUE_CLIENT_CERTIFICATE_PEM cannot be used: it holds"},
		{service, "CA_CERTIFICATE_PEM=ca.pem", "MODELCATALOGUE_CA_CERTIFICATE_PEM cannot be used: it looks like the name of a file"},
		{"nowhere", "READ_TIMEOUT=5", "MODELCATALOGUE_READ_TIMEOUT cannot be used: \"5\" is not a duration"},
	} {
		t.Run(test.url+test.variables, func(t *testing.T) {
			withCredentials(t)
			t.Setenv("MODELCATALOGUE_REQUEST_TIMEOUT", "1m")
			t.Setenv("MODELCATALOGUE_MAX_REQUESTS", "60/1m")
			t.Setenv("MODELCATALOGUE_MAX_RETRIES", "0")
			for variable := range strings.SplitSeq(test.variables, ";") {
				if name, value, ok := strings.Cut(variable, "="); ok {
					t.Setenv("MODELCATALOGUE_"+name, value)
				}
			}
			cfg, _, err := (&program{}).clientConfig(test.url)
			isRead := err == nil && cfg.BaseURL.String() == "https://c.example/prefix" && cfg.ClientSecret == secret &&
				cfg.RequestTimeout == time.Minute && cfg.ReadTimeout == 15*time.Minute && cfg.MaxRetries == 0 && cfg.Ceiling.Requests == 60
			said := fmt.Sprint(err)
			if isRead != (test.want == "") || !strings.Contains(said, test.want) || strings.Contains(said, "pass@") {
				t.Errorf("%+v, %v; want %s", cfg, err, test.want)
			}
		})
	}
}

// ofClient returns a certificate that signs itself, and its key, in PEM form.
func ofClient(t *testing.T) (certificate, key string) {
	t.Helper()
	pair, _ := sandboxtest.Certify(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "client"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(time.Hour),
	}, "")
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return inPEM("CERTIFICATE", pair.Certificate[0]), inPEM("PRIVATE KEY", der)
}

func inPEM(label string, content []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: content}))
}

// TestRecordThroughAGateway that asks for a header and for a certificate. The file never contains the value of a
// header.
func TestRecordThroughAGateway(t *testing.T) {
	const key = "key-of-the-gateway"
	service := sandbox.New(sandbox.Default())
	service.Inject(replaced(sandbox.RouteModels, `"archived":`, `"echo":"`+key+`","archived":`))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != key {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		service.ServeHTTP(w, r)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	withCredentials(t)
	certificate, ownKey := ofClient(t)
	authorities := inPEM("CERTIFICATE", server.Certificate().Raw) + inPEM("CERTIFICATE", []byte("broken"))
	t.Setenv("MODELCATALOGUE_CA_CERTIFICATE_PEM", authorities)
	t.Setenv("MODELCATALOGUE_HEADERS", "X-Key: "+key)
	t.Setenv("MODELCATALOGUE_CLIENT_CERTIFICATE_PEM", certificate)
	t.Setenv("MODELCATALOGUE_CLIENT_KEY_PEM", ownKey)
	out, said, status := commanded(t, "record", "-url="+server.URL)
	if status != 0 || strings.Contains(out+said, key) || !strings.Contains(out, `"echo": "***"`) ||
		!strings.Contains(said, "MODELCATALOGUE_CA_CERTIFICATE_PEM is left out: certificate 2 of 2 is broken") {
		t.Errorf("%d, %s\n%.2000s", status, said, out)
	}
}
