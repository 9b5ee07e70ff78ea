package catalogue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// credentials are what tokens are asked for with, and in which form: RFC 6749 §4.4 says a form; INTERFACE.md does not
// show the content type.
type credentials struct {
	id, secret string
	asJSON     bool
	formError  error // why the form was not understood, nil if it was
}

// body is a token request's content type and body.
func (c *credentials) body() (contentType string, body []byte, err error) {
	const grantType, id, secret = "grant_type", "client_id", "client_secret"
	const grant = "client_credentials"
	if c.asJSON {
		body, err = json.Marshal(map[string]string{grantType: grant, id: c.id, secret: c.secret}, json.Deterministic(true))
		return "application/json", body, err
	}
	form := url.Values{grantType: {grant}, id: {c.id}, secret: {c.secret}}
	return "application/x-www-form-urlencoded", []byte(form.Encode()), nil
}

// switchToJSON makes the next request JSON if err leaves open that the service understood the form. JSON is tried
// once, and kept.
func (c *credentials) switchToJSON(err error) (switched bool) {
	if c.asJSON || !notUnderstood(err) {
		return false
	}
	c.asJSON, c.formError = true, err
	return true
}

// finally chooses the error of the last request for a token, which ended with err. If JSON was not understood either,
// that is the answer to the form.
func (c *credentials) finally(err error) error {
	if c.asJSON && c.formError != nil && notUnderstood(err) {
		return c.formError
	}
	return err
}

// notUnderstood reports whether an answer to a token request leaves open that its body was read: any 4xx but those of
// RFC 6749 §5.2 that judge what it says, and 408 and 429.
func notUnderstood(err error) bool {
	api, ok := apiError(err)
	if !ok || api.Status < 400 || api.Status >= 500 || classify(err) != final {
		return false
	}
	return !slices.Contains([]string{"invalid_client", "unauthorized_client", "invalid_scope"}, api.Code)
}

// maxTokenBody bounds an answer of the token endpoint, in bytes.
const maxTokenBody = 1 << 20

// requestToken asks for a token once, and fills that of the attempt.
func (c *Client) requestToken(ctx context.Context, sent *attempt) error {
	contentType, body, err := c.credentials.body()
	if err != nil {
		return err
	}
	err = c.exchange(ctx, c.to(http.MethodPost, TokenPath), sent, outgoing{
		header: http.Header{"Content-Type": {contentType}},
		body:   body,
		limit:  maxTokenBody,
		read: func(in *incoming) error {
			answer, err := io.ReadAll(in)
			if err != nil {
				return err
			}
			return c.readToken(in, answer, sent.token)
		},
	})
	if large, ok := errors.AsType[*TooLargeError](err); ok {
		err = &TokenError{Endpoint: large.Endpoint, Problem: noBearerToken + ", and is larger than a token"}
	}
	return err
}

const noBearerToken = "the answer holds no bearer token"

// readToken fills a token from the answer of the token endpoint. INTERFACE.md shows no fields: they are those of RFC
// 6749 §5.1, or the same as every other body spells names.
func (c *Client) readToken(in *incoming, answer []byte, got *token) error {
	var fields map[string]jsontext.Value
	err := json.UnmarshalDecode(jsontext.NewDecoder(bytes.NewReader(answer), lenient), &fields)
	bearerName, kindName, lifeName := "access_token", "token_type", "expires_in"
	if fields[bearerName] == nil && fields["accessToken"] != nil {
		bearerName, kindName, lifeName = "accessToken", "tokenType", "expiresIn"
	}
	bearer := text(fields[bearerName])
	in.masked(bearer)
	switch kind := text(fields[kindName]); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case text(fields["error"]) != "":
		return &oauthError{body: answer}
	case err != nil || bearer == "" || fields[bearerName].Kind() != jsontext.KindString:
		what := c.inPlaceOf(bearerName, answer, in.header)
		return &TokenError{Problem: noBearerToken + ": it is " + what, Page: strings.HasPrefix(what, htmlPage)}
	case kind != "" && !strings.EqualFold(kind, "bearer"):
		const odd = "the answer holds a token of type %q, where a bearer token is expected"
		return &TokenError{Problem: fmt.Sprintf(odd, c.tidy(kind, 40))}
	// RFC 6750 §2.1: what a bearer token may consist of, all of it visible ASCII.
	case strings.ContainsFunc(bearer, func(r rune) bool { return r <= ' ' || r > '~' }):
		return &TokenError{Problem: "the answer's token has characters that no bearer token may have"}
	}
	got.bearer, got.life = bearer, lifeOf(fields[lifeName])
	return nil
}

// lifeOf reads a token's life, a number of seconds or its text. It is 0, not known, for anything else and for less
// than minLife.
func lifeOf(expiresIn jsontext.Value) time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(expiresIn), `"`), 64)
	if err != nil || !(seconds >= minLife.Seconds() && seconds < math.MaxInt32) {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
