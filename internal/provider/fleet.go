package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// A fleet is many model groups that one data source reads, with one question to
// the service for each.

const (
	// fewAtOnce is how many questions are under way at first, and while answers are
	// slow. It is the default parallelism of an engine, so each question has the
	// same chance to end within its read_timeout as in a block of its own.
	fewAtOnce = 10
	// manyAtOnce is how many there are at most. Each prompt answer adds two.
	manyAtOnce = 32
	// prompt is the longest time that a prompt answer takes, its wait for the allowance included.
	prompt = 5 * time.Second
	// progressEvery is the least time between two lines of progress in the log.
	progressEvery = time.Second
)

// question is about one model group.
type question struct {
	id string
	at path.Path // the element of the argument that names it, empty where listing found it
}

// reply is how a question ended. It has neither an answer nor an error where the
// question was not started.
type reply[T any] struct {
	question
	answer T
	err    error
}

// fleet is the questions of one read.
type fleet[T any] struct {
	ask      func(context.Context, string) (T, error)
	replies  []reply[T]  // by question
	ended    chan func() // each takes account of a question that has ended
	started  int
	running  int
	width    fleetWidth
	answered int   // how many questions the service has answered, with an error or without
	doubt    error // a failure after which the service has answered no question yet
	fault    error // a failure that every other question would share
	progress progress
}

// fleetWidth is how many questions may be under way.
type fleetWidth struct {
	now     int
	refused func() bool // whether the service has refused any request of the process with 429
}

// may tells whether another question may start beside those under way. Where the service limits
// requests, several runs that share an allowance would each use it up with one burst.
func (w *fleetWidth) may(running int) bool {
	if running < fewAtOnce {
		return true
	}
	return running < w.now && !w.refused()
}

// answer takes account of how long a question took.
func (w *fleetWidth) answer(took time.Duration) {
	w.now = min(w.now+2, manyAtOnce)
	if took > prompt {
		w.now = fewAtOnce
	}
}

// readFleet asks every question. The replies are in the order of the questions.
// A fault is a failure that concerns all of them: no more are started then, and
// those under way are ended. refused is Client.Refused.
func readFleet[T any](
	ctx context.Context, refused func() bool, questions []question, ask func(context.Context, string) (T, error),
) (replies []reply[T], fault error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &fleet[T]{
		ask: ask, replies: make([]reply[T], len(questions)), ended: make(chan func()),
		width: fleetWidth{now: fewAtOnce, refused: refused}, progress: progress{logged: time.Now()},
	}
	for i, q := range questions {
		f.replies[i].question = q
	}
	for {
		for f.mayStart() {
			f.start(ctx)
		}
		if f.running == 0 {
			break
		}
		(<-f.ended)()
		if f.fault != nil {
			cancel()
		}
		f.log(ctx)
	}
	if f.fault == nil && f.doubt != nil {
		// The service answered no question after the failure in doubt: it is down.
		f.fault = &fleetDownError{started: f.started, answered: f.answered, err: f.doubt}
	}
	return f.replies, f.fault
}

func (f *fleet[T]) mayStart() bool {
	return f.fault == nil && f.doubt == nil && f.started < len(f.replies) && f.width.may(f.running)
}

func (f *fleet[T]) start(ctx context.Context) {
	to, answered := &f.replies[f.started], f.answered
	f.started++
	f.running++
	go func() {
		began := time.Now()
		answer, err := f.ask(ctx, to.id)
		took := time.Since(began)
		f.ended <- func() {
			to.answer, to.err = answer, err
			f.settle(err, took, answered)
		}
	}()
}

// settle takes account of a question that has ended. answered is what f.answered was
// when it was started.
func (f *fleet[T]) settle(err error, took time.Duration, answered int) {
	f.running--
	switch scopeOf(err) {
	case ofThisQuestion:
		f.answered++
		f.doubt = nil
	case ofTheService:
		// Where another question was answered in the meantime, only this group
		// fails. Else those under way will tell.
		if f.answered == answered && f.doubt == nil {
			f.doubt = err
		}
	case ofAllQuestions:
		if f.fault == nil {
			f.fault = err
		}
	}
	f.width.answer(took)
	if err == nil {
		f.progress.read++
	}
}

// log notes the progress, and the end where no fault brought it.
func (f *fleet[T]) log(ctx context.Context) {
	done, all := f.started-f.running, len(f.replies)
	if now := time.Now(); f.fault == nil && (done == all || now.Sub(f.progress.logged) >= progressEvery) {
		f.progress.logged = now
		tflog.Info(ctx, f.progress.line(done, all))
	}
}

// progress is how far a fleet has come.
type progress struct {
	read   int // how many groups have an answer that is no error
	logged time.Time
}

// line says so. A group that was answered with an error, such as one that has no
// models, is not read.
func (p progress) line(done, all int) string {
	if done == p.read {
		return fmt.Sprintf("%d of %d groups read", done, all)
	}
	return fmt.Sprintf("%d of %d groups asked for, %d of them read", done, all, p.read)
}

// fleetDownError is the fault of a service that answered no question any more.
type fleetDownError struct {
	started, answered int // questions
	err               error
}

func (e *fleetDownError) Error() string { return e.err.Error() }

// Unwrap returns the first failure.
func (e *fleetDownError) Unwrap() error { return e.err }

// inAPhrase says how many groups had no answer.
func (e *fleetDownError) inAPhrase() string {
	answered := "none was answered"
	if e.answered > 0 {
		answered = fmt.Sprintf("%d were answered", e.answered)
	}
	groups := "1 group was"
	if e.started != 1 {
		groups = fmt.Sprintf("%d groups were", e.started)
	}
	return fmt.Sprintf("%s asked for, %s.", groups, answered)
}

// scope is how far a failure reaches.
type scope int

const (
	ofThisQuestion scope = iota // it concerns this question only; a good answer counts as well
	ofTheService                // it may concern the service or the network, or only this group
	ofAllQuestions              // every other question would fail like this one
)

func scopeOf(err error) scope {
	var (
		rejected *catalogue.RejectedError
		tooLong  *catalogue.WaitTooLongError
		gaveUp   *catalogue.GaveUpError
		network  *catalogue.NetworkError
		api      *catalogue.APIError
	)
	isNetwork, isAnswer := errors.As(err, &network), errors.As(err, &api)
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, &rejected), errors.As(err, &tooLong),
		errors.Is(err, catalogue.ErrOrganisationDisabled), isNetwork && network.Permanent:
		return ofAllQuestions
	case errors.As(err, &gaveUp) && (errors.Is(err, catalogue.ErrRateLimited) || !isNetwork && !isAnswer):
		// The allowance or the ceiling left no time for it, and leaves none for the others.
		return ofAllQuestions
	case gaveUp != nil, isNetwork:
		return ofTheService
	default:
		return ofThisQuestion
	}
}
