package command

import (
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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// TestEverySettingIsRead: `record` has each of the provider's settings. The provider's tests have what is wrong with a
// value.
func TestEverySettingIsRead(t *testing.T) {
	for _, argument := range settings.Arguments {
		t.Run(argument, func(t *testing.T) {
			withCredentials(t)
			t.Setenv(settings.Variable(argument), "wrong")
			if file := settings.FileVariable(argument); file != "" {
				t.Setenv(file, "both are set")
			}
			if _, _, err := (&program{}).clientConfig(); !strings.Contains(fmt.Sprint(err), "Invalid "+argument+"\n") {
				t.Errorf("it is not read: %v", err)
			}
		})
	}
}

// TestSettings: `record` takes the provider's variables, and nothing else.
func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for variables, want := range map[string]string{
		"": "",
		"CLIENT_SECRET=;CLIENT_SECRET_FILE=" + file: "",
		"BASE_URL=":                         "A base_url is required. Set it in the environment variable MODELCATALOGUE_BASE_URL.",
		"BASE_URL=http://catalogue:8080":    `The value of the environment variable MODELCATALOGUE_BASE_URL, "http://catalogue:8080",`,
		"BASE_URL=https://u:pass@c.example": "it must not hold a user name or password",
		"CLIENT_SECRET=\t":                  "MODELCATALOGUE_CLIENT_SECRET is set, and it is blank.",
		"CLIENT_ID=;CLIENT_SECRET=":         "Or give access_token in place of client_id and client_secret, such as in",
	} {
		t.Run(variables, func(t *testing.T) {
			withCredentials(t)
			t.Setenv("MODELCATALOGUE_BASE_URL", "https://c.example/prefix/")
			t.Setenv("MODELCATALOGUE_MAX_RETRIES", "0")
			for variable := range strings.SplitSeq(variables, ";") {
				if name, value, ok := strings.Cut(variable, "="); ok {
					t.Setenv("MODELCATALOGUE_"+name, value)
				}
			}
			cfg, _, err := (&program{}).clientConfig()
			isRead := err == nil && cfg.BaseURL.String() == "https://c.example/prefix" && cfg.ClientSecret == secret &&
				cfg.RequestTimeout == 30*time.Second && cfg.ReadTimeout == 15*time.Minute && cfg.MaxRetries == 0 && !cfg.Snapshot
			said := fmt.Sprint(err)
			if isRead != (want == "") || !strings.Contains(said, want) || strings.Contains(said, "pass@") {
				t.Errorf("%+v, %v; want %s", cfg, err, want)
			}
		})
	}
}

// TestRecordThroughAGateway sends a header for a gateway. The file never contains its value.
func TestRecordThroughAGateway(t *testing.T) {
	const key = "key-of-the-gateway"
	service := sandbox.New(sandbox.Default())
	service.Inject(replaced(sandbox.RouteModels, `"archived":`, `"echo":"`+key+`","archived":`))
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != key {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	withCredentials(t)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	const broken = "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n"
	t.Setenv("MODELCATALOGUE_CA_CERTIFICATE_PEM", string(authority)+broken)
	t.Setenv("MODELCATALOGUE_HEADERS", "X-Key: "+key)
	t.Setenv("MODELCATALOGUE_BASE_URL", server.URL)
	t.Setenv("MODELCATALOGUE_HEADER", "hunter2")
	out, said, status := commanded(t, "record")
	if status != 0 || strings.Contains(out+said, key) || !strings.Contains(out, `"echo": "***"`) ||
		!strings.Contains(said, "certificate 2 of 2 is broken") || !strings.Contains(said, "Did you mean MODELCATALOGUE_HEADERS?") {
		t.Errorf("%d, %s\n%.2000s", status, said, out)
	}
}
