package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// What the process learns of the allowance is logged when it changes.
func TestChangesOfThePaceAreLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		allowance := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 20, Per: 10 * sec}
		service := sandbox.New(manyGroups(t, 60), sandbox.WithAllowance(allowance))
		e := inMemory(t, service, nil)
		var written logs
		ctx := written.in(t.Context())
		for i := range 60 {
			_, diagnostics := e.read(ctx, t, "model_group", arguments{"id": groupID(i)})
			expectNone(t, diagnostics)
		}
		if said := written.String(); !strings.Contains(said, "The pace is now at most 20 requests in ") {
			t.Error("no line tells of the allowance of 20 requests")
		}
	})
}

// The log says of each wait why it is, in a sentence.
func TestWaitsAreLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "3", 1))
		service.Inject(status(503, `{"code":"DOWN","message":"Down."}`, 1))
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 401, Times: 1})
		e := inMemory(t, service, nil)
		var written logs
		_, diagnostics := e.read(written.in(t.Context()), t, "model_group", arguments{"id": mainGroup})
		expectNone(t, diagnostics)
		var said []string
		for _, line := range written.lines(t) {
			if message, ok := line["@message"].(string); ok {
				said = append(said, message)
			}
		}
		for _, want := range []string{
			"A token is asked for: there is none yet",
			"POST /v1/auth/token 200 in 0 ms, attempt 1",
			"GET " + mainPath + " 429 in 0 ms, attempt 1",
			"The service asked for a pause of 3s (429 for GET " + mainPath + ")",
			"503 in 0 ms, attempt 2",
			": 503 Service Unavailable, code DOWN: Down",
			"The token is not used again: 401 for GET " + mainPath,
			"A token is asked for: the last one was refused",
			"GET " + mainPath + " 200 in 0 ms, attempt 4",
		} {
			if !slices.ContainsFunc(said, func(message string) bool { return strings.Contains(message, want) }) {
				t.Errorf("no line says %q:\n%s", want, fmt.Sprint(said))
			}
		}
	})
}
