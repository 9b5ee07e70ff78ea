package catalogue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// maxMargin is how long before its end a token is renewed at most.
const maxMargin = 10 * time.Second

// renewAt is when a token asked for at asked and ending at end is to be
// renewed: a margin before its end that never eats the token, the lesser of
// 10 s and a tenth of its life. A token without an end serves until it is
// refused.
func renewAt(asked, end time.Time) time.Time {
	if !end.After(asked) {
		return time.Time{}
	}
	return end.Add(-min(maxMargin, end.Sub(asked)/10))
}

// token is a bearer token and when to ask for the next, zero for never.
type token struct {
	bearer string
	renew  time.Time
}

func (t *token) fresh(now time.Time) bool {
	return t != nil && (t.renew.IsZero() || now.Before(t.renew))
}

// tokens hands out one bearer token to every read (RFC 6749 §4.4).
type tokens struct {
	client  *Client
	config  clientcredentials.Config
	path    string
	flights flights[*token]

	mu       sync.Mutex
	current  *token
	rejected *RejectedError // once set, the answer to everything
}

func newTokens(client *Client, cfg Config) *tokens {
	return &tokens{
		client: client,
		path:   cfg.BaseURL.EscapedPath() + tokenPath,
		config: clientcredentials.Config{
			ClientID:     cfg.ClientID,
			ClientSecret: cfg.ClientSecret,
			TokenURL:     cfg.BaseURL.String() + tokenPath,
			AuthStyle:    oauth2.AuthStyleInParams,
		},
	}
}

// get returns the token to use now. Those who need a new one together share
// one request for it.
func (t *tokens) get(ctx context.Context) (*token, error) {
	if known, err := t.known(); known != nil || err != nil {
		return known, err
	}
	return t.flights.do(ctx, "", func(ctx context.Context) (*token, error) {
		// An earlier request may have ended since known was asked.
		if known, err := t.known(); known != nil || err != nil {
			return known, err
		}
		var got *token
		err := t.client.persist(ctx, func(ctx context.Context) error {
			var err error
			got, err = t.request(ctx)
			return err
		})
		if err != nil {
			return nil, t.latch(err)
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.current = got
		return got, nil
	})
}

// known returns the current token while it is fresh, or why there will be none.
func (t *tokens) known() (*token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rejected != nil {
		return nil, t.rejected
	}
	if t.current.fresh(time.Now()) {
		return t.current, nil
	}
	return nil, nil //nolint:nilnil // neither is the third answer: ask for one
}

// refused drops a token that a read was refused with, unless another read did
// so before.
func (t *tokens) refused(old *token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == old {
		t.current = nil
	}
}

// latch makes what no further request can change the answer to every further
// read: the first such failure, so that all of them read the same.
func (t *tokens) latch(err error) error {
	var unusable *TokenError
	var api *APIError
	lasting := errors.As(err, &unusable) || errors.As(err, &api) && (judge(api) == final || judge(api) == refused)
	if !lasting {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rejected == nil {
		t.rejected = &RejectedError{Err: err}
	}
	return t.rejected
}

// request asks for a token once.
func (t *tokens) request(ctx context.Context) (*token, error) {
	c := t.client
	turn, err := c.pace.turn(ctx)
	if err != nil {
		return nil, err
	}
	asked := time.Now()
	attempt, cancel := context.WithTimeout(ctx, c.requestTimeout)
	defer cancel()
	answer, err := t.config.Token(context.WithValue(attempt, oauth2.HTTPClient, c.tokenHTTP))
	if err == nil {
		return t.usable(answer, asked)
	}
	var failure *oauth2.RetrieveError
	var fault *url.Error
	switch {
	case errors.As(err, &failure):
		api := c.apiError(http.MethodPost, t.path, failure.Response, failure.Body)
		if judge(api) == limited {
			c.pace.refused(api, turn, time.Now())
		}
		return nil, api
	case errors.As(err, &fault):
		return nil, c.networkError(ctx, attempt, http.MethodPost, t.path, fault.Err)
	default:
		// The package's own texts quote no answer, but a later one might.
		problem := strings.TrimPrefix(err.Error(), "oauth2: ")
		return nil, &TokenError{Path: t.path, Problem: "the answer holds no bearer token: " + c.tidy(problem, maxExcerpt)}
	}
}

// usable turns an answer into a token, or says why it is none.
func (t *tokens) usable(answer *oauth2.Token, asked time.Time) (*token, error) {
	if kind := answer.Type(); !strings.EqualFold(kind, "bearer") {
		return nil, &TokenError{Path: t.path, Problem: fmt.Sprintf("the answer holds a token of type %q, where a bearer token is expected", t.client.tidy(kind, 40))}
	}
	// RFC 6750 §2.1: what a bearer token may consist of, all of it visible ASCII.
	for _, r := range answer.AccessToken {
		if r <= ' ' || r > '~' {
			return nil, &TokenError{Path: t.path, Problem: "the answer's token has characters that no bearer token may have"}
		}
	}
	return &token{bearer: answer.AccessToken, renew: renewAt(asked, answer.Expiry)}, nil
}
