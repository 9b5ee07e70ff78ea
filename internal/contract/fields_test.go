package contract_test

import (
	"encoding/json"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// TestTheRulesNameEveryField: a field or a parameter of the document is in INTERFACE.md as well, except the fields of the
// token's answer, which are not shown.
func TestTheRulesNameEveryField(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]struct {
			Get struct{ Parameters []struct{ Name string } }
		}
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
	delete(document.Components.Schemas, "Token")
	for route, operations := range document.Paths {
		for _, parameter := range operations.Get.Parameters {
			if !strings.Contains(string(rules), "`"+parameter.Name+"`") {
				t.Errorf("INTERFACE.md does not name %s of %s", parameter.Name, route)
			}
		}
	}
	for schema, fields := range document.Components.Schemas {
		for field := range fields.Properties {
			if !strings.Contains(string(rules), "`"+field+"`") {
				t.Errorf("INTERFACE.md does not name %s of %s", field, schema)
			}
		}
	}
}

// TestReferences: tools of others make clients from the document.
func TestReferences(t *testing.T) {
	t.Parallel()
	var document any
	if err := json.Unmarshal(contract.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	for _, reference := range regexp.MustCompile(`"#/([^"]+)"`).FindAllStringSubmatch(string(contract.OpenAPI()), -1) {
		found := document
		for name := range strings.SplitSeq(reference[1], "/") {
			object, _ := found.(map[string]any)
			found = object[name]
		}
		if found == nil {
			t.Errorf("openapi.json refers to %s, which is not there", reference[1])
		}
	}
}

// answer is one of the document's, or a reference to one.
type answer struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema struct {
			Ref string `json:"$ref"`
		}
	}
}

// TestOperations: a part of a path is a parameter, and each endpoint refuses in its own form.
func TestOperations(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name, In string }
			Responses   map[string]answer
		}
		Components struct{ Responses map[string]answer }
	}
	if err := json.Unmarshal(contract.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for route, operations := range document.Paths {
		for _, operation := range operations {
			parts := strings.Count(route, "{")
			for _, parameter := range operation.Parameters {
				if parameter.In == "path" && strings.Contains(route, "{"+parameter.Name+"}") {
					parts--
				}
			}
			if parts != 0 || ids[operation.OperationID] {
				t.Errorf("%s has a part that is not a parameter, or the id of another operation", route)
			}
			ids[operation.OperationID] = true
			for status, found := range operation.Responses {
				if found.Ref != "" {
					found = document.Components.Responses[path.Base(found.Ref)]
				}
				schema := path.Base(found.Content["application/json"].Schema.Ref)
				if want := schemaOf(route, status); want != "" && schema != want {
					t.Errorf("%s answers %s with %s, want %s", route, status, schema, want)
				}
			}
		}
	}
}

// schemaOf returns the schema of an answer, or "" for the document of a lookup, to which the sandbox's answers are held.
func schemaOf(route, status string) string {
	isToken := route == "/v1/auth/token"
	switch {
	case isToken && status == "200":
		return "Token"
	case isToken && status != "429":
		return "OAuthError"
	case status == "200":
		return ""
	}
	return "Error"
}

// TestCredentials: a client that others make asks for a token, and sends it.
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
