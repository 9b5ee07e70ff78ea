package provider

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// A fleet is many model groups that one data source reads, with one question to the service for each.

const (
	// atOnce is how many members of a fleet are read at a time. The client's pace holds requests back; this bounds only
	// how many reads have begun, because the read_timeout of each begins with it.
	atOnce = 16
	// progressEvery is the time between two lines of progress in the log.
	progressEvery = time.Second
)

// member is one model group of a fleet.
type member struct {
	id string
	at path.Path // the element of the argument that names it, empty if a list of the service does
}

// settled is how the read of a member ended. It has neither an answer nor an error if it did not begin.
type settled[T any] struct {
	member
	answer T
	err    error
	before int // how many members the service had answered for when this read began
}

// fleet is the reads of all members.
type fleet[T any] struct {
	all   []settled[T] // by member
	ask   func(context.Context, string) (T, error)
	done  chan *settled[T]
	far   *progress // which only the fleet changes
	doubt error     // a failure since which the service has not answered for any member
	fault error     // a failure that every other member would share
}

// readFleet reads every member, and returns how each ended, in the order of the members, and how far that was. A fault
// is a failure that concerns all of them: no more reads begin then, and those under way are ended.
func readFleet[T any](
	ctx context.Context, members []member, ask func(context.Context, string) (T, error),
) (all []settled[T], far *progress, fault error) {
	far = &progress{groups: len(members)}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, progressKey{}, far))
	defer cancel()
	f := &fleet[T]{all: make([]settled[T], len(members)), ask: ask, done: make(chan *settled[T]), far: far}
	for i, m := range members {
		f.all[i].member = m
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for f.start(ctx) {
		select {
		case <-tick.C:
			far.log(ctx)
		case one := <-f.done:
			f.settle(one)
			if f.fault != nil {
				cancel()
			}
		}
	}
	// If the service did not answer for any member after a failure, it is down.
	fault = cmp.Or(f.fault, f.doubt)
	if fault == nil {
		far.log(ctx)
	}
	return f.all, far, fault
}

// start begins as many reads as may be under way, and reports whether any is.
func (f *fleet[T]) start(ctx context.Context) bool {
	for f.fault == nil && f.doubt == nil && f.far.begun < min(len(f.all), f.far.ended+atOnce) {
		one := &f.all[f.far.begun]
		one.before = f.far.answered
		f.far.begin()
		go func() {
			one.answer, one.err = f.ask(ctx, one.id)
			f.done <- one
		}()
	}
	return f.far.begun > f.far.ended
}

// settle records how a read ended.
func (f *fleet[T]) settle(one *settled[T]) {
	reach := scopeOf(one.err)
	f.far.end(reach == ofThisGroup, one.err == nil)
	switch reach {
	case ofThisGroup:
		f.doubt = nil
	case ofTheService:
		// If the service answered for another member in the meantime, only this group fails. If it did not, those
		// under way decide.
		if f.far.answered == one.before && f.doubt == nil {
			f.doubt = one.err
		}
	case ofAllGroups:
		f.fault = cmp.Or(f.fault, one.err)
	}
}

// scope is how far a failure reaches.
type scope int

const (
	ofThisGroup  scope = iota // it concerns this group only; a good answer counts as well
	ofTheService              // it may concern the service or the network, or only this group
	ofAllGroups               // every other group would fail like this one
)

func scopeOf(err error) scope {
	var (
		rejected *catalogue.RejectedError
		gaveUp   *catalogue.GaveUpError
		network  *catalogue.NetworkError
	)
	switch {
	case errors.As(err, &rejected) && rejected.Alone:
		return ofThisGroup
	case errors.Is(err, context.Canceled), rejected != nil, errors.Is(err, catalogue.ErrOrganisationDisabled),
		errors.As(err, &network) && network.Fault.Permanent():
		return ofAllGroups
	case errors.As(err, &gaveUp) && (errors.Is(err, catalogue.ErrRateLimited) || gaveUp.Err == nil):
		// The allowance or the ceiling did not leave time for it, nor does it for the others.
		return ofAllGroups
	case gaveUp != nil, network != nil:
		return ofTheService
	default:
		return ofThisGroup
	}
}
