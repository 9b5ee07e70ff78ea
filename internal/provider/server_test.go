package provider

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

)

func TestEveryDataSourceGivesTheSameStateBothWays(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	readings := []reading{{"model_groups", nil}, {"model_groups", arguments{"time_horizon": "day_ahead"}}}
	add := func(name string, config arguments) { readings = append(readings, reading{name, config}) }
	for _, where := range []any{nil, where(), where("archived", true), where("enabled", true, "archived", false, "tags", []any{"power"}), where("tags", []any{})} {
		add("latest_model", arguments{"model_group_id": mainGroup, "where": where})
		add("latest_models", arguments{"model_group_ids": []any{mainGroup}, "where": where})
		add("latest_models", arguments{"where": where, "attributes": []any{"revision"}})
	}
	both := arguments{"revisions": map[string]any{mainGroup: 2, oddGroup: 7}}
	for _, accepted := range []any{nil, true, false} {
		add("model", arguments{"model_group_id": mainGroup, "revision": 2, "accept_withdrawn": accepted})
		add("model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": firstImage, "accept_withdrawn": accepted})
		for _, images := range []any{nil, map[string]any{}, map[string]any{oddGroup: oddImage}, map[string]any{oddGroup: "another"}} {
			add("pinned_models", both.merge(arguments{"docker_images": images, "accept_withdrawn": accepted}))
		}
	}
	for _, element := range asList(t, e.mustRead(t, "model_groups", nil)["model_groups"]) {
		group := asObject(t, element)
		id := group["id"]
		add("model_group", arguments{"id": id})
		add("model_group", arguments{"name": group["name"]})
		add("latest_model", arguments{"model_group_id": id})
		add("model_group_models", arguments{"model_group_id": id})
		for _, model := range asList(t, group["models"]) {
			add("model", arguments{"model_group_id": id, "revision": asObject(t, model)["revision"]})
		}
	}
	add("model_groups", arguments{"attributes": []any{}})
	add("model_groups", arguments{"attributes": []any{"id", "models", "axes"}})
	for _, some := range [][]any{{}, {"id", "docker_image", "tags", "model_group_id"}} {
		add("model_group_models", arguments{"model_group_id": mainGroup, "attributes": some})
		add("latest_models", arguments{"time_horizon": "day_ahead", "attributes": some})
		add("latest_models", arguments{"model_group_ids": []any{mainGroup, oddGroup, mainGroup}, "attributes": some})
		add("latest_models", arguments{"model_group_ids": []any{}, "attributes": some})
		add("pinned_models", both.with("attributes", some))
		add("pinned_models", arguments{"revisions": map[string]any{}, "attributes": some})
	}
	tried := map[string]bool{}
	for _, r := range readings {
		tried[r.name] = true
		ours, ourDiagnostics := e.readFrom(t.Context(), t, e.server, r.name, r.config)
		theirs, theirDiagnostics := e.readFrom(t.Context(), t, e.server.ProviderServer, r.name, r.config)
		if failed(ourDiagnostics) != (ours == nil) || len(ourDiagnostics) != len(theirDiagnostics) || !reflect.DeepEqual(ours, theirs) {
			t.Errorf("%s %v differs:\n%v\n%v", r.name, r.config, ours, theirs)
		}
	}
	if len(tried) != len(schemas.DataSourceSchemas) {
		t.Errorf("only %v were compared", tried)
	}
}

func TestAResultTooLargeForOneMessageIsOurOwnError(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	e.server.maxState = 1000
	expectError(t, e.refused(t, "model_group_models", arguments{"model_group_id": mainGroup}), "", summaryTooLarge,
		"modelcatalogue_model_group_models takes", "at most 1000 bytes", "time_horizon")
}

func TestAReadThatArrivesAfterAnInterruptSendsNothing(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	if _, err := e.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		expectError(t, e.refused(t, "model_group", arguments{"id": mainGroup}), "", summaryInterrupted)
	}
	expectRequests(t, service, nil)
}
