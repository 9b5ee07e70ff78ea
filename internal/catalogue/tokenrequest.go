package catalogue

import (
	"context"
	"fmt"
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

// credentials are what tokens are requested with, and in which form: RFC 6749 §4.4 says a form; INTERFACE.md does not
// show the content type.
type credentials struct {
	id, secret string
	formError  error // the answer to the form, after which JSON is sent; nil if there is none
	understood bool  // a token came in answer to what is sent
}

// body returns the content type and the body of a token request.
func (c *credentials) body() (contentType string, body []byte) {
	fields := map[string]string{
		"grant_type":    "client_credentials",
		"client_id":     c.id,
		"client_secret": c.secret,
	}
	if c.formError != nil {
		body, _ = json.Marshal(fields, lenient, json.Deterministic(true))
		return "application/json", body
	}
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	return "application/x-www-form-urlencoded", []byte(form.Encode())
}

// switchToJSON makes the next request JSON if err leaves open whether forms are understood. It reports whether it did.
func (c *credentials) switchToJSON(err error) (switched bool) {
	if c.understood || c.formError != nil || !notUnderstood(err) {
		return false
	}
	c.formError = err
	return true
}

// finally chooses the error of the last request for a token, which ended with err. If no token has come, and JSON is
// not understood either, it is the answer to the form.
func (c *credentials) finally(err error) error {
	if c.formError != nil && !c.understood && notUnderstood(err) {
		return c.formError
	}
	return err
}

// notUnderstood reports whether an answer leaves open that the body of a token request was understood. That is any 4xx
// but 408, 429 and the errors of RFC 6749 §5.2 that judge its fields.
func notUnderstood(err error) bool {
	api, ok := apiError(err)
	if !ok || api.Status < 400 || api.Status >= 500 || classify(err) != final {
		return false
	}
	return !slices.Contains([]string{"invalid_client", "unauthorized_client", "invalid_scope"}, api.Code)
}

// requestToken makes one request for a token, and fills the attempt's token.
func (c *Client) requestToken(ctx context.Context, sent *attempt) error {
	t := &c.admission.tokens
	contentType, body := t.credentials.body()
	return c.exchange(ctx, t.to, sent, outgoing{
		header: http.Header{"Content-Type": {contentType}},
		body:   body,
		limit:  maxErrorBody,
		read:   func(in *incoming) error { return c.readToken(in, sent.token) },
	})
}

// readToken fills a token from the answer of the token endpoint. Its errors show no values, because one may be a token.
func (c *Client) readToken(in *incoming, got *token) error {
	whole, err := in.text.ReadValue()
	if err != nil {
		return err
	}
	if kind := whole.Kind(); kind != jsontext.KindBeginObject {
		return &shapeError{problem: "the answer is " + inWords[kind]}
	}
	fields := fieldsOf(whole)
	// INTERFACE.md does not show the fields of a token: they have the names of RFC 6749 §5.1, or names that are spelled
	// as in every other body.
	names := []string{"access_token", "token_type", "expires_in"}
	if isAbsent(fields["access_token"]) && !isAbsent(fields["accessToken"]) {
		names = []string{"accessToken", "tokenType", "expiresIn"}
	}
	sent, kind := fields[names[0]], textOf(fields[names[1]])
	bearer := textOf(sent)
	c.mask.Add(bearer)
	if isAbsent(sent) {
		return c.withoutToken(in, fields)
	}
	if sent.Kind() != jsontext.KindString {
		return &shapeError{problem: "the answer's " + names[0] + " is " + inWords[sent.Kind()]}
	}
	if fault := tokenFault(bearer, kind); fault != "" {
		return &shapeError{problem: fault}
	}
	got.bearer = bearer
	got.life = lifeOf(fields[names[2]])
	return nil
}

func isAbsent(value jsontext.Value) bool { return value == nil || value.Kind() == jsontext.KindNull }

// withoutToken returns the error of a success without a token. If it has an error as in RFC 6749 §5.2, that counts as
// if its status were one of an error.
func (c *Client) withoutToken(in *incoming, fields map[string]jsontext.Value) error {
	code := textOf(fields["error"])
	if fields["error"].Kind() != jsontext.KindString || code == "" {
		return &shapeError{problem: in.without("access_token", fields)}
	}
	refusal := c.apiError(in.at, in.Response, nil)
	refusal.Code, refusal.ShownCode = code, c.shownCode(code)
	refusal.Message = c.mask.Tidy(textOf(fields["error_description"]), maxMessage)
	return refusal
}

// tokenFault says in a phrase why a text cannot be sent as a bearer token, or returns "".
func tokenFault(bearer, kind string) string {
	switch {
	case bearer == "":
		return "the token is empty"
	case kind != "" && !ofBearer(kind) && (kind == bearer || ofBearer(bearer)):
		return "the token is not a bearer token" // its type is not shown: two fields are swapped, and that is the token
	case kind != "" && !ofBearer(kind):
		return fmt.Sprintf("the token is of type %q, and a bearer token is needed", kind)
	case strings.ContainsFunc(bearer, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "the token has characters that a bearer token cannot have" // RFC 6750 §2.1
	}
	return ""
}

// ofBearer reports whether a text has the word bearer in it, as BearerToken and jwt-bearer have.
func ofBearer(text string) bool { return strings.Contains(strings.ToLower(text), "bearer") }

// lifeOf reads a token's life, a number of seconds or its text. Anything else, or less than minLife, is 0: not known.
func lifeOf(expiresIn jsontext.Value) time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(expiresIn), `"`), 64)
	if err != nil || !(seconds >= minLife.Seconds() && seconds < math.MaxInt32) {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
