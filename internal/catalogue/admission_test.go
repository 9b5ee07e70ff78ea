package catalogue_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Under a ceiling reads are sent in the order in which they came, tokens included, and a retry has its old place.
func TestReadsAreSentInTheirOrder(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		failed := false
		s := &service{
			token: func(n int) reply { return issue(n, 20*sec) },
			read: func(_ int, r *http.Request) reply {
				if strings.HasSuffix(r.URL.Path, groupID(3)) && !failed {
					failed = true
					return answered(503)
				}
				return found.in(100 * time.Millisecond)
			},
		}
		c := over(t, s, atMost(1, 2*sec))
		var readers []*reader
		for _, r := range eachGroup(0, 30) {
			readers = append(readers, r.start(t, c))
		}
		for _, r := range readers {
			expectAllRead(t, []answer{r.end()})
		}
		var order []string
		for _, x := range s.sent {
			if !x.token {
				order = append(order, x.path[len(x.path)-3:])
			}
		}
		want := []string{"000", "001", "002", "003", "003"} // the retry, a second later
		for i := 4; i < 30; i++ {
			want = append(want, fmt.Sprintf("%03d", i))
		}
		if !slices.Equal(order, want) {
			t.Errorf("sent in the order %v, want %v", order, want)
		}
	})
}

// A request counts against the ceiling from when it is sent until that length after its answer began, or after 3 s.
func TestWhenARequestCountsAgainstTheCeiling(t *testing.T) {
	type row struct {
		takes time.Duration // what each answer takes
		want  []time.Duration
	}
	half := sec / 2
	eachOnFakeClock(t, map[string]row{ // of the first two requests one is for the token
		"at once":     {0, []time.Duration{0, 10 * sec, 10 * sec, 20 * sec}},
		"after 0.5 s": {half, []time.Duration{0, 10 * sec, 10*sec + half, 20*sec + half}},
		"hanging":     {20 * sec, []time.Duration{0, 10 * sec, 13 * sec, 23 * sec}},
	}, func(t *testing.T, r row) {
		s := always(found.in(r.takes))
		expectAllRead(t, readAll(t, over(t, s, atMost(2, 10*sec)), 4, eachGroup(0, 4)))
		s.expectTimes(t, false, r.want...)
	})
}

// A read whose turn under the ceiling comes after its time fails at once; the others are read.
func TestACeilingThatIsTooLow(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{}
		answers := readAll(t, over(t, s, atMost(1, 10*sec), readTimeout(25*sec)), 10, eachGroup(0, 10))
		late := filter(answers, func(a answer) bool { return a.err != nil })
		expectAllTold(t, late, toldCeiling)
		for _, a := range late {
			if end, _ := endOf(a.err); end.Wait <= end.Remaining || end.Attempts != 0 {
				t.Errorf("%+v", end)
			}
		}
		if len(late) != 8 { // the token at 0 s, reads at 10 s and 20 s
			t.Errorf("%d of 10 reads were late, want 8", len(late))
		}
		s.expectCounts(t, 1, 2)
	})
}
