package provider

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// A fleet is many model groups that one data source reads, with one question to
// the service for each.

const (
	// atOnce is how many questions of a fleet are under way at most. What holds
	// requests back is the client's pace. This bounds only how many have begun,
	// because the read_timeout of each runs from then on.
	atOnce = 16
	// progressEvery is the least time between two lines of progress in the log.
	progressEvery = time.Second
)

// question is about one model group.
type question struct {
	id string
	at path.Path // the element of the argument that names it, empty if listing found it
}

// reply is how a question ended. It has neither an answer nor an error if the
// question was not started.
type reply[T any] struct {
	question
	answer T
	err    error
	before int // how many questions had been answered when this one started
}

// fleet is the questions of one read.
type fleet[T any] struct {
	replies  []reply[T] // by question
	ended    chan *reply[T]
	started  int
	running  int
	answered int   // questions that the service has answered, with an error or without
	doubt    error // a failure after which the service has answered no question yet
	fault    error // a failure that every other question would share
}

// readFleet asks every question. The replies are in the order of the questions.
// A fault is a failure that concerns all of them: no more are started then, and
// those under way are ended.
func readFleet[T any](
	ctx context.Context, questions []question, ask func(context.Context, string) (T, error),
) (replies []reply[T], fault error) {
	far := &progress{all: len(questions), logged: time.Now()}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, progressKey{}, far))
	defer cancel()
	f := &fleet[T]{replies: make([]reply[T], len(questions)), ended: make(chan *reply[T])}
	for i, q := range questions {
		f.replies[i].question = q
	}
	for {
		for f.fault == nil && f.doubt == nil && f.running < atOnce && f.started < len(f.replies) {
			r := &f.replies[f.started]
			r.before = f.answered
			f.started++
			f.running++
			go func() {
				r.answer, r.err = ask(ctx, r.id)
				f.ended <- r
			}()
		}
		if f.running == 0 {
			break
		}
		r := <-f.ended
		f.settle(r)
		far.count(r.err)
		if f.fault != nil {
			cancel()
			continue
		}
		far.log(ctx)
	}
	if f.fault == nil && f.doubt != nil {
		// No question was answered after that failure, so the service is down.
		f.fault = &fleetDownError{started: f.started, answered: f.answered, err: f.doubt}
	}
	return f.replies, f.fault
}

// settle records how a question ended.
func (f *fleet[T]) settle(r *reply[T]) {
	f.running--
	switch scopeOf(r.err) {
	case ofThisQuestion:
		f.answered++
		f.doubt = nil
	case ofTheService:
		// If another question was answered in the meantime, only this group fails.
		// If none was, those under way decide.
		if f.answered == r.before && f.doubt == nil {
			f.doubt = r.err
		}
	case ofAllQuestions:
		if f.fault == nil {
			f.fault = r.err
		}
	}
}

// progress is how far a fleet has come. The client's notes read it from any goroutine.
type progress struct {
	all        int
	done, read atomic.Int64 // questions that have ended, and those of them without an error
	logged     time.Time    // of the fleet's goroutine only
}

// progressKey is the key of a fleet's *progress in the context of its questions.
type progressKey struct{}

// progressOf returns how far the fleet has come that a question belongs to, "" if it belongs to none.
func progressOf(ctx context.Context) string {
	if far, ok := ctx.Value(progressKey{}).(*progress); ok {
		return far.String()
	}
	return ""
}

func (p *progress) count(err error) {
	p.done.Add(1)
	if err == nil {
		p.read.Add(1)
	}
}

// log writes a line of progress, at most one in progressEvery and one at the end.
func (p *progress) log(ctx context.Context) {
	if now := time.Now(); int(p.done.Load()) == p.all || now.Sub(p.logged) >= progressEvery {
		p.logged = now
		tflog.Info(ctx, p.String())
	}
}

// String says how many groups are read. A group that was answered with an error,
// such as one that has no models, is not read.
func (p *progress) String() string {
	done, read := p.done.Load(), p.read.Load()
	if done <= read {
		return fmt.Sprintf("%d of %d groups read", read, p.all)
	}
	return fmt.Sprintf("%d of %d groups asked for, %d of them read", done, p.all, read)
}

// fleetDownError is the fault of a service that stopped answering.
type fleetDownError struct {
	started, answered int // questions
	err               error
}

func (e *fleetDownError) Error() string { return e.err.Error() }

// Unwrap returns the first failure.
func (e *fleetDownError) Unwrap() error { return e.err }

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
		gaveUp   *catalogue.GaveUpError
		network  *catalogue.NetworkError
	)
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, &rejected), errors.Is(err, catalogue.ErrOrganisationDisabled),
		errors.As(err, &network) && network.Permanent:
		return ofAllQuestions
	case errors.As(err, &gaveUp) && (errors.Is(err, catalogue.ErrRateLimited) || gaveUp.Err == nil):
		// The allowance or the ceiling left no time for it, and leaves none for the others.
		return ofAllQuestions
	case gaveUp != nil, network != nil:
		return ofTheService
	default:
		return ofThisQuestion
	}
}
