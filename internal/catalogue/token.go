package catalogue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxMargin is the longest time before its end that a token is renewed.
const maxMargin = 10 * time.Second

// token is a bearer token and its life.
type token struct {
	bearer string
	number int           // of the request that it answers, from 1
	asked  time.Time     // its life counts from here
	life   time.Duration // 0: it serves until it is refused

	replacement bool // it was asked for because the one before it was answered with 401
	served      bool // a read with it was let through: its answer was no 401, 408, 429 or 5xx
}

// margin is how long before its end a token is renewed: 10 s, or a tenth of its
// life where that is less, so that a short life is not all margin.
func (t *token) margin() time.Duration { return min(maxMargin, t.life/10) }

// fresh tells whether a request may be sent with the token, which may be nil.
func (t *token) fresh(now time.Time) bool {
	if t == nil {
		return false
	}
	return t.life == 0 || now.Before(t.asked.Add(t.life-t.margin()))
}

// certainty is how long after the request for it a token of unknown life is sure
// to be valid.
const certainty = 2 * time.Second

// condemns tells whether a 401 to a read that was sent with this token at sentAt
// proves that the credentials themselves are rejected. known is the number of the
// token with which the read got its first 401. A token that may have run out
// before the read was sent proves nothing, nor does one that served another read.
func (t *token) condemns(known int, sentAt time.Time) bool {
	current := sentAt.Sub(t.asked) <= certainty
	if t.life > 0 {
		current = sentAt.Before(t.asked.Add(t.life))
	}
	return t.replacement && t.number > known && !t.served && current
}

// credentials are what tokens are asked for with, and in which form: RFC 6749
// §4.4 says a form; interface.md does not show the content type.
type credentials struct {
	id, secret string
	asJSON     bool
	formError  error // why the form was not understood, nil where it was not tried
}

// body is a token request's content type and body.
func (c *credentials) body() (contentType string, body []byte, err error) {
	const grantType, id, secret = "grant_type", "client_id", "client_secret"
	const grant = "client_credentials"
	if c.asJSON {
		body, err = json.Marshal(map[string]string{grantType: grant, id: c.id, secret: c.secret})
		return "application/json", body, err
	}
	form := url.Values{grantType: {grant}, id: {c.id}, secret: {c.secret}}
	return "application/x-www-form-urlencoded", []byte(form.Encode()), nil
}

// otherFormat tells whether err says that the service does not understand the
// form. JSON is tried then, once, and kept.
func (c *credentials) otherFormat(err error) bool {
	if c.asJSON || !notUnderstood(err) {
		return false
	}
	c.asJSON, c.formError = true, err
	return true
}

// finally chooses the error of the last request for a token, which ended with
// err. Where JSON was not understood either, that is the answer to the form.
func (c *credentials) finally(err error) error {
	if c.asJSON && c.formError != nil && notUnderstood(err) {
		return c.formError
	}
	return err
}

func notUnderstood(err error) bool {
	api, ok := errors.AsType[*APIError](err)
	return ok && classify(err) == final && (api.Status == http.StatusUnsupportedMediaType ||
		api.Code == "invalid_request" || api.Code == "unsupported_grant_type")
}

// maxTokenBody bounds an answer of the token endpoint, in bytes.
const maxTokenBody = 1 << 20

// requestToken asks for a token once.
func (c *Client) requestToken(g *grant) (*token, error) {
	contentType, body, err := c.credentials.body()
	if err != nil {
		return nil, err
	}
	var got *token
	err = c.exchange(g, outgoing{
		method: http.MethodPost,
		target: TokenPath,
		header: http.Header{"Content-Type": {contentType}},
		body:   body,
		limit:  maxTokenBody,
		read: func(in *incoming) error {
			answer, err := io.ReadAll(in)
			if err != nil {
				return err
			}
			got, err = c.readToken(in, answer)
			return err
		},
	})
	if unusable, ok := errors.AsType[*UnusableAnswerError](err); ok {
		err = &TokenError{Endpoint: unusable.Endpoint, Problem: noBearerToken + ": " + unusable.Problem}
	} else if large, ok := errors.AsType[*TooLargeError](err); ok {
		err = &TokenError{Endpoint: large.Endpoint, Problem: noBearerToken + ", and is larger than a token"}
	}
	return got, err
}

const noBearerToken = "the answer holds no bearer token"

// readToken finds the token in the answer of the token endpoint. Its fields are
// those of RFC 6749 §5.1; interface.md shows none.
func (c *Client) readToken(in *incoming, answer []byte) (*token, error) {
	var fields map[string]jsontext.Value
	err := json.UnmarshalDecode(jsontext.NewDecoder(bytes.NewReader(answer), lenient), &fields)
	bearer := text(fields["access_token"])
	in.masked(bearer)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, err
	case text(fields["error"]) != "":
		return nil, &oauthError{body: answer}
	case err != nil || bearer == "" || fields["access_token"].Kind() != jsontext.KindString:
		what := c.inPlaceOf("access_token", answer, in.header)
		return nil, &TokenError{Problem: noBearerToken + ": it is " + what, Page: strings.HasPrefix(what, htmlPage)}
	}
	if kind := text(fields["token_type"]); kind != "" && !strings.EqualFold(kind, "bearer") {
		const odd = "the answer holds a token of type %q, where a bearer token is expected"
		return nil, &TokenError{Problem: fmt.Sprintf(odd, c.tidy(kind, 40))}
	}
	// RFC 6750 §2.1: what a bearer token may consist of, all of it visible ASCII.
	if strings.ContainsFunc(bearer, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &TokenError{Problem: "the answer's token has characters that no bearer token may have"}
	}
	return &token{bearer: bearer, life: lifeOf(fields["expires_in"])}, nil
}

// lifeOf reads expires_in, a number of seconds or its text. Anything else says
// nothing of the token's life.
func lifeOf(expiresIn jsontext.Value) time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(expiresIn), `"`), 64)
	if err != nil || seconds < 1 || seconds > math.MaxInt32 {
		return 0
	}
	return time.Duration(int64(seconds)) * time.Second
}
