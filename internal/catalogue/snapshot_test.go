package catalogue_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// revisions returns a service whose groups have n revisions. It answers after a second.
func revisions(n *atomic.Int32) *service {
	return &service{read: func(_ int, r *http.Request) reply {
		document, _ := simDocument(r.URL.Path, int(n.Load()))
		return reply{body: document, after: sec}
	}}
}

// An answer is fetched once for each question, and kept; with snapshot = false nothing is.
func TestReadersOfOneRunAgree(t *testing.T) {
	questions := map[string]reading{
		"groups":  groups(""),
		"a group": group("a"),
		"a model": latestModel("a"),
		"models":  models("a"),
	}
	eachOnFakeClock(t, questions, func(t *testing.T, question reading) {
		var published atomic.Int32
		published.Store(1)
		s := revisions(&published)
		c := over(t, s)
		together := []*pending{question.start(t, c), question.start(t, c)}
		first := fmt.Sprintf("%v", inText(together[0].end()))
		published.Store(2)
		for _, a := range []readResult{together[1].end(), question.read(t, c)} {
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
		together = []*pending{question.start(t, c), question.start(t, c)}
		for _, r := range together {
			if got := inText(r.end()); got != first {
				t.Errorf("%s of the same catalogue, and the first client has %s", got, first)
			}
		}
		published.Store(2)
		if inText(question.read(t, c)) == first {
			t.Error("a read has an answer from before it")
		}
		s.expectCounts(t, 1, 3)
	})
}

func inText(a readResult) string {
	return string(inJSON(a.value)) + fmt.Sprint(a.err)
}

// Callers that ask the same share its attempts, its end and its error, whenever they came.
func TestThoseWhoAskTheSameShareItsEnd(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := always(answered(503))
		c := over(t, s)
		early := theGroup.start(t, c)
		time.Sleep(14 * sec)
		late := theGroup.start(t, c)
		answers := []readResult{early.end(), late.end()}
		expectEnd(t, answers, ending{Cause: retriesUsedUp, Attempts: 5})
		expectKind(t, answers, kindUnavailable, "503")
		if answers[1].took != 1*sec {
			t.Errorf("the later one took %s", answers[1].took)
		}
		s.expectCounts(t, 1, 5)
	})
}
