package catalogue_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestReadersOfTheSameShareOneRequest(t *testing.T) {
	eachOnFakeClock(t, map[string]time.Duration{"together": sec, "one after another": 0}, func(t *testing.T, latency time.Duration) {
		const groups = 50
		service := sandbox.New(manyGroups(t, groups))
		service.Inject(sandbox.Fault{Delay: latency})
		var readings []reading
		for i := range 4 * groups {
			readings = append(readings, models(groupID(i%groups)))
		}
		expectAllRead(t, readAll(t, connect(t, service), 10, readings))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: groups})
	})
}

// TestReadersNeverDisagree: readers who ask the same are told the same, though a revision is published between them,
// until the next run, or until the next read where nothing is kept.
func TestReadersNeverDisagree(t *testing.T) {
	type row struct {
		route    sandbox.Route
		reading  reading
		settings []setting
	}
	rows := map[string]row{}
	for name, r := range map[string]row{
		"groups":           {sandbox.RouteGroups, groups(""), nil},
		"a group":          {sandbox.RouteGroup, group(groupID(0)), nil},
		"the latest model": {sandbox.RouteLatest, latestModel(groupID(0)), nil},
		"models":           {sandbox.RouteModels, models(groupID(0)), nil},
	} {
		rows[name+", one snapshot"] = r
		rows[name+", afresh"] = row{r.route, r.reading, []setting{afresh()}}
	}
	eachOnFakeClock(t, rows, func(t *testing.T, r row) {
		service := sandbox.New(manyGroups(t, 1))
		c := connect(t, service, r.settings...)
		first := r.reading.mustRead(t, c)
		expectNewest(t, first, 2)
		if _, err := service.Publish(groupID(0), json.RawMessage(`{"dockerImage":"image:3"}`)); err != nil {
			t.Fatal(err)
		}
		second, tokens := r.reading.mustRead(t, c), 1
		if r.settings == nil {
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, r.route: 1})
			if !reflect.DeepEqual(first, second) {
				t.Errorf("two readers of one run differ:\n%v\n%v", first, second)
			}
			second, tokens = r.reading.mustRead(t, connect(t, service)), 2 // the next run
		}
		expectNewest(t, second, 3)
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: tokens, r.route: 2})
	})
}

var revisionInJSON = regexp.MustCompile(`(?:r|latestR)evision":(\d+)`)

// expectNewest wants an answer in which that revision is the highest.
func expectNewest(t *testing.T, answer any, want int) {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	highest := -1
	for _, found := range revisionInJSON.FindAllSubmatch(text, -1) {
		revision, _ := strconv.Atoi(string(found[1]))
		highest = max(highest, revision)
	}
	if highest != want {
		t.Errorf("revision %d is the newest of %s, want %d", highest, text, want)
	}
}

// TestOtherQuestionsHaveOtherAnswers: what is kept is kept for one question.
func TestOtherQuestionsHaveOtherAnswers(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		c := connect(t, service)
		if reflect.DeepEqual(groups("").mustRead(t, c), groups("week_ahead").mustRead(t, c)) {
			t.Error("one horizon has as many groups as all of them")
		}
		groups("week_ahead").mustRead(t, c)
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 2})
	})
}
