package catalogue

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// MaxBody is the largest answer the client reads, in bytes. It is the limit of one message from a provider to its
// engine, so more could not be passed on.
const MaxBody = 256 << 20

// A bodyReader streams a body: a list may have hundreds of megabytes.
type bodyReader struct {
	io.Reader
	size int64
	head []byte // the first maxHead bytes, for errors
	err  error  // nil at the end of the body
}

// readerOf returns a reader of at most limit+1 bytes of a body.
func readerOf(body io.Reader, limit int64) *bodyReader {
	return &bodyReader{Reader: withoutBOM(io.LimitReader(body, limit+1))}
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.size += int64(n)
	r.head = append(r.head, p[:min(n, maxHead-len(r.head))]...)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// beginning reads on if needed, and returns up to maxHead bytes of the body.
func (r *bodyReader) beginning() []byte {
	_, _ = io.CopyN(io.Discard, r, int64(maxHead-len(r.head)))
	return r.head
}

// withoutBOM returns a body without its byte order mark. Some servers send one, and a reader may ignore it (RFC 8259
// §8.1).
func withoutBOM(body io.Reader) io.Reader {
	const bom = "\uFEFF"
	text := bufio.NewReader(body)
	if mark, _ := text.Peek(len(bom)); string(mark) == bom {
		_, _ = text.Discard(len(bom))
	}
	return text
}

// starts are the first bytes of bodies in unlabelled encodings.
var starts = []struct{ bytes, form string }{
	{"\x1f\x8b", "in the encoding gzip, and no header says so"},
	{"\xfe\xff", "in UTF-16, and not in UTF-8"},
	{"\xff\xfe", "in UTF-16, and not in UTF-8"},
	{"[\x00", "in UTF-16, and not in UTF-8"},
	{"{\x00", "in UTF-16, and not in UTF-8"},
}

// controls are control characters that never occur in texts, not even in old encodings.
const controls = "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"

// unreadable describes in a phrase, by its beginning, a body that cannot be shown as text, or returns "". net/http has
// removed gzip, the only encoding it asks for, with its label.
func unreadable(head []byte, header http.Header) string {
	label := strings.Join(header.Values("Content-Encoding"), ", ")
	isUTF8 := utf8.Valid(head)
	if label != "" && !isUTF8 {
		return fmt.Sprintf("in the encoding %q, which was not asked for", label)
	}
	for _, start := range starts {
		if bytes.HasPrefix(head, []byte(start.bytes)) {
			return start.form
		}
	}
	hasText := redact.Printable(string(head)) != "" && !bytes.ContainsAny(head, controls)
	if !isUTF8 && !hasText || bytes.IndexByte(head, 0) >= 0 {
		return "not text"
	}
	return ""
}
