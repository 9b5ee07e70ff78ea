package provider

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"golang.org/x/sync/errgroup"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// atOnce bounds the concurrent reads of a fleet, because the read_timeout of a group begins with its read. Only the
// client's pace holds requests back.
const atOnce = 16

// member is one of the model groups of a fleet.
type member struct {
	id     string
	at     path.Path            // the element of the argument; empty for a listed group
	listed catalogue.ModelGroup // its record in the list of groups
	err    error                // nil if the group was read, or if its read did not begin
}

// readFleet reads every member by its index, and returns its progress. fault is a failure that all other groups would
// share: it ends the reads under way, and no further request is sent. It may also be that as many members in a row as
// are read at a time have run out of time.
func readFleet(
	ctx context.Context, members []*member, read func(ctx context.Context, i int) error,
) (far *progress, fault error) {
	far = &progress{groups: len(members), logged: time.Now()}
	reads, ctx := errgroup.WithContext(context.WithValue(ctx, progressKey{}, far))
	reads.SetLimit(atOnce)
	var late atomic.Int64 // members in a row
	for i, m := range members {
		reads.Go(func() error {
			far.begin()
			m.err = read(ctx, i)
			if ranOutOfTime(m.err) {
				late.Add(1)
			} else {
				late.Store(0)
			}
			far.end(m.err == nil)
			far.log(ctx)
			if endsFleet(m.err) || late.Load() >= int64(min(atOnce, len(members))) {
				return m.err
			}
			return nil
		})
	}
	return far, reads.Wait()
}

// ranOutOfTime reports whether a read used up its time before its retries.
func ranOutOfTime(err error) bool {
	gaveUp, ok := errors.AsType[*catalogue.GaveUpError](err)
	return ok && (gaveUp.Cause == catalogue.WaitTooLong || gaveUp.Cause == catalogue.TimeOver)
}

// endsFleet reports whether every other group would fail in the same way. The client decides whether the service is
// down: no read was answered while another used up its retries.
func endsFleet(err error) bool {
	var (
		rejected *catalogue.RejectedError
		gaveUp   *catalogue.GaveUpError
		network  *catalogue.NetworkError
	)
	switch {
	case errors.As(err, &rejected):
		return !rejected.Alone
	case errors.As(err, &gaveUp):
		// Without a failure behind it, the ceiling did not leave time for it.
		return gaveUp.Err == nil || gaveUp.Cause == catalogue.ServiceDown || errors.Is(err, catalogue.ErrRateLimited)
	case errors.As(err, &network):
		return network.Fault.Permanent()
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, catalogue.ErrOrganisationDisabled)
}
