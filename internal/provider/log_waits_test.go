package provider

import (
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestTheLogSaysWhyAPlanStandsStill: at INFO, where few look for anything else,
// stands what a plan waits for, and no line about each request.
func TestTheLogSaysWhyAPlanStandsStill(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "30", 1))
		service.Inject(status(503, `{"code":"DOWN","message":"Short outage."}`, 1))
		var written logs
		_, diagnostics := inMemory(t, service, nil).read(written.in(t.Context()), t, oneGroup.name, oneGroup.config)
		expectNone(t, diagnostics)
		told := map[string]string{}
		for _, entry := range written.lines(t) {
			message, _ := entry["@message"].(string)
			level, _ := entry["@level"].(string)
			told[level] += message + "\n"
			if strings.HasSuffix(message, ".") {
				t.Errorf("%q: the log adds a colon to it", message)
			}
		}
		for _, part := range []string{"429", "30s", "503"} {
			if !strings.Contains(told["info"], part) {
				t.Errorf("INFO lacks %q:\n%s", part, told["info"])
			}
		}
		if strings.Contains(told["info"], "attempt 1") || !strings.Contains(told["debug"], "attempt 1") {
			t.Errorf("requests belong to DEBUG:\n%v", told)
		}
	})
}
