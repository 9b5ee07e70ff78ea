package sandbox_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// changes are what a revision may be published with, complete or not.
var changes = []string{
	`"dockerImage": "registry.example/model:2"`, `"dockerImage": null`, `"horizon": {"key": "day_ahead"}`, `"horizon": null`,
	`"axes": [{"key": "k", "type": "number", "values": [1, 2.5], "default": 1}]`, `"axes": null`, `"tags": ["a", null]`,
	`"inputs": [{"unit": "EUR"}, null]`, `"inputs": null`, `"outputVariables": [{"key": "v"}]`, `"modelMetadata": {"a": [1.50, null]}`,
	`"archived": true`, `"enabled": false`, `"runMode": "ON_DEMAND"`, `"createdAt": "2026-01-05"`, `"forecastVariable": {}`,
}

// TestARandomLife publishes, re-publishes, archives, disables, revokes and resets in any order, and holds each answer to
// the OpenAPI document. It does not use the rules for services, because they share code with the sandbox.
func TestARandomLife(t *testing.T) {
	for name, text := range map[string]string{
		"the built-in catalogue": string(sandbox.DefaultFile()),
		"the guide's":            readText(t, exampleFolder+"catalogue.json"),
		"a short one":            models(`{"id": "m", "revision": 3}`),
		"an empty group":         group(`{"id": "g"}`),
	} {
		t.Run(name, func(t *testing.T) {
			catalogue, err := sandbox.ReadCatalogue(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			s := sandbox.New(catalogue)
			c, random := direct(t, s), rand.New(rand.NewPCG(1, 2))
			pick := func(from ...string) string { return from[random.IntN(len(from))] }
			ids := c.asOrganisation(catalogue.Organisations()[0]).get("/v1/model-group").ids(t)
			for range 60 {
				organisation := random.IntN(2) % len(catalogue.Organisations())
				reader := c.asOrganisation(catalogue.Organisations()[organisation]) // until it is revoked
				id := pick(ids...)
				ofRevision := fmt.Sprintf("revisions/%d/", random.IntN(4)) + pick("republish", "archive", "unarchive", "disable", "enable")
				path, body := "/control/model-groups/"+url.PathEscape(id)+"/"+pick("publish", ofRevision), ""
				if strings.HasSuffix(path, "publish") {
					body = "{" + pick(changes...) + "}"
				}
				if random.IntN(8) == 0 {
					path, body = "/control/"+pick("reset", "tokens/revoke"), ""
				}
				if got := c.do(http.MethodPost, path, body); slices.Contains([]int{200, 201}, got.status) {
					got.status = 200
					expectNone(t, path+" "+body, sandbox.RouteLatest, got)
				} else if got.status != 204 && got.status != 404 {
					t.Errorf("%s %s: %d %s", path, body, got.status, got.body)
				}
				for route, read := range reads(id) {
					expectNone(t, path+" "+body, route, reader.get(read))
				}
			}
			expectInterface(t, s, catalogue.Organisations())
		})
	}
}
