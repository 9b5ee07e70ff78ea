package catalogue

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// lookupByID asks a question about one model group. what names the question in
// errors and has a place for the id.
func lookupByID[T any](ctx context.Context, c *Client, answers *snapshot[T], id, suffix string, decode decoder[T], what string) (T, error) {
	what = fmt.Sprintf(what, id)
	if err := CheckID(id); err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return lookup(ctx, c, answers, modelGroupsPath+"/"+url.PathEscape(id)+suffix, decode, what)
}

// lookup asks one question. This is its whole way:
//
//  1. the answer that is known already, or the call of another caller who asks
//     the same at this moment;
//  2. admission: the one queue, in which every request of the process waits;
//  3. one exchange with the service;
//  4. what becomes of it: an answer, another attempt (back to 2) or an error.
//
// target is the path and query below the base URL. The error is wrapped here
// and nowhere else.
func lookup[T any](ctx context.Context, c *Client, answers *snapshot[T], target string, decode decoder[T], what string) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, c.readTimeout)
	defer cancel()
	answer, err := answerOrEnd(ctx, c, answers, target, decode)
	if err != nil {
		return answer, fmt.Errorf("%s: %w", what, err)
	}
	return answer, nil
}

func answerOrEnd[T any](ctx context.Context, c *Client, answers *snapshot[T], target string, decode decoder[T]) (T, error) {
	var none T
	if err := c.admission.ended(); err != nil {
		return none, err
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	//nolint:contextcheck // the call outlives a caller who leaves; its context is the waiter's
	return answers.answer(ctx, c.admission, target, func(w *waiter) (T, error) {
		for {
			grant, err := c.admission.admit(w)
			if err != nil {
				return none, err
			}
			answer, err := get(c, grant, target, decode)
			if again, err := c.admission.settle(w, grant, err); !again {
				return answer, err
			}
		}
	})
}

// get sends one read and decodes its answer.
func get[T any](c *Client, g *grant, target string, decode decoder[T]) (T, error) {
	var answer T
	err := c.exchange(g, outgoing{
		method: http.MethodGet,
		target: target,
		header: http.Header{"Authorization": {"Bearer " + g.token.bearer}},
		limit:  c.maxBody,
		read: func(r *incoming) (err error) {
			answer, err = decode(r, c.maxBody)
			return err
		},
	})
	return answer, err
}
