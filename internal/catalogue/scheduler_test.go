package catalogue

import (
	"errors"
	"fmt"
	"go/parser"
	"go/printer"
	gotoken "go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// ofTheScheduler are the pure files. The rest is the shell.
const ofTheScheduler = "events.go scheduler.go judge.go waits.go question.go retry.go token.go process.go snapshot.go"

// pureImports are the packages allowed in the scheduler. impure finds the forbidden parts of them and of the language:
// goroutines, channels, timers and clocks. Contexts are only carried, for the shell.
const pureImports = `"cmp" "context" "errors" "fmt" "net/http" "slices" "time" ` +
	`"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"`

var impure = regexp.MustCompile(`\bgo \w|\bselect \{|\bchan\b|<-|\bhttp\.([^S]|S[^t])|\bcontext\.[^C]|\bctx\.|\.core\b` +
	`|\btime\.(After|AfterFunc|NewTicker|NewTimer|Now|Since|Sleep|Tick|Ticker|Timer|Until)\b`)

// impurities returns the forbidden parts of a file.
func impurities(t *testing.T, name string) (found []string) {
	t.Helper()
	var code strings.Builder
	file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0) // without comments
	if err != nil {
		t.Fatal(err)
	}
	if err := printer.Fprint(&code, gotoken.NewFileSet(), file); err != nil {
		t.Fatal(err)
	}
	for _, imported := range file.Imports {
		if !strings.Contains(pureImports, imported.Path.Value) {
			found = append(found, imported.Path.Value)
		}
	}
	return append(found, impure.FindAllString(code.String(), -1)...)
}

// The scheduler and its parts do not use goroutines, locks, channels, timers or clocks. The shell does, and it alone
// reaches the scheduler.
func TestTheSchedulerIsPure(t *testing.T) {
	t.Parallel()
	for name := range strings.FieldsSeq(ofTheScheduler) {
		if found := impurities(t, name); len(found) > 0 {
			t.Errorf("%s: the scheduler must not use %q", name, found)
		}
	}
	shell := impurities(t, "dispatcher.go")
	for _, want := range []string{`"sync"`, "context.W", "ctx.", ".core", "go f", "chan", "<-", "time.Now", "time.Timer"} {
		if !slices.Contains(shell, want) {
			t.Errorf("%q is not found in the shell: %q", want, shell)
		}
	}
	if slices.Contains(impurities(t, "exchange.go"), ".core") {
		t.Error("exchange.go reads the scheduler without the lock")
	}
}

// stepped is a scheduler in a plain loop over a service with answers after a second: the shell of a test.
type stepped struct {
	scheduler
	now     time.Time
	answers []steppedAnswer // to come, in order
	stopped int             // how many requests it wanted stopped
	ended   int             // how many callers have an answer or error
}

func newStepped(ceiling pace.Limit) *stepped {
	s := &stepped{
		now: time.Now(),
		scheduler: newScheduler(Config{
			Ceiling:  ceiling,
			Snapshot: true,
			Jitter:   func() float64 { return 0 },
		}, &question{to: Endpoint{Method: "POST"}}),
	}
	return s
}

// ask adds a caller with an hour.
func (s *stepped) ask(path string) (me *caller, wake time.Time) {
	me = &caller{began: s.now, deadline: s.now.Add(time.Hour)}
	wake = s.step(func() { s.asks(s.now, &question{to: Endpoint{Path: path}}, me, nil) })
	return me, wake
}

type steppedAnswer struct {
	at   time.Time
	sent *attempt
}

// step reports an event to the scheduler, and does the actions that follow.
func (s *stepped) step(event func()) (wake time.Time) {
	event()
	wanted, wake := s.next(s.now)
	for _, a := range wanted {
		switch {
		case a.begin != nil:
			s.answers = append(s.answers, steppedAnswer{s.now.Add(time.Second), a.begin})
		case a.stop != nil:
			s.stopped++
		case a.tell != nil:
			s.ended++
		}
	}
	return wake
}

// run asks a number of questions, and lets time pass until all are answered. The first reads, as many as limited, are
// answered with 429.
func (s *stepped) run(callers, limited int) {
	var wake time.Time
	for i := range callers {
		_, wake = s.ask(fmt.Sprint(i))
	}
	for s.ended < callers {
		if len(s.answers) == 0 || wake.Before(s.answers[0].at) {
			s.now = wake
			wake = s.step(func() {})
			continue
		}
		next := s.answers[0]
		s.answers = s.answers[1:]
		s.now = next.at
		status, err := 200, error(nil)
		if limited > 0 && next.sent.token.bearer != "" {
			limited--
			status, err = 429, &APIError{Status: 429, RetryAfter: 5 * time.Second}
		}
		next.sent.token.bearer = "t"
		s.step(func() { s.header(s.now, next.sent, status, err) })
		wake = s.step(func() { s.ends(s.now, next.sent, ended{nil, err}) })
	}
}

// A read is not sent after its time, even if its caller has not noticed its end yet.
func TestAReadWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	s := newStepped(pace.Limit{})
	_, _ = s.ask("late")
	s.now = s.now.Add(time.Hour)
	s.step(func() { s.ends(s.now, s.answers[0].sent, ended{}) })
	if len(s.answers) != 1 || s.ended != 1 {
		t.Errorf("%d requests and %d answers, want one of each", len(s.answers), s.ended)
	}
}

// A stopped request for a token, which no read waited for, is not a failure for a read that comes before its end. There
// is one request at a time.
func TestATokenRequestThatIsStopped(t *testing.T) {
	t.Parallel()
	s := newStepped(pace.Limit{})
	first, _ := s.ask("first")
	s.step(func() { s.leaves(s.now, first, errors.New("cancelled")) })
	s.step(func() {}) // it is stopped once
	_, _ = s.ask("second")
	if len(s.answers) != 1 || s.stopped != 1 {
		t.Fatalf("%d requests, %d stopped, want one and the same", len(s.answers), s.stopped)
	}
	s.step(func() { s.ends(s.now, s.answers[0].sent, ended{err: &NetworkError{}}) })
	if len(s.answers) != 2 {
		t.Errorf("the request for a token is not made again at once: %+v", s.tokenRequest.history)
	}
}
