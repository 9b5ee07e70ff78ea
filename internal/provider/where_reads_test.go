package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestAConditionThatIsLeftOpen: the latest model may be the one that is asked for, so no older one is read in its place,
// nor asked for, and no group is left out.
func TestAConditionThatIsLeftOpen(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteLatest, `"updatedAt":"`, `"updatedAt":"the `))
	condition := arguments{"where": where("min_age", "1h")}

	diagnostics := e.reports(t, "latest_model", ofMain(condition))
	const says = `min_age cannot be checked: its updated_at is "the 20`
	expectError(t, diagnostics, "where", explain.SummaryUndecided, says)

	diagnostics = e.reports(t, "latest_models", condition.with("model_group_ids", []any{oddGroup}))
	expectError(t, diagnostics, "model_group_ids[0]", explain.SummaryUndecided, "revision 7: min_age cannot")

	diagnostics = e.reports(t, "latest_models", condition)
	expectError(t, diagnostics, "where", explain.SummaryUndecided, "6 more of 8 groups")
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteGroups: 1,
		sandbox.RouteLatest: 8,
	})
}

// TestWhatTheLatestModelRulesOut: the list is older, and still has it enabled.
func TestWhatTheLatestModelRulesOut(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteLatest, `"enabled":true`, `"enabled":false`))
	state := e.mustRead(t, "latest_model", ofMain(arguments{"where": where("enabled", true)}))
	if state["revision"] != int64(1) {
		t.Errorf("revision %v", state["revision"])
	}
}

// TestTheClockOfConditions: blocks of a run agree about the age of a revision, unless each reads afresh.
func TestTheClockOfConditions(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		time.Sleep(27 * 365 * day) // the other revisions are of 2025 and 2026
		service := sandbox.New(sandbox.Default())
		published := time.Now().Format(time.RFC3339)
		changes := []byte(`{"createdAt": "` + published + `", "updatedAt": "` + published + `"}`)
		if _, err := service.Republish(mainGroup, 3, changes); err != nil {
			t.Fatal(err)
		}
		config := ofMain(arguments{"where": where("min_age", "1h"), "accept_withdrawn": true})
		shared, afresh := inMemory(t, service, nil), inMemory(t, service, arguments{argSnapshot: false})
		expectRevision := func(e *engine, want int64) {
			t.Helper()
			if state := e.mustRead(t, "latest_model", config); state["revision"] != want {
				t.Errorf("revision %v, want %d", state["revision"], want)
			}
		}
		expectRevision(shared, 2)
		time.Sleep(time.Hour)
		expectRevision(shared, 2)
		expectRevision(afresh, 3)
	})
}

// TestAShortMessageHidesTheStartOfASecret: the service repeats the secret, and the short message ends inside it.
func TestAShortMessageHidesTheStartOfASecret(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteAny, `"runMode":"AUTOMATIC"`, `"runMode":"`+strings.Repeat("x", 20)+`northwind-sandbox-secret"`))
	config := ofMain(arguments{"where": where("run_mode", "WEEKLY")})
	for range 2 {
		diagnostics := e.reports(t, "latest_model", config)
		expectError(t, diagnostics, "where", explain.SummaryNoneSatisfies, "revision 3: its run_mode is \"xxx")
		if strings.Contains(diagnostics[0].Detail, "northwind-") {
			t.Error(diagnostics[0].Detail)
		}
	}
}
