package provider

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// idsOf returns the ids of the first n groups of manyGroups.
func idsOf(n int) []any {
	var ids []any
	for i := range n {
		ids = append(ids, groupID(i))
	}
	return ids
}

// pins returns the same revision for each of these groups.
func pins(n, revision int) map[string]any {
	revisions := map[string]any{}
	for i := range n {
		revisions[groupID(i)] = revision
	}
	return revisions
}

func modelsOf(t *testing.T, state map[string]any) map[string]any {
	t.Helper()
	return asObject(t, state["models"])
}

func TestAGroupGivenTwiceIsOneQuestion(t *testing.T) {
	t.Parallel()
	if named := namedGroups([]string{"a", "b", "a"}); len(named) != 2 || named[1].id != "b" {
		t.Errorf("%+v", named)
	}
}

func TestAPlanWithFleetsAndSingleBlocksAsksOnce(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		const groups = 40
		service := sandbox.New(manyGroups(t, groups))
		service.Inject(sandbox.Fault{Delay: sec})
		e := inMemory(t, service, nil)
		readings := []reading{
			{"latest_models", nil},
			{"latest_models", arguments{"model_group_ids": idsOf(groups)}},
			{"latest_models", arguments{"model_group_ids": append(idsOf(7), idsOf(7)...), "attributes": []any{"revision"}}},
			{"pinned_models", arguments{"revisions": pins(groups, 2)}},
			{"model_groups", nil},
		}
		for i := range groups {
			readings = append(readings, reading{"latest_model", arguments{"model_group_id": groupID(i)}},
				reading{"model", arguments{"model_group_id": groupID(i), "revision": 2}})
		}
		for _, a := range e.readAll(t, 10, readings) {
			expectNone(t, a.diagnostics)
		}
		expectRequests(t, service, map[sandbox.Route]int{
			sandbox.RouteToken:  1,
			sandbox.RouteGroups: 1,
			sandbox.RouteLatest: groups,
			sandbox.RouteModels: groups,
		})
	})
}

// TestAFleetTakesAsLongAsItsCeilingAsks: read_timeout is for each question, not for a fleet. A ceiling is the user's own,
// and does not warn at the end. TestOneWarningOfPauses has a fleet that the service's allowance holds back.
func TestAFleetTakesAsLongAsItsCeilingAsks(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 40))
		e := inMemory(t, service, arguments{argMaxRequests: "1/15s"})
		began := time.Now()
		models := modelsOf(t, e.mustRead(t, "latest_models", nil))
		took := time.Since(began)
		if len(models) != 40 || took < 600*sec || took > 1200*sec {
			t.Errorf("%d models took %s", len(models), took)
		}
	})
}

func TestAFaultOfAllEndsThoseUnderWay(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		limited := &catalogue.GaveUpError{Err: catalogue.ErrRateLimited}
		members := namedGroups([]string{"a", "limited", "nowhere"})
		_, fault := readFleet(t.Context(), members, func(ctx context.Context, i int) error {
			switch members[i].id {
			case "limited":
				return limited
			case "nowhere":
				return &catalogue.APIError{Status: 404}
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(fault, limited) {
			t.Errorf("the fault is %v", fault)
		}
	})
}

// The end of one group's time ends none of the reads under way.
func TestAFleetOutlivesOneGroup(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		members := namedGroups([]string{"late", "b", "c"})
		far, fault := readFleet(t.Context(), members, func(ctx context.Context, i int) error {
			if i == 0 {
				return &catalogue.GaveUpError{Cause: catalogue.WaitTooLong, Err: &catalogue.APIError{Status: 503}}
			}
			time.Sleep(sec)
			return ctx.Err()
		})
		if fault != nil || far.read != 2 {
			t.Errorf("%d were read, and the fault is %v", far.read, fault)
		}
	})
}

func TestAnInterruptEndsAFleetAtOnce(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 300))
		e := inMemory(t, service, arguments{argMaxRequests: "1/1s"})
		// Between two requests: one at the same instant could come before it or after it.
		const interrupted = 90*sec + sec/2
		go func() {
			time.Sleep(interrupted)
			if _, err := e.server.StopProvider(context.Background(), &tfprotov6.StopProviderRequest{}); err != nil {
				t.Error(err)
			}
		}()
		began := time.Now()
		_, diagnostics := e.read(t.Context(), t, "latest_models", nil)
		expectError(t, diagnostics, "", explain.SummaryInterrupted, "\n\n89 of 300 groups were read.")
		if took := time.Since(began); took != interrupted {
			t.Errorf("it ended after %s", took)
		}
		seen := service.Count(sandbox.RouteAny)
		synctest.Wait()
		time.Sleep(time.Hour)
		if more := service.Count(sandbox.RouteAny) - seen; more != 0 {
			t.Errorf("%d requests after it", more)
		}
	})
}

// Progress is logged at most once a second, and once for a pause. The line after a pause is not stale.
func TestProgressIsLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 60))
		pause := limited(sandbox.RouteLatest, "57", 1)
		pause.Skip = 41
		service.Inject(pause)
		e := inMemory(t, service, arguments{argMaxRequests: "1/200ms"})
		began := time.Now()
		lines := e.progressLines(t)
		seconds := int((time.Since(began) - 57*sec).Seconds())
		if n := len(lines); n < seconds/2 || n > seconds+2 || lines[n-1] != "60 of 60 groups read" {
			t.Errorf("%d lines in %d seconds: %q", n, seconds, lines)
		}
		pauses := regexp.MustCompile(`\d+ of 60 groups read, .*57s`).FindAllString(strings.Join(lines, "\n"), -1)
		if len(pauses) != 1 || slices.Contains(lines, "41 of 60 groups read") {
			t.Errorf("lines of pauses %q in %q", pauses, lines)
		}
	})
}

// A group without models is requested, but does not count as read.
func TestProgressOfGroupsWithoutModels(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	if lines := e.progressLines(t); !slices.Contains(lines, "7 of 8 groups read") {
		t.Errorf("%q", lines)
	}
}

// progressLines reads the latest model of every group, and returns the lines of the log about groups.
func (e *engine) progressLines(t *testing.T) []string {
	t.Helper()
	var written logs
	_, diagnostics := e.read(written.in(t.Context()), t, "latest_models", arguments{"accept_withdrawn": true})
	expectNone(t, diagnostics)
	return slices.DeleteFunc(written.messages(t, "info"), func(line string) bool { return !strings.Contains(line, "groups") })
}
