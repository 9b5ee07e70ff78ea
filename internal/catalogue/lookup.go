package catalogue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// lookupOfGroup asks a question about one model group. what is a format for its id, and suffix follows the id in the
// path.
func lookupOfGroup[T any](
	ctx context.Context, c *Client, what, id, suffix string, decode decoder[T],
) (answer T, err error) {
	what = fmt.Sprintf(what, id)
	if err := CheckID(id); err != nil {
		return answer, fmt.Errorf("%s: %w", what, err)
	}
	return lookup(ctx, c, what, c.to(http.MethodGet, ModelGroupsPath+"/{}"+suffix, url.PathEscape(id)), decode)
}

// lookup asks one question. what names it in errors. A question goes this way:
//
//  1. a kept answer or refusal, or the same question of another caller (scheduler.asks);
//  2. the queue, in which every request of the process waits for its turn (scheduler.next);
//  3. one attempt: an exchange with the service, with the shared token (dispatcher.begin);
//  4. its outcome: an answer, an error, or another attempt, back at 2 (scheduler.judge).
func lookup[T any](
	ctx context.Context, c *Client, what string, to Endpoint, decode decoder[T],
) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.ReadTimeout)
	defer cancel()
	value, err := c.reads.answer(ctx, &question{
		to:   to,
		ctx:  context.WithoutCancel(ctx),
		read: func(in *incoming) (any, error) { return decode(in) },
	})
	if err != nil {
		return answer, fmt.Errorf("%s: %w", what, err)
	}
	answer, _ = value.(T)
	return answer, nil
}

// CheckID returns an error if text cannot be the id of a model group. An id of dots, for example, becomes a different
// path if a client or a proxy cleans the path.
func CheckID(text string) error {
	odd := redact.OddCharacter(text, unicode.IsControl)
	switch {
	case text == "":
		return errors.New("it is empty")
	case text == "." || text == "..":
		return fmt.Errorf("%q is not an id but a relative path", text)
	case odd != "":
		return errors.New("its " + odd)
	}
	return nil
}
