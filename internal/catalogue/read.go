package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// readByID reads below one model group. what is a format for its id.
func readByID[T any](ctx context.Context, c *Client, answers *snapshot[T], id, suffix string, decode decoder[T], what string) (T, error) {
	what = fmt.Sprintf(what, id)
	if err := CheckID(id); err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return read(ctx, c, answers, modelGroupsPath+"/"+url.PathEscape(id)+suffix, decode, what)
}

// read asks one question, within the time of one read: target is the path and
// query below the base URL. Its error is wrapped here and nowhere else.
func read[T any](ctx context.Context, c *Client, answers *snapshot[T], target string, decode decoder[T], what string) (T, error) {
	var none T
	ctx, cancel := context.WithTimeout(ctx, c.readTimeout)
	defer cancel()
	start := time.Now()
	if err := ctx.Err(); err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	if _, err := c.tokens.known(); err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	answer, err := answers.answer(ctx, target, func(ctx context.Context) (T, error) {
		var got T
		err := c.persist(ctx, func(ctx context.Context) error {
			var err error
			got, err = get(ctx, c, target, decode)
			return err
		})
		return got, err
	})
	var gaveUp *GaveUpError
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &gaveUp) {
		err = &GaveUpError{Elapsed: time.Since(start), Timeout: true, Err: err}
	}
	if err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return answer, nil
}

// get asks once, and once more with a new token where the first is refused
// (interface.md, Authentication 3).
func get[T any](ctx context.Context, c *Client, target string, decode decoder[T]) (T, error) {
	for renewed := false; ; renewed = true {
		answer, bearer, err := ask(ctx, c, target, decode)
		if bearer == nil || judge(err) != refused {
			return answer, err
		}
		c.tokens.refused(bearer)
		if renewed {
			return answer, c.tokens.latch(err)
		}
	}
}

// ask asks once, when the pace allows it. The token is the one that was sent,
// nil where nothing was.
func ask[T any](ctx context.Context, c *Client, target string, decode decoder[T]) (T, *token, error) {
	var none T
	bearer, err := c.tokens.get(ctx)
	if err != nil {
		return none, nil, err
	}
	if err := c.pace.enter(ctx); err != nil {
		return none, nil, err
	}
	defer c.pace.leave()
	turn, err := c.pace.turn(ctx)
	if err != nil {
		return none, nil, err
	}
	if !bearer.fresh(time.Now()) {
		// It ended while this read waited for its turn.
		if bearer, err = c.tokens.get(ctx); err != nil {
			return none, nil, err
		}
	}
	answer, err := exchange(ctx, c, target, bearer.bearer, turn, decode)
	return answer, bearer, err
}

// exchange sends one request, whose turn came at turn, and reads its answer.
func exchange[T any](ctx context.Context, c *Client, target, bearer string, turn time.Time, decode decoder[T]) (T, error) {
	var none T
	attempt, cancel := context.WithTimeout(ctx, c.requestTimeout)
	defer cancel()
	path := c.base.EscapedPath() + target
	request, err := http.NewRequestWithContext(attempt, http.MethodGet, c.base.String()+target, http.NoBody)
	if err != nil {
		return none, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := c.http.Do(request)
	if err != nil {
		return none, c.networkError(ctx, attempt, http.MethodGet, path, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		// Where the body is cut, the status and what has come say enough.
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		api := c.apiError(http.MethodGet, path, response, body)
		if judge(api) == limited {
			c.pace.refused(api, turn, time.Now())
		}
		return none, api
	}
	c.pace.succeeded(time.Now())
	if response.ContentLength > c.maxBody {
		return none, &TooLargeError{Method: http.MethodGet, Path: path, Limit: c.maxBody, Size: response.ContentLength}
	}
	answer, err := decode(&limitReader{reader: response.Body, left: c.maxBody, limit: c.maxBody})
	if err != nil {
		return none, c.bodyError(ctx, attempt, path, response.Header.Get("Content-Type"), err)
	}
	return answer, nil
}

// persist makes attempts until one ends well or for good, the retries are used
// up, or the time of the read is over.
func (c *Client) persist(ctx context.Context, attempt func(context.Context) error) error {
	start := time.Now()
	var last error
	for made, failures := 1, 0; ; made++ {
		err := attempt(withAttempt(ctx, made))
		if err == nil {
			return nil
		}
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
		if ctx.Err() != nil || errors.Is(err, errNoTurn) {
			// What failed before tells more than that the time is over.
			if last == nil {
				last = err
			}
			return &GaveUpError{Attempts: made, Elapsed: time.Since(start), Timeout: true, Err: last}
		}
		switch judge(err) {
		case limited:
			// The pace holds the next attempt back.
		case again:
			failures++
			if failures > c.maxRetries {
				return &GaveUpError{Attempts: made, Elapsed: time.Since(start), Err: err}
			}
			wait := backOff(failures, rand.Float64())
			if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < wait {
				return &GaveUpError{Attempts: made, Elapsed: time.Since(start), Timeout: true, Err: err}
			}
			if sleep(ctx, wait) != nil {
				return ctx.Err()
			}
		default:
			return err
		}
		last = err
	}
}
