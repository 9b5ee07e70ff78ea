package provider

import (
	"context"
	"net/http"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestEveryDataSourceGivesTheSameStateBothWays(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	tried := map[string]bool{}
	var all []map[string]any
	for _, group := range asList(t, e.mustRead(t, "model_groups", nil)["model_groups"]) {
		all = append(all, asObject(t, group))
	}
	compare := func(name string, config arguments) {
		tried[name] = true
		ours, ourDiagnostics := e.readFrom(t.Context(), t, e.server, name, config)
		theirs, theirDiagnostics := e.readFrom(t.Context(), t, e.server.ProviderServer, name, config)
		if failed(ourDiagnostics) != (ours == nil) || len(ourDiagnostics) != len(theirDiagnostics) || !reflect.DeepEqual(ours, theirs) {
			t.Errorf("%s %v differs:\n%v\n%v", name, config, ours, theirs)
		}
	}
	conditions := []any{
		nil,
		map[string]any{},
		map[string]any{"archived": true},
		map[string]any{"enabled": true, "archived": false, "tags": []any{"power"}},
		map[string]any{"tags": []any{}},
	}
	for _, where := range conditions {
		compare("latest_model", arguments{"model_group_id": mainGroup, "where": where})
		compare("latest_models", arguments{"model_group_ids": []any{mainGroup}, "where": where})
		compare("latest_models", arguments{"where": where, "attributes": []any{"revision"}})
	}
	for _, accepted := range []any{nil, true, false} {
		compare("model", arguments{"model_group_id": mainGroup, "revision": 2, "accept_withdrawn": accepted})
		compare("model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": firstImage, "accept_withdrawn": accepted})
		for _, images := range []any{nil, map[string]any{}, map[string]any{oddGroup: oddImage}, map[string]any{oddGroup: "another"}} {
			compare("pinned_models", arguments{
				"revisions": map[string]any{mainGroup: 2, oddGroup: 7}, "docker_images": images, "accept_withdrawn": accepted,
			})
		}
	}
	compare("model_groups", nil)
	compare("model_groups", arguments{"time_horizon": "day_ahead"})
	for _, group := range all {
		id := group["id"]
		compare("model_group", arguments{"id": id})
		compare("model_group", arguments{"name": group["name"]})
		compare("latest_model", arguments{"model_group_id": id})
		compare("model_group_models", arguments{"model_group_id": id})
		for _, model := range asList(t, group["models"]) {
			compare("model", arguments{"model_group_id": id, "revision": asObject(t, model)["revision"]})
		}
	}
	for _, some := range []any{nil, []any{}, []any{"id", "models", "axes"}} {
		compare("model_groups", arguments{"attributes": some})
	}
	for _, some := range []any{nil, []any{}, []any{"docker_image", "tags", "model_group_id"}} {
		compare("model_group_models", arguments{"model_group_id": mainGroup, "attributes": some})
		compare("latest_models", arguments{"attributes": some})
		compare("latest_models", arguments{"time_horizon": "day_ahead", "attributes": some})
		compare("latest_models", arguments{"model_group_ids": []any{mainGroup, oddGroup, mainGroup}, "attributes": some})
		compare("latest_models", arguments{"model_group_ids": []any{}, "attributes": some})
		compare("pinned_models", arguments{"revisions": map[string]any{mainGroup: 2, oddGroup: 7}, "attributes": some})
		compare("pinned_models", arguments{"revisions": map[string]any{}, "attributes": some})
	}
	for name := range e.types {
		if !tried[name] {
			t.Errorf("%s was not compared", name)
		}
	}
}

func TestAnUnknownGroupIsNotFound(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": "none"})
	expectError(t, diagnostics, "id", summaryGroupNotFound, `no model group "none"`, "404 Not Found, code NOT_FOUND", "/v1/model-group/none")
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
}

func TestAReadThatArrivesAfterAnInterruptSendsNothing(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	if _, err := e.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
		expectError(t, diagnostics, "", summaryInterrupted)
	}
	expectRequests(t, service, nil)
}

func TestAnInterruptEndsTheReadsUnderWay(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	hanging := make(chan struct{})
	service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang, OnRequest: func(*http.Request) { close(hanging) }})
	go func() {
		<-hanging
		if _, err := e.server.StopProvider(context.WithoutCancel(t.Context()), &tfprotov6.StopProviderRequest{}); err != nil {
			t.Error(err)
		}
	}()
	_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
	expectError(t, diagnostics, "", summaryInterrupted)
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
}
