package catalogue

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// MaxBody is the largest answer the client reads, in bytes. It is the limit of
// one message from a provider to its engine, so more could not be passed on.
const MaxBody = 256 << 20

// maxGrowth is how many bytes of Go values may be decoded for each byte that a
// body may have. Two bytes of text can become a hundred in memory.
const maxGrowth = 4

// boundedReader counts the bytes of a body, and fails after limit of them.
// io.LimitReader would end there as if the body were complete.
type boundedReader struct {
	reader      io.Reader
	size, limit int64
	head        []byte // the first maxHead bytes
}

// maxHead is how many bytes of a body are kept, to recognise a page of HTML.
const maxHead = 1 << 10

func (r *boundedReader) Read(p []byte) (int, error) {
	if room := r.limit - r.size + 1; int64(len(p)) > room {
		p = p[:max(room, 0)]
	}
	n, err := r.reader.Read(p)
	r.size += int64(n)
	r.head = append(r.head, p[:min(n, maxHead-len(r.head))]...)
	if r.size > r.limit {
		return n, &TooLargeError{Limit: r.limit}
	}
	return n, err
}

// weighedReader refuses a body whose values could take more than limit bytes of
// memory. It does not parse: each object, list and comma counts as the most memory
// that it can become, and every byte as one byte. It keeps the error that it ended
// with, because the library does not always tell it from an error of syntax.
type weighedReader struct {
	reader           io.Reader
	remaining, limit int64
	err              error
}

const (
	objectWeight  = 80 // a pointer, and the largest struct below a record
	elementWeight = 24 // a pointer to a string, and its header
	invalidWeight = 14 // for a byte that is no UTF-8: three bytes in its place, in each copy of the text
)

func (r *weighedReader) Read(p []byte) (int, error) {
	n, err := r.reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	elements := bytes.Count(p[:n], []byte{','}) + bytes.Count(p[:n], []byte{'['})
	size := n + elementWeight*elements + objectWeight*bytes.Count(p[:n], []byte{'{'}) + invalidWeight*invalid(p[:n])
	if tooLarge := r.weigh(size); tooLarge != nil {
		return 0, tooLarge
	}
	return n, err
}

// invalid counts the bytes that are no UTF-8. A character that a read cuts in two
// counts as well, which is little.
func invalid(text []byte) int {
	if utf8.Valid(text) {
		return 0
	}
	count := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			count++
		}
		text = text[size:]
	}
	return count
}

// weigh counts so many bytes of memory.
func (r *weighedReader) weigh(size int) error {
	if r.remaining -= int64(size); r.remaining < 0 {
		r.err = &TooLargeError{Limit: r.limit, InMemory: true}
		return r.err
	}
	return nil
}
