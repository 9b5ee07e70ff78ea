package catalogue

import (
	"context"
	"sync"
)

// snapshot keeps the answers of one kind of read, so that whoever asks the same
// within one process sees the same. Failures are not kept.
type snapshot[T any] struct {
	off     bool // every read is made afresh
	flights flights[T]

	mu      sync.Mutex
	answers map[string]T
}

// answer returns what is known for key, or asks.
func (s *snapshot[T]) answer(ctx context.Context, key string, ask func(context.Context) (T, error)) (T, error) {
	if s.off {
		return ask(ctx)
	}
	if known, ok := s.known(key); ok {
		return known, nil
	}
	return s.flights.do(ctx, key, func(ctx context.Context) (T, error) {
		// An earlier call may have ended since known was asked.
		if known, ok := s.known(key); ok {
			return known, nil
		}
		answer, err := ask(ctx)
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
