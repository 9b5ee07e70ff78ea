//go:build !windows

package acctest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// pipeline acts the workflow with an approval: each job in a checkout of its own, with one backend.
type pipeline struct {
	service        *sandbox.Sandbox
	state, summary string
	replace        *strings.Replacer // of texts that a page cannot know
	Env            map[string]string
	Jobs           map[string]struct {
		Environment, If string
		Steps           []struct {
			ID, If, Run string
			Env, With   map[string]string
		}
	}
}

func newPipeline(t *testing.T, secret string) *pipeline {
	t.Helper()
	needs(t, "terraform_data", "1.4.0", "1.6.0")
	temp := t.TempDir()
	p := &pipeline{
		service: sandbox.New(sandbox.Default()),
		state:   filepath.Join(temp, "terraform.tfstate"),
		summary: filepath.Join(temp, "summary"),
	}
	p.replace = strings.NewReplacer("https://catalogue.example", sandboxtest.Start(t, p.service),
		"${{ secrets.MODELCATALOGUE_CLIENT_ID }}", owner.id, "${{ secrets.MODELCATALOGUE_CLIENT_SECRET }}", secret)
	workflow := readText(t, root+"/examples/guides/follow-latest-revision/workflow.yml")
	if err := yaml.Unmarshal([]byte(workflow), p); err != nil {
		t.Fatal(err)
	}
	if p.Jobs["apply"].Environment == "" || p.Jobs["apply"].If != "needs.plan.outputs.status == '2'" {
		t.Error("nobody has to approve, or the approved plan does not move anything")
	}
	return p
}

// run runs a job with the plan that another has kept, if there is one. It returns the plan that this one keeps, its
// outputs and whether all steps succeeded.
func (p *pipeline) run(t *testing.T, name, plan string) (kept, outputs string, passed bool) {
	t.Helper()
	checkout, file := t.TempDir(), filepath.Join(t.TempDir(), "outputs")
	writeText(t, file, "")
	writeText(t, filepath.Join(checkout, "main.tf"), readText(t, root+"/examples/guides/follow-latest-revision/follow/main.tf"))
	writeText(t, filepath.Join(checkout, "backend.tf"), "terraform {\n  backend \"local\" {\n    path = \""+p.state+"\"\n  }\n}\n")
	for _, step := range p.Jobs[name].Steps {
		env := mirrored(t, "GITHUB_OUTPUT="+file, "GITHUB_STEP_SUMMARY="+p.summary)
		for _, given := range []map[string]string{p.Env, step.Env} {
			for variable, value := range given {
				env = append(env, variable+"="+p.replace.Replace(value))
			}
		}
		switch path := filepath.Join(checkout, step.With["path"]); {
		case step.Run != "":
			script := `terraform() { "` + underTest.Path + `" "$@"; }` + "\n" + step.Run
			cmd := engine.Command(t.Context(), plainShell(), "-ec", script)
			cmd.Dir, cmd.Env = checkout, env
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", readText(t, file), false
			} else if name == "apply" {
				wantText(t, string(out), "Apply complete!")
			}
		case step.If == "steps.plan.outputs.status == '2'" && strings.Contains(readText(t, file), "status=2"):
			kept = readText(t, path)
		case step.If == "" && step.With["name"] == "plan":
			writeText(t, filepath.Join(checkout, "next.tfplan"), plan)
		}
	}
	return kept, readText(t, file), true
}

// TestAccGuideApproves acts the two jobs of the guide: what was approved is applied, without a request, whatever was
// published in between, and a run with nothing to do keeps no plan.
func TestAccGuideApproves(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, owner.secret)
	approved, outputs, passed := p.run(t, "plan", "")
	if approved == "" || outputs != "status=2\n" || !passed {
		t.Fatalf("the first run keeps a plan of %d bytes and has the outputs %q: %t", len(approved), outputs, passed)
	}
	wantText(t, readText(t, p.summary), "```text\n", latestImage) // Markdown would eat the signs of a plan
	if _, err := p.service.Publish(mainGroup, []byte(`{"dockerImage": "registry.example/model:2.0.0"}`)); err != nil {
		t.Fatal(err)
	}
	p.service.ResetRequests()
	if _, _, passed := p.run(t, "apply", approved); !passed || p.service.Count(sandbox.RouteAny) != 0 {
		t.Errorf("the apply succeeds: %t, with %d requests", passed, p.service.Count(sandbox.RouteAny))
	}
	wantText(t, readText(t, p.state), latestImage)
	if _, _, passed := p.run(t, "apply", approved); passed {
		t.Error("a plan is applied twice")
	}

	approved, _, _ = p.run(t, "plan", "")
	p.run(t, "apply", approved)
	wantText(t, readText(t, p.state), "registry.example/model:2.0.0")
	if kept, outputs, passed := p.run(t, "plan", ""); kept != "" || outputs != "status=0\n" || !passed {
		t.Errorf("a run with nothing to do keeps a plan of %d bytes and has the outputs %q: %t", len(kept), outputs, passed)
	}
}

// TestAccGuideApprovesNothing: a plan that fails ends the job, and leaves nothing to approve.
func TestAccGuideApprovesNothing(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, "wrong")
	if kept, outputs, passed := p.run(t, "plan", ""); kept != "" || outputs != "" || passed {
		t.Errorf("a failed plan is kept: %d bytes, outputs %q, %t", len(kept), outputs, passed)
	}
	if _, err := os.Stat(p.state); err == nil {
		t.Error("a failed plan leaves a state")
	}
}

// TestAccGuideChannel: a tag promotes a revision, and taking it away rolls back.
func TestAccGuideChannel(t *testing.T) {
	needEngine(t)
	t.Parallel()
	const example = "guides/follow-latest-revision/channel/main.tf"
	catalogue, who := catalogueBeside(t, example)
	w := newWorkspace(t, configuration(t, example), sandbox.New(catalogue), who)
	deploys := func(tag string) {
		t.Helper()
		wantText(t, w.expect(t, 0, "apply", "-auto-approve"), `image = "`+mainImage+tag+`"`)
	}
	deploys(":1.0.2")
	w.republish(t, mainGroup, 3, `{"tags": ["production"]}`)
	deploys(":1.0.3")
	w.republish(t, mainGroup, 3, `{"tags": []}`)
	w.republish(t, mainGroup, 2, `{"tags": []}`)
	deploys(":1.0.1")
	w.republish(t, mainGroup, 1, `{"tags": []}`)
	w.expect(t, 1, "plan")
}
