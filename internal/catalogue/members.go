package catalogue

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// sortMembers sorts the members of every object of a compact JSON text by key.
// Of equal keys the last one counts for a reader, so they keep their order.
//
// The library's ReorderRawObjects puts equal keys in another order, and moves
// a member once for each object around it. Here each byte is moved once, so
// that the time does not grow with the depth.
func sortMembers(text []byte) []byte {
	s, _ := sorters.Get().(*sorter)
	s.text, s.unsorted = text, nil
	s.stream.Reset(bytes.NewBuffer(text), lenient)
	s.find()
	slices.SortFunc(s.unsorted, func(a, b object) int { return cmp.Compare(a.start, b.start) })
	if len(s.unsorted) > 0 {
		text = s.appendSorted(make([]byte, 0, len(text)), 0, s.offset())
	}
	if len(text) < 64<<10 { // a pool keeps no large text alive
		sorters.Put(s)
	}
	return text
}

var sorters = sync.Pool{New: func() any { return &sorter{stream: new(jsontext.Decoder)} }}

// sorter finds the objects of a text whose members are not in order. Offsets
// are of 32 bits, since there can be as many as a fifth of a body's bytes.
type sorter struct {
	text     []byte
	stream   *jsontext.Decoder
	open     []member // of the objects around the current value, so far
	unsorted []object
}

type object struct {
	start, end int32
	members    []member // in order
}

type member struct{ start, colon, end int32 }

func (s *sorter) key(m member) []byte { return s.text[m.start+1 : m.colon-1] }

// find reads the next value. The text is valid, so no read fails.
func (s *sorter) find() {
	switch kind := s.stream.PeekKind(); kind {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		_, _ = s.stream.ReadToken()
		o, first, sorted := object{start: s.offset() - 1}, len(s.open), true
		for s.stream.PeekKind() != kind+2 { // the bracket that closes it
			if kind == jsontext.KindBeginArray {
				s.find()
				continue
			}
			key, _ := s.stream.ReadValue()
			m := member{start: s.offset() - int32(len(key)), colon: s.offset()} //nolint:gosec // within a body of MaxBody bytes
			s.find()
			m.end = s.offset()
			sorted = sorted && (len(s.open) == first || bytes.Compare(s.key(s.open[len(s.open)-1]), s.key(m)) <= 0)
			s.open = append(s.open, m)
		}
		_, _ = s.stream.ReadToken()
		if !sorted {
			o.end, o.members = s.offset(), slices.Clone(s.open[first:])
			slices.SortFunc(o.members, func(a, b member) int {
				return cmp.Or(bytes.Compare(s.key(a), s.key(b)), cmp.Compare(a.start, b.start))
			})
			s.unsorted = append(s.unsorted, o)
		}
		s.open = s.open[:first]
	default:
		_ = s.stream.SkipValue()
	}
}

func (s *sorter) offset() int32 { return int32(s.stream.InputOffset()) } //nolint:gosec // as above

// appendSorted appends the text between two offsets, its objects in order.
func (s *sorter) appendSorted(out []byte, from, to int32) []byte {
	for {
		next := sort.Search(len(s.unsorted), func(i int) bool { return s.unsorted[i].start >= from })
		if next == len(s.unsorted) || s.unsorted[next].start >= to {
			return append(out, s.text[from:to]...)
		}
		o := s.unsorted[next]
		out = append(out, s.text[from:o.start+1]...)
		for _, m := range o.members {
			out = append(s.appendSorted(out, m.start, m.end), ',')
		}
		out[len(out)-1] = '}' // in place of the last comma
		from = o.end
	}
}
