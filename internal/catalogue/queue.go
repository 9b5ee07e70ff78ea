package catalogue

import (
	"cmp"
	"slices"
)

// queue is reads in an order in which no two are equal. To move the pointers of ten
// thousand takes a microsecond or two.
type queue struct {
	reads   []*ticket
	compare func(a, b *ticket) int
}

func cameFirst(a, b *ticket) int { return cmp.Compare(a.order, b.order) }

func endsFirst(a, b *ticket) int { return cmp.Or(a.notBefore.Compare(b.notBefore), cameFirst(a, b)) }

// first is the read at the head, nil where there is none.
func (q *queue) first() *ticket {
	if len(q.reads) == 0 {
		return nil
	}
	return q.reads[0]
}

func (q *queue) has(t *ticket) bool {
	_, found := slices.BinarySearchFunc(q.reads, t, q.compare)
	return found
}

func (q *queue) add(t *ticket) {
	i, _ := slices.BinarySearchFunc(q.reads, t, q.compare)
	q.reads = slices.Insert(q.reads, i, t)
}

// remove takes a read out, where it is in the queue.
func (q *queue) remove(t *ticket) {
	i, found := slices.BinarySearchFunc(q.reads, t, q.compare)
	switch {
	case !found:
	case i == 0:
		q.reads[0] = nil
		q.reads = q.reads[1:]
	default:
		q.reads = slices.Delete(q.reads, i, i+1)
	}
}
