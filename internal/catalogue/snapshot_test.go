package catalogue_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// revisions is a service whose groups have n revisions. It answers after a second.
func revisions(n *atomic.Int32) *service {
	return &service{read: func(_ int, r *http.Request) reply {
		document, _ := simDocument(r.URL.Path, int(n.Load()))
		return reply{body: document, after: sec}
	}}
}

// An answer is fetched once for each question, and kept; with snapshot = false nothing is.
func TestReadersOfOneRunAgree(t *testing.T) {
	questions := map[string]reading{"groups": groups(""), "a group": group("a"), "a model": latestModel("a"), "models": models("a")}
	eachOnFakeClock(t, questions, func(t *testing.T, question reading) {
		var published atomic.Int32
		published.Store(1)
		s := revisions(&published)
		c := over(t, s)
		together := []*reader{question.start(t, c), question.start(t, c)}
		first := fmt.Sprintf("%v", inText(together[0].end()))
		published.Store(2)
		for _, a := range []answer{together[1].end(), question.read(t, c)} {
			if got := inText(a); got != first {
				t.Errorf("%s, and the first reader has %s", got, first)
			}
		}
		s.expectCounts(t, 1, 1)
		groups("day_ahead").mustRead(t, c) // another question
		s.expectCounts(t, 1, 2)

		published.Store(1)
		s = revisions(&published)
		c = over(t, s, afresh())
		if question.mustRead(t, c); inText(question.read(t, c)) != first {
			t.Error("the same catalogue has another answer")
		}
		published.Store(2)
		if inText(question.read(t, c)) == first {
			t.Error("a read has an answer from before it")
		}
		s.expectCounts(t, 1, 3)
	})
}

func inText(a answer) string { return string(inJSON(a.value)) + fmt.Sprint(a.err) }

// Those who ask the same share its attempts, its end and its words, whenever they came.
func TestThoseWhoAskTheSameShareItsEnd(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := always(answered(503))
		c := over(t, s)
		early := theGroup.start(t, c)
		time.Sleep(14 * sec)
		late := theGroup.start(t, c)
		answers := []answer{early.end(), late.end()}
		expectEnd(t, answers, ending{Cause: retriesUsedUp, Attempts: 5})
		expectAllTold(t, answers, toldUnavailable, "503")
		if answers[1].took != 1*sec {
			t.Errorf("the later one took %s", answers[1].took)
		}
		s.expectCounts(t, 1, 5)
	})
}

// An answer that was requested before a caller came cannot prove to it that something is absent: one more request is
// sent, for all who miss it.
func TestAnAbsenceIsAskedForOnceMore(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		var published atomic.Int32
		published.Store(1)
		s := revisions(&published)
		c := over(t, s)
		pinned := func(revision int) reading {
			return func(ctx context.Context, c *catalogue.Client) (any, error) {
				return c.ModelsWith(ctx, "a", func(all []*catalogue.Model) bool {
					return slices.ContainsFunc(all, func(m *catalogue.Model) bool { return int(*m.Revision) == revision })
				})
			}
		}
		expect := func(what string, revision, models, reads int) {
			t.Helper()
			if got, _ := pinned(revision).mustRead(t, c).([]*catalogue.Model); len(got) != models || s.reads != reads {
				t.Errorf("%s: %d models after %d reads, want %d and %d", what, len(got), s.reads, models, reads)
			}
		}
		expect("its own answer proves it", 2, 1, 1)
		expect("what is there is kept", 1, 1, 1)
		published.Store(2)
		expect("what was published is seen", 2, 2, 2)
		expect("and kept", 2, 2, 2)

		// A request is under way, from before the revision; those who join it miss it.
		under := pinned(4).start(t, c)
		time.Sleep(sec / 2)
		var joined []*reader
		for range 10 {
			joined = append(joined, pinned(3).start(t, c))
		}
		published.Store(3)
		expectAllRead(t, []answer{under.end()})
		for _, r := range joined {
			if got, _ := r.end().value.([]*catalogue.Model); len(got) != 3 {
				t.Errorf("who joined a request has %d models, want 3", len(got))
			}
		}
		s.expectCounts(t, 1, 4)
	})
}
