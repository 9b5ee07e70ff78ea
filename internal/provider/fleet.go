package provider

import (
	"cmp"
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
	// progressEvery is the time between two lines of progress in the log.
	progressEvery = time.Second
)

// question is about one model group.
type question struct {
	id string
	at path.Path // the element of the argument that names it, empty if listing found it
}

// ended is how a question ended. It has neither an answer nor an error if the
// question was not started.
type ended[T any] struct {
	question
	answer T
	err    error
	before int // how many questions had been answered when this one started
}

// fleet is the questions of one read.
type fleet[T any] struct {
	all      []ended[T] // by question
	ask      func(context.Context, string) (T, error)
	done     chan *ended[T]
	started  int
	running  int
	answered int   // questions that the service has answered, with an error or without
	doubt    error // a failure after which the service has answered no question yet
	fault    error // a failure that every other question would share
}

// readFleet asks every question, and returns how each ended, in the order of the questions.
// A fault is a failure that concerns all of them: no more are started then, and
// those under way are ended.
func readFleet[T any](
	ctx context.Context, questions []question, ask func(context.Context, string) (T, error),
) (all []ended[T], fault error) {
	far := &progress{all: len(questions)}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, progressKey{}, far))
	defer cancel()
	f := &fleet[T]{all: make([]ended[T], len(questions)), ask: ask, done: make(chan *ended[T])}
	for i, q := range questions {
		f.all[i].question = q
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for f.start(ctx); f.running > 0; f.start(ctx) {
		select {
		case <-tick.C:
			far.log(ctx)
		case one := <-f.done:
			f.settle(one)
			far.count(one.err)
			if f.fault != nil {
				cancel()
			}
		}
	}
	// If no question was answered after a failure, the service is down.
	if f.fault == nil && f.doubt == nil {
		far.log(ctx)
		return f.all, nil
	}
	return f.all, &fleetError{
		groups:   len(questions),
		started:  f.started,
		answered: f.answered,
		read:     int(far.read.Load()),
		err:      cmp.Or(f.fault, f.doubt),
	}
}

// start starts as many questions as may be under way.
func (f *fleet[T]) start(ctx context.Context) {
	for f.fault == nil && f.doubt == nil && f.running < atOnce && f.started < len(f.all) {
		one := &f.all[f.started]
		one.before = f.answered
		f.started++
		f.running++
		go func() {
			one.answer, one.err = f.ask(ctx, one.id)
			f.done <- one
		}()
	}
}

// settle records how a question ended.
func (f *fleet[T]) settle(one *ended[T]) {
	f.running--
	switch scopeOf(one.err) {
	case ofThisQuestion:
		f.answered++
		f.doubt = nil
	case ofTheService:
		// If another question was answered in the meantime, only this group fails.
		// If none was, those under way decide.
		if f.answered == one.before && f.doubt == nil {
			f.doubt = one.err
		}
	case ofAllQuestions:
		f.fault = cmp.Or(f.fault, one.err)
	}
}

// fleetError is a fault of a fleet, and how far the fleet was.
type fleetError struct {
	groups   int
	started  int // questions
	answered int
	read     int // without an error
	err      error
}

func (e *fleetError) Error() string { return e.err.Error() }

// Unwrap returns the first failure.
func (e *fleetError) Unwrap() error { return e.err }

// howFar says how far the fleet was, "" for one group.
func (e *fleetError) howFar() string {
	switch {
	case e.groups == 1:
		return ""
	case errors.Is(e.err, context.Canceled):
		return fmt.Sprintf("%d of %d groups were read.", e.read, e.groups)
	}
	return fmt.Sprintf("%d groups: %d answered, %d failed, %d not requested.",
		e.groups, e.answered, e.started-e.answered, e.groups-e.started)
}

// progress is how far a fleet has come. The client's notes read it from any goroutine.
type progress struct {
	all        int
	done, read atomic.Int64 // questions that have ended, and those of them without an error
	said       atomic.Int64 // how many had ended at the last line that says it
}

// progressKey is the key in a read's context of what counts how far its fleet is, or else the blocks of the process.
type progressKey struct{}

// sayProgress returns how far that is, for a line of the log, "" if nothing is known.
func sayProgress(ctx context.Context) string {
	if far, ok := ctx.Value(progressKey{}).(interface{ say() string }); ok {
		return far.say()
	}
	return ""
}

// say returns how far the fleet is, and takes note that the log says so.
func (p *progress) say() string {
	p.said.Store(p.done.Load())
	return p.String()
}

func (p *progress) count(err error) {
	p.done.Add(1)
	if err == nil {
		p.read.Add(1)
	}
}

// log writes a line of progress if there is any since the last line.
func (p *progress) log(ctx context.Context) {
	if p.done.Load() > p.said.Load() {
		tflog.Info(ctx, p.say())
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
