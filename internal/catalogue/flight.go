package catalogue

import (
	"context"
	"errors"
	"sync"
)

// flights lets those who ask the same thing while it is being asked share one
// call. Unlike golang.org/x/sync/singleflight it lets each leave for itself,
// and ends the call when the last one has left: an interrupted run must not go
// on asking.
type flights[V any] struct {
	mu    sync.Mutex
	calls map[string]*flight[V]
}

type flight[V any] struct {
	waiting int // guarded by flights.mu
	cancel  context.CancelFunc
	done    chan struct{}
	value   V     // set before done is closed
	err     error // likewise
}

// do returns the result of call for key. The call runs until the deadline of
// the one who started it; who has more time than that asks again.
func (f *flights[V]) do(ctx context.Context, key string, call func(context.Context) (V, error)) (V, error) {
	for {
		shared, joined := f.board(ctx, key, call)
		value, err := f.await(ctx, key, shared, joined)
		if joined && outOfTime(err) && ctx.Err() == nil {
			continue
		}
		return value, err
	}
}

// board joins the call for key, or starts it.
func (f *flights[V]) board(ctx context.Context, key string, call func(context.Context) (V, error)) (shared *flight[V], joined bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if shared, joined = f.calls[key]; joined {
		shared.waiting++
		return shared, true
	}
	// The values of the starter's context stay: loggers are among them.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if deadline, bounded := ctx.Deadline(); bounded {
		cancel()
		own, cancel = context.WithDeadline(context.WithoutCancel(ctx), deadline)
	}
	shared = &flight[V]{waiting: 1, cancel: cancel, done: make(chan struct{})}
	if f.calls == nil {
		f.calls = map[string]*flight[V]{}
	}
	f.calls[key] = shared
	go func() {
		defer close(shared.done)
		defer cancel()
		shared.value, shared.err = call(own)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.forget(key, shared)
	}()
	return shared, false
}

// await waits for the call, or leaves it when ctx ends first.
func (f *flights[V]) await(ctx context.Context, key string, shared *flight[V], joined bool) (V, error) {
	select {
	case <-shared.done:
		return shared.value, shared.err
	case <-ctx.Done():
	}
	if !joined && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		// The call has the same deadline; its own error tells more.
		<-shared.done
		return shared.value, shared.err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if shared.waiting--; shared.waiting == 0 {
		shared.cancel()
		f.forget(key, shared)
	}
	var none V
	return none, ctx.Err()
}

// forget needs f.mu.
func (f *flights[V]) forget(key string, shared *flight[V]) {
	if f.calls[key] == shared {
		delete(f.calls, key)
	}
}

// outOfTime tells whether a call failed for want of time alone.
func outOfTime(err error) bool {
	var gaveUp *GaveUpError
	var tooLong *WaitTooLongError
	return errors.As(err, &gaveUp) && gaveUp.Timeout || errors.As(err, &tooLong)
}
