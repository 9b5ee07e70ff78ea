package catalogue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// question is a read of one route.
type question[T any] struct {
	what   string     // names it in errors
	target string     // the path and query below the base URL
	decode decoder[T] // reads its answer
}

// lookupOfGroup asks a question about one model group. q.what is a format with a place for the id, and suffix follows
// the id in the path.
func lookupOfGroup[T any](ctx context.Context, c *Client, id, suffix string, q question[T]) (T, error) {
	q.what = fmt.Sprintf(q.what, id)
	err := CheckID(id)
	if err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", q.what, err)
	}
	q.target = ModelGroupsPath + "/" + url.PathEscape(id) + suffix
	return lookup(ctx, c, q)
}

// lookup asks one question. This is its whole way:
//
//  1. the answer or refusal that is kept, or the flight of another caller who asks the same now (flight);
//  2. the queue, in which every request of the process waits for its turn (admission, waits);
//  3. one attempt: an exchange with the service, with the token that all share (token);
//  4. what came of it: an answer, an error, or another attempt, which goes back to 2 (judge).
func lookup[T any](ctx context.Context, c *Client, q question[T]) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.readTimeout)
	defer cancel()
	to := c.to(http.MethodGet, q.target)
	ask := func(ctx context.Context, sent *attempt) (value any, err error) {
		err = c.exchange(ctx, to, sent, outgoing{
			header: http.Header{"Authorization": {"Bearer " + sent.token.bearer}},
			limit:  c.maxBody,
			read: func(in *incoming) (err error) {
				value, err = q.decode(in)
				return err
			},
		})
		return value, err
	}
	value, err := c.admission.answer(ctx, to, ask)
	if err != nil {
		return answer, fmt.Errorf("%s: %w", q.what, err)
	}
	answer, _ = value.(T)
	return answer, nil
}

// CheckID returns an error if text cannot be the id of a model group. An id of dots, for example, names another path
// once a client or a proxy has cleaned the path.
func CheckID(text string) error {
	switch {
	case text == "":
		return errors.New("it is empty")
	case text == "." || text == "..":
		return fmt.Errorf("%q is not an id but a relative path", text)
	case !utf8.ValidString(text):
		return errors.New("it is not valid UTF-8")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("it has control characters in it, such as a line break or a tab")
	}
	return nil
}
