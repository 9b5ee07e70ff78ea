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
	// His place is that of his arrival, even where he asks again.
	for me := (&arrival{budget: budget{began: time.Now()}}); ; {
		shared, answer, err := a.enter(ctx, s, key, has, ask, me)
		if shared == nil {
			return answer, err
		}
		again := false
		select {
		case <-shared.done:
			err, again = me.own(shared.ticket, s.maxRetries)
		case <-ctx.Done():
			err = s.leave(shared.ticket, me.began, ctx.Err())
		}
		if err == nil {
			return shared.value, nil
		}
		if !again || ctx.Err() != nil {
			return answer, err
		}
	}
}

// enter finds the answer, or joins the call that asks, or begins it.
func (a *answers[T]) enter(
	ctx context.Context, s *schedule, key string, has func(T) bool, ask func(*permit) (T, error), me *arrival,
) (shared *call[T], answer T, err error) {
	s.mu.Lock()
	defer s.unlock()
	if s.run.end != nil || ctx.Err() != nil {
		return nil, answer, cmp.Or(s.run.end, ctx.Err())
	}
	if known, ok := a.kept[key]; ok && (has == nil || !known.at.Before(me.began) || has(known.value)) {
		return nil, known.value, nil
	}
	if me.order == 0 {
		s.arriveLocked(ctx, me)
	}
	shared = a.calls[key]
	if shared == nil {
		shared = a.begin(ctx, s, key, ask, me)
		s.dispatchLocked()
	}
	s.joinsLocked(me, shared.ticket)
	return shared, answer, nil
}

// begin makes the call for key.
func (a *answers[T]) begin(
	ctx context.Context, s *schedule, key string, ask func(*permit) (T, error), me *arrival,
) *call[T] {
	shared := &call[T]{}
	if !a.off {
		a.calls[key] = shared
	}
	send := func(p *permit) error {
		value, err := ask(p)
		if err == nil {
			shared.value = value
		}
		return err
	}
	shared.ticket = s.newReadLocked(ctx, *me, send, func(err error) {
		if a.off {
			return
		}
		delete(a.calls, key)
		if err == nil {
			a.kept[key] = kept[T]{value: shared.value, at: time.Now()}
		}
	})
	return shared
}
