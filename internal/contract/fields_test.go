package contract_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// TestTheRulesNameEveryField: a field of the document is in INTERFACE.md as well, except those of models and groups, and
// of the token's answer, which are not shown.
func TestTheRulesNameEveryField(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(contract.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile("INTERFACE.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(document.Components.Schemas) < 10 {
		t.Fatalf("%d schemas", len(document.Components.Schemas))
	}
	for schema, fields := range document.Components.Schemas {
		if slices.Contains([]string{"Model", "ModelGroup", "Token"}, schema) {
			continue
		}
		for field := range fields.Properties {
			if !strings.Contains(string(rules), "`"+field+"`") {
				t.Errorf("INTERFACE.md does not name %s of %s", field, schema)
			}
		}
	}
}

// operations have an id, parameters, and the statuses of their answers by schema.
const operations = `
get /v1/model-group listModelGroups[{timeHorizon}] map[Error:[400 401 403 408 409 429 500 502 default] ModelGroup:[200]]
get /v1/model-group/{id} getModelGroup[{id}] map[Error:[400 401 403 404 408 409 429 500 502 default] ModelGroup:[200]]
get /v1/model-group/{id}/latest-model getLatestModel[{id}] map[Error:[400 401 403 404 408 409 429 500 502 default] Model:[200]]
get /v1/model-group/{id}/models listModels[{id}] map[Error:[400 401 403 404 408 409 429 500 502 default] Model:[200]]
post /v1/auth/token issueToken[] map[Error:[429] OAuthError:[400 401 502 default] Token:[200]]`

// schema is one, or a list of it, or a reference to either.
type schema struct {
	Ref   string `json:"$ref"`
	Items *schema
}

// answer is one of the document's, or a reference to one.
type answer struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema schema }
}

// TestOperations: other tools generate clients from them.
func TestOperations(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name string }
			Responses   map[string]answer
		}
		Components struct{ Responses map[string]answer }
	}
	if err := json.Unmarshal(contract.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	var found []string
	for route, methods := range document.Paths {
		for method, operation := range methods {
			answers := map[string][]string{}
			for _, status := range slices.Sorted(maps.Keys(operation.Responses)) {
				sent := operation.Responses[status]
				if sent.Ref != "" {
					sent = document.Components.Responses[path.Base(sent.Ref)]
				}
				form := sent.Content["application/json"].Schema
				if form.Items != nil {
					form = *form.Items
				}
				name := path.Base(form.Ref)
				answers[name] = append(answers[name], status)
			}
			found = append(found, fmt.Sprintf("%s %s %s%s %v", method, route, operation.OperationID, operation.Parameters, answers))
		}
	}
	slices.Sort(found)
	if got := "\n" + strings.Join(found, "\n"); got != operations {
		t.Errorf("openapi.json has the operations%s\nwant%s", got, operations)
	}
}

// TestCredentials: a generated client asks for a token, and sends it.
func TestCredentials(t *testing.T) {
	t.Parallel()
	var document struct {
		Security   []map[string]any
		Components struct {
			SecuritySchemes map[string]any
			Schemas         struct {
				TokenRequest struct {
					Properties map[string]struct{ Const string }
					Required   []string
				}
			}
		}
	}
	if err := json.Unmarshal(contract.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	request := document.Components.Schemas.TokenRequest
	if grant := request.Properties["grant_type"].Const; grant != "client_credentials" || len(request.Required) != 3 {
		t.Errorf("a token needs %q and the grant %s", request.Required, grant)
	}
	for _, scheme := range document.Security {
		for name := range scheme {
			if document.Components.SecuritySchemes[name] == nil {
				t.Errorf("the security scheme %s is not there", name)
			}
		}
	}
}
