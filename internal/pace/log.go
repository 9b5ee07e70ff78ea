package pace

import (
	"slices"
	"sort"
	"time"
)

// maxLogged bounds the memory where no limit needs more.
const maxLogged = 1 << 15

// request is one that was sent, known by its number.
type request struct {
	number int
	sent   time.Time
}

// log is requests in the order in which they were sent.
type log []request

// record adds a request. It keeps as many as a limit needs.
func (l *log) record(r request, limit int) {
	if len(*l) >= 2*max(limit, maxLogged) {
		*l = slices.Delete(*l, 0, len(*l)/2)
	}
	*l = append(*l, r)
}

// remove takes a request out and returns it, or the zero request where it is not in the log.
func (l *log) remove(number int) (r request) {
	i, ok := slices.BinarySearchFunc(*l, number, func(r request, number int) int { return r.number - number })
	if ok {
		r = (*l)[i]
		*l = slices.Delete(*l, i, i+1)
	}
	return r
}

// since is how many were sent at that instant or later.
func (l *log) since(t time.Time) int {
	return len(*l) - sort.Search(len(*l), func(i int) bool { return !(*l)[i].sent.Before(t) })
}

// last is when the last but n-1 was sent, the zero time where there is none.
func (l *log) last(n int) time.Time {
	if n < 1 || n > len(*l) {
		return time.Time{}
	}
	return (*l)[len(*l)-n].sent
}
