package acctest_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// gateway stands in front of the service, and requires a header or a certificate from the provider's configuration.
type gateway struct {
	name string
	// refuse answers a request without the required header. It is nil if TLS requires a certificate.
	refuse http.HandlerFunc
	// needs maps arguments to values; headers has one "Name: value" a line.
	needs map[string]string
	says  string // the summary of the error without these arguments
}

// gatewaySecret is in the secret header of each gateway.
const gatewaySecret = "2b7e151628aed2a6"

// TestAccGateways plans through gateways. Each refuses a plan without its header or certificate, and forwards one
// that sets the argument in the provider block, in its variable, or in a file named by its other variable.
func TestAccGateways(t *testing.T) {
	t.Parallel()
	certificate, key, authorities := ofClient(t)
	answering := func(status int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
		}
	}
	for _, g := range []gateway{
		{
			name:   "a redirect to a login",
			refuse: answering(302, "Location", "https://team.cloudflareaccess.example/cdn-cgi/access/login"),
			needs:  map[string]string{"headers": "CF-Access-Client-Id: build.access\nCF-Access-Client-Secret: " + gatewaySecret},
			says:   "Unexpected redirect",
		},
		{
			name:   "401 without a key",
			refuse: answering(401, "WWW-Authenticate", "AzureApiManagementKey"),
			needs:  map[string]string{"headers": "Ocp-Apim-Subscription-Key: " + gatewaySecret},
			says:   "No usable token",
		},
		{
			name:   "403 without Proxy-Authorization",
			refuse: answering(403),
			needs:  map[string]string{"headers": "Proxy-Authorization: Bearer " + gatewaySecret},
			says:   "No usable token",
		},
		{
			name:  "TLS that asks for a certificate",
			needs: map[string]string{"client_certificate_pem": certificate, "client_key_pem": key},
			says:  "Secure connection failed",
		},
	} {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			served := g.serve(t, authorities)
			g.plan(t, served, 1, "", nil)
			inBlock, variables, files := "", []string{}, []string{}
			for argument, value := range g.needs {
				inBlock += fmt.Sprintf("%s = %s\n", argument, inHCL(argument, value))
				name, file := "MODELCATALOGUE_"+strings.ToUpper(argument), filepath.Join(t.TempDir(), argument)
				writeText(t, file, value+"\n")
				variables, files = append(variables, name+"="+value), append(files, name+"_FILE="+file)
			}
			g.plan(t, served, 0, inBlock, nil)
			g.plan(t, served, 0, "", variables)
			g.plan(t, served, 0, "", files)
		})
	}
}

// serve serves the sandbox behind the gateway, over TLS.
func (g gateway) serve(t *testing.T, authorities *x509.CertPool) *httptest.Server {
	t.Helper()
	service := sandbox.New(sandbox.Default())
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for line := range strings.Lines(g.needs["headers"]) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if r.Header.Get(name) != value {
				g.refuse(w, r)
				return
			}
		}
		service.ServeHTTP(w, r)
	}))
	if g.refuse == nil {
		server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authorities, MinVersion: tls.VersionTLS12}
	}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// plan plans through the gateway, with these additions to the provider block and the environment.
func (g gateway) plan(t *testing.T, served *httptest.Server, status int, inBlock string, environment []string) {
	t.Helper()
	config := "provider \"modelcatalogue\" {\n" + inBlock + "}\n" + readsGroups
	w := workspaceAt(t, fromEnvironment(config), served.URL, owner)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: served.Certificate().Raw})
	file := filepath.Join(t.TempDir(), "engine.log")
	w.Env = append(w.Env, "MODELCATALOGUE_CA_CERTIFICATE_PEM="+string(authority), "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+file)
	w.Env = append(w.Env, environment...)
	out := w.expect(t, status, "plan", "-out=saved")
	if status != 0 {
		wantText(t, out, g.says)
		return
	}
	shown := out + readText(t, file) + w.expect(t, 0, "show", "-json", "saved")
	if inBlock == "" { // a saved plan contains the configuration
		wantNone(t, shown, gatewaySecret)
		if lines := strings.Split(g.needs["client_key_pem"], "\n"); len(lines) > 1 {
			wantNone(t, shown, lines[1])
		}
	}
}

// inHCL returns the value of an argument as HCL.
func inHCL(argument, value string) string {
	if argument != "headers" {
		return fmt.Sprintf("%q", value)
	}
	elements := ""
	for line := range strings.Lines(value) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		elements += fmt.Sprintf("%q = %q\n", name, text)
	}
	return "{\n" + elements + "}"
}

// ofGateways returns values for the variables of the examples about gateways.
func ofGateways(t *testing.T) []string {
	t.Helper()
	certificate, key, _ := ofClient(t)
	return []string{
		"TF_VAR_access_client_id=build.access", "TF_VAR_access_client_secret=" + gatewaySecret, "TF_VAR_subscription_key=" + gatewaySecret,
		"TF_VAR_gateway_key=" + gatewaySecret, "TF_VAR_iap_token=" + gatewaySecret,
		"TF_VAR_client_certificate_pem=" + certificate, "TF_VAR_client_key_pem=" + key,
	}
}

// ofClient returns a client certificate and its key, in PEM form, and a pool with its authority.
func ofClient(t *testing.T) (certificate, key string, authorities *x509.CertPool) {
	t.Helper()
	pair, authority := sandboxtest.Certify(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "build"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(time.Hour),
	}, "Gateway CA")
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	authorities = x509.NewCertPool()
	authorities.AddCert(authority)
	inPEM := func(label string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: content}))
	}
	return inPEM("CERTIFICATE", pair.Certificate[0]), inPEM("PRIVATE KEY", der), authorities
}
