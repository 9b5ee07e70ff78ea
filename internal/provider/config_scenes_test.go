package provider

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// surrounded returns a scene of configuring the provider in an environment of these
// variables.
func surrounded(title string, config arguments, assignments ...string) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		env := environmentOf(assignments)
		_, diagnostics := startEngine(t, &catalogueProvider{version: "test", environment: &env}, config)
		return diagnostics
	}}
}

// rejectedScene returns a scene of credentials that the service rejects with err.
func rejectedScene(title string, err error, config arguments, assignments ...string) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		s, problems := settle(t, config.with(argBaseURL, complete[argBaseURL]), assignments...)
		if len(problems) > 0 {
			t.Fatalf("%+v", problems)
		}
		d := catalogueDataSource{name: "model_groups", connection: &connection{explainer: explain.Explainer{Credentials: s.credentials}}}
		return protocol6(d.diagnose(err, explain.Subject{}))
	}}
}

// protocol6 returns a diagnostic in the form of the protocol.
func protocol6(d diag.Diagnostic) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()}}
}

// environmentScenes returns scenes of environments, about which `validate` says nothing.
func environmentScenes() []scene {
	address := arguments{argBaseURL: "https://catalogue.example"}
	pair := northwind("https://catalogue.example")
	file := func(title, name string) scene {
		return surrounded(title, address, "MODELCATALOGUE_ACCESS_TOKEN_FILE="+name)
	}
	return []scene{
		surrounded("nothing is given", nil),
		surrounded("a client_id in the block and a token in the environment", address.with(argClientID, "northwind"),
			"MODELCATALOGUE_ACCESS_TOKEN=t"),
		surrounded("a secret of white space", pair.with(argClientSecret, " ")),
		surrounded("base_url of the environment", pair.with(argBaseURL, nil), "MODELCATALOGUE_BASE_URL=https//catalogue.example"),
		surrounded("base_url of the environment with a password", pair.with(argBaseURL, nil),
			"MODELCATALOGUE_BASE_URL=//me:pw@catalogue.example"),
		surrounded("a variable and its file", address.with(argClientID, "northwind"),
			"MODELCATALOGUE_CLIENT_SECRET=s", "MODELCATALOGUE_CLIENT_SECRET_FILE=/run/secrets/s"),
		file("a file that does not exist", "secrets/token"),
		surrounded("an access token that is empty", address, "MODELCATALOGUE_ACCESS_TOKEN=\n"),
		surrounded("a secret that is empty", pair.with(argClientSecret, nil), "MODELCATALOGUE_CLIENT_SECRET="),
		file("a file that is the secret itself", "hunter2=="),
		file("a file that is the secret itself, in base64", "/aGVsbG8/hunter2=="),
		file("a file in a folder of this machine", "/etc/no/token"),
		file("a file below ~", "~/token"),
		file("a file with quotes around it", `"/run/token"`),
		file("a file on two lines", "hunter2\nanew"),
		file("a file with the name of its variable", "TOKEN=hunter2"),
		surrounded("a file that is a folder", pair, "MODELCATALOGUE_CA_CERTIFICATE_PEM_FILE=/"),
		{title: "a file that is empty", play: func(t *testing.T) []*tfprotov6.Diagnostic {
			name := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			shown := surrounded("", address, "MODELCATALOGUE_ACCESS_TOKEN_FILE="+name).play(t)
			shown[0].Detail = strings.ReplaceAll(shown[0].Detail, name, "/run/token")
			return shown
		}},
		surrounded("max_retries of the environment", pair, "MODELCATALOGUE_MAX_RETRIES=0,5"),
		surrounded("HTTPS_PROXY is not an address", pair, "HTTPS_PROXY=http://joe:p#ss@proxy.example:8080"),
		surrounded("https_proxy with quotes around it", pair, `https_proxy="http://proxy.example:8080"`),
	}
}

// blockScenes returns more scenes of `validate` on the provider block.
func blockScenes() []scene {
	const line = "-----BEGIN CERTIFICATE-----"
	pem := line + "\n" + strings.Repeat("MIIB", 16) + "\n-----END CERTIFICATE-----\n"
	token := func(value string) arguments {
		return arguments{argClientID: nil, argClientSecret: nil, argAccessToken: value}
	}
	return []scene{
		configured("base_url has its scheme twice", arguments{argBaseURL: "https://https://catalogue.example"}),
		configured("base_url is a placeholder", arguments{argBaseURL: "https://<your-catalogue>"}),
		configured("both kinds of credentials", arguments{argAccessToken: "t"}),
		configured("access_token with the word Bearer", token("Bearer abc")),
		configured("access_token is the whole answer", token(`{"access_token":"abc"}`)),
		configured("access_token is a page", token("<!DOCTYPE html><title>Sign in</title>")),
		configured("access_token is the word null", token("null")),
		configured("access_token is the word None", token("None")),
		configured("access_token with a line break inside", token("abc\ndef")),
		configured("ca_certificate_pem on one line", arguments{argCACertificate: strings.ReplaceAll(pem, "\n", " ")}),
		configured("ca_certificate_pem in base64", arguments{argCACertificate: base64.StdEncoding.EncodeToString([]byte(pem))}),
		configured("max_requests is a number", arguments{argMaxRequests: "5"}),
		configured("max_requests of nothing", arguments{argMaxRequests: "0/1m"}),
		configured("max_requests of a week", arguments{argMaxRequests: "60/168h"}),
		{title: "two arguments that are not known yet", play: func(t *testing.T) []*tfprotov6.Diagnostic {
			return readOnce(t, northwind("").with(argBaseURL, unknown).with(argClientSecret, unknown))
		}},
	}
}

// originScenes returns scenes of rejected credentials of different origins.
func originScenes() []scene {
	rejected := &catalogue.RejectedError{Err: tokenAnswered(401, "invalid_client", "The client id or the client secret is wrong.")}
	given := &catalogue.RejectedError{Given: true, Err: answered(401, "UNAUTHORIZED", "The token has expired.")}
	id := arguments{argClientID: "id"}
	return []scene{
		rejectedScene("a secret of the environment", rejected, id, "CLIENT_SECRET=s"),
		rejectedScene("an old secret in the block, a new one in the environment", rejected, complete, "CLIENT_SECRET=s"),
		rejectedScene("a secret of the environment with a line break", rejected, id, "CLIENT_SECRET=s\n"),
		rejectedScene("a secret with quotes", rejected, id, `CLIENT_SECRET="s"`),
		rejectedScene("a secret with a byte order mark", rejected, id, "CLIENT_SECRET=\ufeffs"),
		rejectedScene("a secret that nothing filled in", rejected, id, "CLIENT_SECRET=${SECRET}"),
		rejectedScene("a token rejected", given, arguments{argAccessToken: "id"}),
		rejectedScene("a token of the environment rejected, beside client_id and client_secret", given, nil,
			"CLIENT_ID=i", "CLIENT_SECRET=s", "ACCESS_TOKEN='t'"),
	}
}
