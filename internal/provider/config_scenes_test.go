package provider

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// surrounded returns a scene of configuring the provider in an environment of these variables.
func surrounded(title string, config arguments, assignments ...string) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		env := setting.EnvironmentOf(assignments)
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
		explainer := &explain.Explainer{Credentials: s.credentials}
		d := blockRead{connection: &connection{explainer: explainer}, dataSource: "modelcatalogue_model_groups"}
		return protocol6(d.problem(err, explain.Subject{}).Diagnostic())
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
		surrounded("a client_id in the block and the file of a token in the environment", address.with(argClientID, "northwind"),
			"MODELCATALOGUE_ACCESS_TOKEN_FILE=/run/secrets/t"),
		surrounded("a client_id in the block, whose base_url differs from that of the environment", address.with(argClientID, "northwind"),
			"MODELCATALOGUE_BASE_URL=https://own.example"),
		surrounded("a secret of white space", pair.with(argClientSecret, " ")),
		surrounded("base_url of the environment", pair.with(argBaseURL, nil), "MODELCATALOGUE_BASE_URL=https//catalogue.example"),
		surrounded("base_url of the environment with a password", pair.with(argBaseURL, nil),
			"MODELCATALOGUE_BASE_URL=//me:pw@catalogue.example"),
		surrounded("a variable and its file", address.with(argClientID, "northwind"),
			"MODELCATALOGUE_CLIENT_SECRET=s", "MODELCATALOGUE_CLIENT_SECRET_FILE=/run/secrets/s"),
		surrounded("a token that is the path of a file", address, "MODELCATALOGUE_ACCESS_TOKEN=/etc/hosts"),
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
		file("a file of another machine, which runs Windows", `C:\secrets\token`),
		file("a file on a share of Windows", `\\files.example\secrets\token`),
		file("a file with a variable in its name", "$HOME/token"),
		file("a file as a URL", "file:///run/token"),
		file("a file with white space around it", " /run/token"),
		containing("a file that is empty", argAccessToken, ""),
		containing("a file that is blank", argAccessToken, " \n\n"),
		containing("a file of a token that has two lines", argAccessToken, "hunter2\nanew\n"),
		containing("a file of a token with its name", argAccessToken, "ACCESS_TOKEN=hunter2\n"),
		containing("a file in UTF-16", argAccessToken, "\xff\xfeh\x00"),
		containing("a file of a certificate in binary form", argCACertificate, "\x30\x82\x01\x0a\x30\x82\x01\x0b"),
		surrounded("max_retries of the environment", pair, "MODELCATALOGUE_MAX_RETRIES=0,5"),
	}
}

// containing returns a scene of a file with that content, which a variable names.
func containing(title, argument, content string) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		name := fileOf(t, content)
		block := northwind("https://catalogue.example")
		if argument == argAccessToken {
			block = arguments{argBaseURL: "https://catalogue.example"}
		}
		shown := surrounded("", block, setting.FileVariable(argument)+"="+name).play(t)
		shown[0].Detail = strings.ReplaceAll(shown[0].Detail, name, "/run/file")
		return shown
	}}
}

// proxyScenes returns scenes of variables that do not name a proxy.
func proxyScenes() []scene {
	var scenes []scene
	for _, value := range []string{
		" ", `"http://proxy.example:8080"`, " http://proxy.example:8080", "HTTPS_PROXY=http://proxy.example:8080", "<proxy>",
		"http:/proxy.example:8080", "sock://proxy.example:1080", "joe:pw://proxy.example", "http://joe:p#ss@proxy.example:8080",
		"http://$PROXY:8080", "http://:8080", "http://proxy,example:8080", "http://proxy.example:80800", "http://proxy.example:8080?a",
		"http://[::1", "HTTP//proxy.example:8080", "http://joe:12/pw@proxy.example:8080", "joe:p%w@proxy.example:8080",
		"http://joe:p^w@proxy.example:8080", "http://joe:pw@<proxy>:8080", "http://joe:pw@proxy.example:80800", "proxy.example:80:80",
		"http://proxy.example/proxy.pac",
	} {
		scenes = append(scenes, surrounded("HTTPS_PROXY="+value, northwind("https://catalogue.example"), "HTTPS_PROXY="+value))
	}
	return scenes
}

// unreadScenes returns scenes of variables that the provider does not read.
func unreadScenes() []scene {
	pair := northwind("https://catalogue.example")
	none := func(names ...string) scene {
		return surrounded("nothing given, and "+strings.Join(names, ", "), nil, assigned(names)...)
	}
	warned := func(names ...string) scene {
		return surrounded("nothing missing, and "+strings.Join(names, ", "), pair, assigned(names)...)
	}
	return []scene{
		none("MODELCATALOGUE_CLIENTID", "MODELCATALOG_BASE_URL", "MODEL_CATALOGUE_CLIENT_SECRET"),
		none("modelcatalogue_client_id", "MODELCATALOGUE_SECRET", "MODELCATALOGUE_URL", "MODELCATALOGUE_MAXREQUESTS"),
		none("MODELCATALOGUE_TOKEN", "MODELCATALOGUE_BASE_URL"),
		none("MODELCATALOGUE_CLIENT_SECRETFILE", "MODELCATALOGUE_BASE_URL_FILE", "MODELCATALOGUE_CLIENT-ID"),
		warned("MODELCATALOGUE_MAXREQUESTS", "MODELCATALOG_SNAPSHOT", "MODELCATALOGUE_REGION", "MODELCATALOG_REGION",
			"MODELCATALOGUE_TOKEN_FILE"),
		warned("MODELCATALOGUE_SANDBOX_LISTEN", "MODELCATALOGUE_TEST_MODEL_GROUP_ID", "MODELCATALOGUE_", "TF_VAR_MODELCATALOGUE_TOKEN"),
	}
}

