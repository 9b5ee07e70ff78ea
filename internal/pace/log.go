package pace

import (
	"slices"
	"sort"
	"time"
)

// request is one that was sent, known by its number.
type request struct {
	number int
	sent   time.Time
}

// log is requests in the order in which they were sent.
type log []request

// remove takes a request out and returns it, or the zero request where it is not in the log.
func (l *log) remove(number int) (r request) {
	i, ok := slices.BinarySearchFunc(*l, number, func(r request, number int) int { return r.number - number })
	if !ok {
		return r
	}
	r = (*l)[i]
	*l = slices.Delete(*l, i, i+1)
	return r
}

// since is how many were sent at that instant or later.
func (l *log) since(t time.Time) int {
	return len(*l) - sort.Search(len(*l), func(i int) bool { return !(*l)[i].sent.Before(t) })
}
