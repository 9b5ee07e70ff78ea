package provider

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// Groups of the sandbox's default catalogue, beside mainGroup.
const (
	oddGroup    = "emea/power?v=1#β %41" // an id that needs escaping
	sparseGroup = "f0e5ad51-6c48-4e48-ba77-08713590fc28"
	emptyGroup  = "233191dc-5464-496a-8502-52b761ba36f7" // without models
	hydroGroup  = "2be23368-56c5-4eb6-b02b-966d046dc3ea" // public, of another organisation
)

// TestANameInAnotherNormalFormIsFound: engines send every string of a configuration in NFC.
func TestANameInAnotherNormalFormIsFound(t *testing.T) {
	t.Parallel()
	const composed = "Prévision été"
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteGroups, "EMEA power balance", norm.NFD.String(composed)))
	state := e.mustRead(t, "model_group", arguments{"name": composed})
	if state["id"] != oddGroup || state["name"] != composed {
		t.Errorf("id %q, name %q", state["id"], state["name"])
	}
}

func TestAPinPicksItsRevision(t *testing.T) {
	t.Parallel()
	for revision, models := range map[int64][]*catalogue.Model{
		0: numbered(0, 1, 2),
		2: numbered(2, 1, 0),
	} {
		model, err := pin{groupID: "g", revision: revision}.pick(models)
		if err != nil || int64(*model.Revision) != revision || *model.latest != 2 {
			t.Errorf("revision %d: %+v, %v", revision, model, err)
		}
	}
}

// The order of the service's lists does not change a state or a message.
func TestAnyOrderGivesTheSame(t *testing.T) {
	t.Parallel()
	readings := []reading{
		{"latest_models", nil},
		{"model_group", arguments{"name": "Wind generation North Sea"}},  // two groups have it
		{"model", arguments{"model_group_id": mainGroup, "revision": 4}}, // which does not exist
	}
	for name, config := range readable {
		readings = append(readings, reading{name, config})
	}
	var want []answer
	for seed := range int64(3) {
		service := sandbox.New(sandbox.Default())
		if seed > 0 {
			sandboxtest.Shuffle(service)
		}
		// One at a time, because messages show the numbers of requests.
		got := newEngine(t, northwind(sandboxtest.Start(t, service))).readAll(t, 1, readings)
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: %v\nwant %v", seed, got, want)
		}
	}
}

// Arguments that cannot be decoded stop the read, even if an engine has not validated them.
func TestArgumentsThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	if !failed(e.reports(t, "model", arguments{"model_group_id": mainGroup, "revision": 1.5})) {
		t.Error("no error")
	}
	expectError(t, e.reports(t, "model_group_models", nil), "", explain.SummaryNotRead, "it is empty")
	expectRequests(t, service, nil)
}

func TestAResultTooLargeForOneMessageIsOurOwnError(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	e.server.maxState = 1000
	expectError(t, e.reports(t, "model_group_models", arguments{"model_group_id": mainGroup}), "", explain.SummaryTooLarge,
		"modelcatalogue_model_group_models is", "at most 1000 bytes", "time_horizon")
}

func TestAReadThatArrivesAfterAnInterruptSendsNothing(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	if _, err := e.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	for range 100 { // the plugin library passes an interrupt on a moment later
		expectError(t, e.reports(t, "model_group", arguments{"id": mainGroup}), "", explain.SummaryInterrupted)
	}
	expectRequests(t, service, nil)
}
