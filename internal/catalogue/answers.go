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
	kept  map[string]kept[T]
	calls map[string]*call[T]
}

type kept[T any] struct {
	value T
	at    time.Time
}

// call is a question on its way.
type call[T any] struct {
	*ticket
	value T // set before its end is told
}

func newAnswers[T any](snapshot bool) *answers[T] {
	return &answers[T]{off: !snapshot, kept: map[string]kept[T]{}, calls: map[string]*call[T]{}}
}

// get returns the answer that is kept, or what ask returns. An answer that was kept
// before this call and of which has is false does not count: it cannot prove that
// something is absent. has is nil where every answer will do.
func (a *answers[T]) get(
	ctx context.Context, s *schedule, key string, has func(T) bool, ask func(*permit) (T, error),
) (answer T, err error) {
	me := newCaller(ctx)
	shared, answer, err := a.enter(ctx, s, key, has, ask, me)
	if shared == nil {
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

// enter finds the answer, or joins the call that asks, or begins it.
func (a *answers[T]) enter(
	ctx context.Context, s *schedule, key string, has func(T) bool, ask func(*permit) (T, error), me *caller,
) (shared *call[T], answer T, err error) {
	s.mu.Lock()
	defer s.unlock()
	if s.run.end != nil || ctx.Err() != nil {
		return nil, answer, cmp.Or(s.run.end, ctx.Err())
	}
	if known, ok := a.kept[key]; ok && (has == nil || !known.at.Before(me.began) || has(known.value)) {
		return nil, known.value, nil
	}
	shared = a.calls[key]
	if shared == nil {
		shared = a.begin(ctx, s, key, ask)
	}
	if err := s.joinLocked(shared.ticket, me); err != nil {
		return nil, answer, err
	}
	s.dispatchLocked()
	return shared, answer, nil
}

// begin makes the call for key.
func (a *answers[T]) begin(ctx context.Context, s *schedule, key string, ask func(*permit) (T, error)) *call[T] {
	shared := &call[T]{}
	send := func(p *permit) error {
		value, err := ask(p)
		if err == nil {
			shared.value = value
		}
		return err
	}
	shared.ticket = s.newReadLocked(ctx, send, func(err error) {
		if a.calls[key] == shared {
			delete(a.calls, key)
		}
		if err == nil && !a.off {
			a.kept[key] = kept[T]{value: shared.value, at: time.Now()}
		}
	})
	if !a.off {
		a.calls[key] = shared
	}
	return shared
}
