package catalogue

import (
	"context"
	"sync"
)

// callGroup lets callers who ask the same question at the same time share one
// call. Unlike golang.org/x/sync/singleflight, it lets one caller leave while the
// others wait on, and it ends the call when the last caller has left, because an
// interrupted run must send nothing more.
type callGroup[V any] struct {
	mu    sync.Mutex
	calls map[string]*call[V]
}

// call is a question on its way, with all who wait for its answer.
type call[V any] struct {
	*waiter
	done  chan struct{}
	value V     // set before done is closed
	err   error // likewise
}

// ask asks a question and returns its answer. The waiter is its place in the queue.
type ask[V any] func(*waiter) (V, error)

// do returns what ask returns for key. Callers with the same key share a call,
// except where the key is "". Each caller waits until its own context ends; the
// call goes on as long as one caller waits for it.
func (g *callGroup[V]) do(ctx context.Context, a *admission, key string, ask ask[V]) (V, error) {
	var none V
	me := newCaller(ctx)
	shared := g.join(ctx, a, key, me, ask)
	select {
	case <-shared.done:
	case err := <-me.failed:
		return none, err
	case <-ctx.Done():
	}
	// The call can end at the instant at which ctx does. Then an answer goes before
	// an error.
	done := shared.ended()
	if done && shared.err == nil {
		return shared.value, nil
	}
	select {
	case err := <-me.failed:
		return none, err
	default:
	}
	if done {
		return none, shared.err
	}
	return none, a.leave(shared.waiter, me, ctx.Err())
}

// ended tells whether value and err are set.
func (c *call[V]) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// join enters the call for key, or starts it.
func (g *callGroup[V]) join(ctx context.Context, a *admission, key string, me *caller, ask ask[V]) *call[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if shared, ok := g.calls[key]; ok && a.join(shared.waiter, me) {
		return shared
	}
	shared := &call[V]{waiter: a.newWaiter(ctx, me), done: make(chan struct{})}
	if key != "" {
		if g.calls == nil {
			g.calls = map[string]*call[V]{}
		}
		g.calls[key] = shared
	}
	go func() {
		defer close(shared.done)
		defer a.retire(shared.waiter)
		shared.value, shared.err = ask(shared.waiter)
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.calls[key] == shared {
			delete(g.calls, key)
		}
	}()
	return shared
}
