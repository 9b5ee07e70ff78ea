package provider

import (
	"cmp"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// leftOut is a listed model group without a latest model.
type leftOut struct {
	record string // the fields of its record, except id
	answer string // the body of the 404 for its latest model; empty for the catalogue's own
	says   string // the summary of the diagnostic, "" if the group is silently left out
}

const (
	noModels    = `"models":[]`
	inCatalogue = `{"code":"NOT_FOUND","message":"None such."}`
)

// leftOutGroups: a listed group is silently left out if the list and the catalogue agree that it is empty. Leaving out
// any other would destroy a deployment.
var leftOutGroups = map[string]leftOut{
	"no latest revision":          {noModels, "", ""},
	"null as the latest revision": {noModels + `,"latestRevision":null`, "", ""},
	"the latest revision is 0":    {noModels + `,"latestRevision":0`, "", ""},
	"all are archived":            {noModels + `,"latestRevision":3`, "", explain.SummaryLeftOut},
	"the latest revision is -1":   {noModels + `,"latestRevision":-1`, "", ""},
	"a text":                      {noModels + `,"latestRevision":"0"`, "", explain.SummaryContradiction},
	"a wrong record":              {noModels + `,"name":7`, "", explain.SummaryContradiction},
	"models":                      {`"models":[{"id":"m","revision":0}]`, "", explain.SummaryContradiction},
	"models is absent":            {`"latestRevision":0`, "", explain.SummaryContradiction},
	"models is null":              {`"models":null`, "", explain.SummaryContradiction},
	"models is a text":            {`"models":""`, "", explain.SummaryContradiction},
	"a code of a gateway":         {noModels, `{"code":"900906"}`, explain.SummaryNotAnswered},
	"a number for a code":         {noModels, `{"code":5}`, explain.SummaryNotAnswered},
	"a blank code":                {noModels, `{"code":" "}`, explain.SummaryNotAnswered},
	"another spelling":            {noModels, `{"code":"not_found"}`, explain.SummaryNotAnswered},
	"an OAuth error":              {noModels, `{"error":"not_found"}`, explain.SummaryNotAnswered},
	"no code":                     {noModels, `{}`, explain.SummaryNotAnswered},
	"no body":                     {noModels, " ", explain.SummaryNotAnswered},
}

func TestWhichListedGroupsAreLeftOut(t *testing.T) {
	t.Parallel()
	for name, test := range leftOutGroups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, service := sandboxEngine(t)
			service.Inject(sandbox.Fault{
				Route: sandbox.RouteGroups, Status: 200,
				Body: `[{"id":"` + mainGroup + `"},{"id":"g",` + test.record + `}]`,
			})
			service.Inject(sandbox.Fault{
				Path: "/v1/model-group/g/latest-model", Status: 404, Body: cmp.Or(test.answer, inCatalogue),
			})
			state, diagnostics := e.read(t.Context(), t, "latest_models", nil)
			switch test.says {
			case "":
				expectNone(t, diagnostics)
			case explain.SummaryLeftOut:
				expectWarning(t, diagnostics, "", test.says, `"g"`)
			default:
				expectError(t, diagnostics, "", test.says, "404 Not Found")
				return
			}
			if models := modelsOf(t, state); len(models) != 1 || models[mainGroup] == nil {
				t.Errorf("models %v", models)
			}
		})
	}
}

// If the catalogue answers "not found" for the models of a group after its latest model, the group is not left out, and
// the error of a single block does not call it missing.
func TestModelsThatAreNotFoundAfterTheLatest(t *testing.T) {
	t.Parallel()
	conditions := where("tags", []any{"no such tag"})
	const says = "the service answered with its latest model, revision "
	for name, config := range map[string]arguments{
		"latest_models": {"time_horizon": "day_ahead"},
		"latest_model":  ofMain(nil),
	} {
		e, service := sandboxEngine(t)
		service.Inject(sandbox.Refuse(sandbox.RouteModels, "NOT_FOUND", "None such."))
		expectError(t, e.reports(t, name, config.with("where", conditions)), "", explain.SummaryContradiction, says)
	}
}
