package catalogue

import (
	"cmp"
	"context"
	"time"
)

// answers keeps the answers of one kind of read, so that whoever asks the same
// within one process sees the same. Callers who ask the same at the same time share
// a call, which lasts as long as one of them waits. Failures are not kept. It
// belongs to schedule.mu.
type answers[T any] struct {
	off   bool // each read is made afresh
	kept  map[Endpoint]kept[T]
	calls map[Endpoint]*call[T]
}

type kept[T any] struct {
	value T
	at    time.Time
}

// call is a question on its way.
type call[T any] struct {
	*ticket
	value T // of its last attempt, to be read once it has ended well
}

func newAnswers[T any](snapshot bool) *answers[T] {
	return &answers[T]{off: !snapshot, kept: map[Endpoint]kept[T]{}, calls: map[Endpoint]*call[T]{}}
}

// get returns the answer that is kept, or what ask returns. An answer that was kept
// before this call and of which has is false does not count: it cannot prove that
// something is absent. has is nil where every answer will do.
func (a *answers[T]) get(
	ctx context.Context, s *schedule, to Endpoint, has func(T) bool, ask func(*permit) (T, error),
) (answer T, err error) {
	me := newCaller(ctx)
	shared, err := a.enter(ctx, s, to, has, ask, me)
	if err != nil {
		return answer, err
	}
	select {
	case err = <-me.result:
	case <-ctx.Done():
		err = s.leave(shared.ticket, me, ctx.Err())
	}
	if err != nil {
		return answer, err
	}
	return shared.value, nil
}

// enter finds the call that has the answer, or joins the one that asks, or begins it.
func (a *answers[T]) enter(
	ctx context.Context, s *schedule, to Endpoint, has func(T) bool, ask func(*permit) (T, error), me *caller,
) (*call[T], error) {
	s.mu.Lock()
	defer s.unlock()
	if s.run.end != nil || ctx.Err() != nil {
		return nil, cmp.Or(s.run.end, ctx.Err())
	}
	if known, ok := a.kept[to]; ok && (has == nil || !known.at.Before(me.began) || has(known.value)) {
		me.result <- nil
		return &call[T]{value: known.value}, nil
	}
	shared := a.calls[to]
	if shared == nil {
		shared = a.begin(ctx, s, to, ask)
	}
	s.joinLocked(shared.ticket, me)
	s.dispatchLocked()
	return shared, nil
}

// begin makes a call.
func (a *answers[T]) begin(ctx context.Context, s *schedule, to Endpoint, ask func(*permit) (T, error)) *call[T] {
	shared := &call[T]{}
	send := func(p *permit) (err error) {
		shared.value, err = ask(p)
		return err
	}
	shared.ticket = s.newReadLocked(ctx, to, send, func(err error) {
		if a.calls[to] == shared {
			delete(a.calls, to)
		}
		if err == nil && !a.off {
			a.kept[to] = kept[T]{value: shared.value, at: time.Now()}
		}
	})
	if !a.off {
		a.calls[to] = shared
	}
	return shared
}
