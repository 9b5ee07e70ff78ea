package provider

import "github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"

// followScenes returns scenes of warnings about models that are followed.
func followScenes() []scene {
	all := reading{"latest_models", nil}
	tagged := reading{"latest_models", arguments{"where": where("tags", []any{"gold"})}}
	latest := reading{"latest_model", arguments{"model_group_id": sparseGroup}}
	return []scene{
		onSandbox(
			"followed revisions that are withdrawn",
			all,
			latest,
			reading{"latest_models", arguments{"model_group_ids": []any{mainGroup, sparseGroup}}},
			reading{"latest_models", arguments{"where": where("enabled", false)}},
			reading{"latest_models", arguments{"accept_withdrawn": true}},
		),
		played(
			"followed revisions that the service does not say to be in service",
			faulty(respell(sandbox.RouteAny, `"enabled":true,`, "")),
			nil,
			reading{"latest_model", ofMain(nil)},
			all,
		),
		onSandbox(
			"a fleet that comes out empty",
			reading{"latest_models", arguments{"time_horizon": "quarterly"}},
			tagged,
		),
		played(
			"a fleet without a group that is listed",
			faulty(sandbox.Fault{Route: sandbox.RouteGroups, Status: 200, Body: "[]"}),
			nil,
			all,
			reading{"latest_models", arguments{"time_horizon": "day_ahead"}},
			reading{"latest_models", arguments{"model_group_ids": []any{}}},
		),
		played(
			"listed groups without a latest model",
			faulty(sandbox.Refuse(sandbox.RouteLatest, "NOT_FOUND", "None such.")),
			nil,
			all,
			reading{"latest_models", arguments{"time_horizon": "day_ahead"}},
		),
		played(
			"a listed group whose revisions are all archived",
			faulty(respell(sandbox.RouteGroups, `"latestRevision":0,"models":[]`, `"latestRevision":4,"models":[]`)),
			nil,
			reading{"latest_models", arguments{"accept_withdrawn": true}},
		),
		played(
			"models that are not found after the latest",
			faulty(sandbox.Refuse(sandbox.RouteModels, "NOT_FOUND", "None such.")),
			nil,
			reading{"latest_model", ofMain(arguments{"where": where("tags", []any{"gold"})})},
		),
		played(
			"models that are older than listed",
			faulty(respell(sandbox.RouteGroups, `"revision":7`, `"revision":8`, `"revision":3`, `"revision":4`)),
			nil,
			reading{"latest_models", arguments{"accept_withdrawn": true}},
			reading{"latest_models", arguments{"where": where("run_mode", "ON_DEMAND", "enabled", true)}},
		),
	}
}
