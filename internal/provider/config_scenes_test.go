package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// surrounded returns a scene of configuring the provider in an environment of these variables.
func surrounded(title string, config arguments, assignments ...string) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		env := settings.EnvironmentOf(assignments)
		_, diagnostics := startEngine(t, &catalogueProvider{version: "test", environment: env}, config)
		return diagnostics
	}}
}

// rejectedScene returns a scene of credentials that the service rejects with err.
func rejectedScene(title string, err error, config arguments, assignments ...string) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		s := settle(t, config.with(argBaseURL, complete[argBaseURL]), assignments...)
		if s.Problems != nil {
			t.Fatalf("%+v", s.Problems)
		}
		d := blockRead{connection: &connection{explainer: s.Explainer()}, dataSource: "modelcatalogue_model_groups"}
		return protocol6(d.problem(err, explain.Subject{}).Diagnostic())
	}}
}

// protocol6 returns a diagnostic in the form of the protocol.
func protocol6(d diag.Diagnostic) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()}}
}

// originScenes returns scenes of rejected credentials of different origins.
func originScenes() []scene {
	rejected := &catalogue.RejectedError{Err: tokenAnswered(401, "invalid_client", "The client id or the client secret is wrong.")}
	given := &catalogue.RejectedError{Given: true, Err: answered(401, "UNAUTHORIZED", "The token has expired.")}
	id := arguments{argClientID: "id"}
	scenes := []scene{
		rejectedScene("an old secret in the block, a new one in the environment", rejected, complete, "CLIENT_SECRET=s"),
		rejectedScene("a token in the block rejected, beside client_id and client_secret", given,
			arguments{argAccessToken: "a-longer-token"}, "CLIENT_ID=i", "CLIENT_SECRET_FILE=s"),
		rejectedScene("a token rejected", given, arguments{argAccessToken: "id"}),
		rejectedScene("a token of the environment rejected, beside client_id and client_secret", given, nil,
			"CLIENT_ID=i", "CLIENT_SECRET=s", "ACCESS_TOKEN='t'"),
	}
	refused, redirected := answered(403, "", ""), answered(302, "", "")
	redirected.Location = "https://login.example"
	scenes = append(scenes,
		rejectedScene("odd headers, which a gateway refuses", refused, complete,
			"HEADERS=CF-Access-Client-Id: hunter2, CF-Access-Client-Secret: hunter2\nX-Key: '***'\nX-Token: Undefined\nX-A: ${SECRET}\n"+
				"X-B: SECRET=hunter2\nX-C: /etc/hosts\nX-D: ****\nX-E: s\nX-F: X-F"),
		rejectedScene("headers of a different address, for want of which a gateway redirects", redirected, complete,
			"BASE_URL=https://own.example", "HEADERS=X-Key: k", "CLIENT_KEY_PEM_FILE=k"))
	for _, secret := range []string{"s", "s\n", "s\nt", "se\u200bcret", "id", "Client-Secret"} {
		title := fmt.Sprintf("a secret of the environment rejected, %q", secret)
		scenes = append(scenes, rejectedScene(title, rejected, id, "CLIENT_SECRET="+secret))
	}
	return scenes
}
