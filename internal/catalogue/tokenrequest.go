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
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// credentials are what tokens are asked for with, and in which form: RFC 6749
// §4.4 says a form; INTERFACE.md does not show the content type.
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

// switchToJSON makes the next request JSON where err says that the service does not
// understand the form. JSON is tried once, and kept.
func (c *credentials) switchToJSON(err error) (switched bool) {
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
	if unusable, ok := errors.AsType[*UnusableAnswerError](err); ok {
		err = &TokenError{Endpoint: unusable.Endpoint, Problem: noBearerToken + ": " + unusable.Problem}
	} else if large, ok := errors.AsType[*TooLargeError](err); ok {
		err = &TokenError{Endpoint: large.Endpoint, Problem: noBearerToken + ", and is larger than a token"}
	}
	return err
}

const noBearerToken = "the answer holds no bearer token"

// readToken fills a token from the answer of the token endpoint. Its fields are
// those of RFC 6749 §5.1; INTERFACE.md shows none.
func (c *Client) readToken(in *incoming, answer []byte, got *token) error {
	var fields map[string]jsontext.Value
	err := json.UnmarshalDecode(jsontext.NewDecoder(bytes.NewReader(answer), lenient), &fields)
	bearer := text(fields["access_token"])
	in.masked(bearer)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case text(fields["error"]) != "":
		return &oauthError{body: answer}
	case err != nil || bearer == "" || fields["access_token"].Kind() != jsontext.KindString:
		what := c.inPlaceOf("access_token", answer, in.header)
		return &TokenError{Problem: noBearerToken + ": it is " + what, Page: strings.HasPrefix(what, htmlPage)}
	}
	if kind := text(fields["token_type"]); kind != "" && !strings.EqualFold(kind, "bearer") {
		const odd = "the answer holds a token of type %q, where a bearer token is expected"
		return &TokenError{Problem: fmt.Sprintf(odd, c.tidy(kind, 40))}
	}
	// RFC 6750 §2.1: what a bearer token may consist of, all of it visible ASCII.
	if strings.ContainsFunc(bearer, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &TokenError{Problem: "the answer's token has characters that no bearer token may have"}
	}
	got.bearer, got.life = bearer, lifeOf(fields["expires_in"])
	return nil
}

// lifeOf reads expires_in, a number of seconds or its text. Anything else says
// nothing of the token's life.
func lifeOf(expiresIn jsontext.Value) time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(expiresIn), `"`), 64)
	if err != nil || seconds < 1 || seconds > math.MaxInt32 {
		return 0
	}
	if life := time.Duration(seconds * float64(time.Second)); life >= minLife {
		return life
	}
	return 0
}
