package catalogue

import (
	"context"
	"sync"
)

// snapshot keeps the answers of one kind of read, so that whoever asks the same
// within one process sees the same. Failures are not kept.
type snapshot[T any] struct {
	off   bool // every read is made afresh
	group callGroup[T]

	mu      sync.Mutex
	answers map[string]T
}

// answer returns what is known for key, or asks.
func (s *snapshot[T]) answer(ctx context.Context, a *admission, key string, ask func(*waiter) (T, error)) (T, error) {
	if s.off {
		return s.group.do(ctx, a, "", ask)
	}
	if known, ok := s.known(key); ok {
		return known, nil
	}
	return s.group.do(ctx, a, key, func(w *waiter) (T, error) {
		// Another call may have kept the answer after the look above.
		if known, ok := s.known(key); ok {
			return known, nil
		}
		answer, err := ask(w)
		if err == nil {
			s.keep(key, answer)
		}
		return answer, err
	})
}

func (s *snapshot[T]) known(key string) (T, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer, ok := s.answers[key]
	return answer, ok
}

func (s *snapshot[T]) keep(key string, answer T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == nil {
		s.answers = map[string]T{}
	}
	s.answers[key] = answer
}