// assigned gives each variable a value that no message may show.
func assigned(names []string) []string {
	var assignments []string
	for _, name := range names {
		assignments = append(assignments, name+"=https://hunter2")
	}
	return assignments
}

// valueScenes returns a scene of one value for each rule.
func valueScenes() []scene {
	var scenes []scene
	for _, group := range readWrongValues() {
		if !group.isShown {
			continue
		}
		argument, value := group.argument, group.values[0]
		title := fmt.Sprintf("%s = %q", argument, value)
		switch argument {
		case argMaxRetries, argSnapshot, argHeaders: // the block takes a number, a boolean and a map
			scenes = append(scenes, surrounded(title, northwind("https://catalogue.example"), setting.Variable(argument)+"="+value))
		case argAccessToken:
			scenes = append(scenes, configured(title, arguments{argClientID: nil, argClientSecret: nil, argAccessToken: value}))
		default:
			scenes = append(scenes, configured(title, arguments{argument: value}))
		}
	}
	return scenes
}

// blockScenes returns more scenes of `validate` on the provider block.
func blockScenes() []scene {
	const line = "-----BEGIN CERTIFICATE-----"
	body := strings.Repeat("MIIB", 16)
	pem := line + "\n" + body + "\n-----END CERTIFICATE-----\n"
	_, sound := trusted()
	authority := func(title, text string) scene { return configured(title, arguments{argCACertificate: text}) }
	return []scene{
		authority("ca_certificate_pem is a private key", "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"),
		authority("ca_certificate_pem is a certificate request", strings.ReplaceAll(pem, "CERTIFICATE", "CERTIFICATE REQUEST")),
		authority("ca_certificate_pem is broken", pem),
		authority("ca_certificate_pem is cut short", line+"\n"+body),
		authority("ca_certificate_pem on one line", strings.ReplaceAll(pem, "\n", " ")),
		authority("ca_certificate_pem with line breaks that are spelled", strings.ReplaceAll(pem, "\n", `\n`)),
		authority("ca_certificate_pem in quotes", `"`+pem+`"`),
		authority("ca_certificate_pem in base64", base64.StdEncoding.EncodeToString([]byte(pem))),
		authority("ca_certificate_pem without its first and last line", unframed(sound)),
		configured("max_retries has a fraction", arguments{argMaxRetries: 1.5}),
		configured("both kinds of credentials", arguments{argAccessToken: "t"}),
		configured("a token and a half of the other kind", arguments{argClientID: nil, argAccessToken: "t"}),
		{title: "two arguments that are not known yet, in several blocks", play: func(t *testing.T) []*tfprotov6.Diagnostic {
			e := newEngine(t, northwind("").with(argBaseURL, unknown).with(argClientSecret, unknown))
			return slices.Concat(
				e.reports(t, oneGroup.name, oneGroup.config),
				e.reports(t, "latest_model", arguments{"model_group_id": emptyGroup}),
				e.reports(t, "model_group", arguments{"name": "Rainfall"}),
				e.reports(t, "model_groups", nil))
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
		rejectedScene("a secret that Python printed", rejected, id, "CLIENT_SECRET=None"),
		rejectedScene("a secret of two lines", rejected, id, "CLIENT_SECRET=s\nt"),
		rejectedScene("a secret with its name", rejected, id, "CLIENT_SECRET=CLIENT_SECRET=s"),
		rejectedScene("a secret with a character that cannot be seen", rejected, id, "CLIENT_SECRET=se\u200bcret"),
		rejectedScene("a secret that is the path of a file", rejected, id, "CLIENT_SECRET=/etc/hosts"),
		rejectedScene("a secret of four characters", rejected, id, "CLIENT_SECRET=****"),
		rejectedScene("a secret that is the client_id", rejected, id, "CLIENT_SECRET=id"),
		rejectedScene("a token in the block rejected, beside client_id and client_secret", given,
			arguments{argAccessToken: "a-longer-token"}, "CLIENT_ID=i", "CLIENT_SECRET_FILE=s"),
		rejectedScene("a token rejected", given, arguments{argAccessToken: "id"}),
		rejectedScene("a token of the environment rejected, beside client_id and client_secret", given, nil,
			"CLIENT_ID=i", "CLIENT_SECRET=s", "ACCESS_TOKEN='t'"),
	}
}
