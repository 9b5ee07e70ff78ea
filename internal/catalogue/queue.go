package catalogue

import (
	"cmp"
	"container/heap"
	"time"
)

// waiting is all that waits to be sent.
type waiting struct {
	ready    queue     // may be sent as soon as pace and token allow, in the order in which they came
	delayed  queue     // in their back-off, in the order in which it ends
	arrived  int       // how many reads have come
	earliest time.Time // none that waits has an earlier deadline
}

// until records the deadline of a read that waits.
func (w *waiting) until(deadline time.Time) {
	if w.earliest.IsZero() || deadline.Before(w.earliest) {
		w.earliest = deadline
	}
}

// queue is a heap of tickets. Each knows its place, so that it can leave from
// the middle.
type queue struct {
	tickets []*ticket
	before  func(a, b *ticket) bool
}

func cameFirst(a, b *ticket) bool { return a.order < b.order }

func endsFirst(a, b *ticket) bool {
	return cmp.Or(a.notBefore.Compare(b.notBefore), cmp.Compare(a.order, b.order)) < 0
}

// first is the ticket at the head, nil where there is none.
func (q *queue) first() *ticket {
	if len(q.tickets) == 0 {
		return nil
	}
	return q.tickets[0]
}

func (q *queue) add(t *ticket) {
	t.queue = q
	heap.Push(q, t)
}

func (q *queue) remove(t *ticket) {
	heap.Remove(q, t.index)
	t.queue = nil
}

// Len, Less, Swap, Push and Pop are those of [heap.Interface].
func (q *queue) Len() int           { return len(q.tickets) }
func (q *queue) Less(i, j int) bool { return q.before(q.tickets[i], q.tickets[j]) }

// Swap is part of [heap.Interface].
func (q *queue) Swap(i, j int) {
	q.tickets[i], q.tickets[j] = q.tickets[j], q.tickets[i]
	q.tickets[i].index, q.tickets[j].index = i, j
}

// Push is part of [heap.Interface].
func (q *queue) Push(t any) {
	added, _ := t.(*ticket)
	added.index = len(q.tickets)
	q.tickets = append(q.tickets, added)
}

// Pop is part of [heap.Interface].
func (q *queue) Pop() any {
	last := len(q.tickets) - 1
	t := q.tickets[last]
	q.tickets[last] = nil
	q.tickets = q.tickets[:last]
	return t
}
