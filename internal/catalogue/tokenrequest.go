package catalogue

import (
	"context"
	"fmt"
	"maps"
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
func (c *credentials) body() (contentType string, body []byte, err error) {
	const grantType, id, secret = "grant_type", "client_id", "client_secret"
	const grant = "client_credentials"
	if c.formError != nil {
		body, err = json.Marshal(map[string]string{grantType: grant, id: c.id, secret: c.secret}, json.Deterministic(true))
		return "application/json", body, err
	}
	form := url.Values{grantType: {grant}, id: {c.id}, secret: {c.secret}}
	return "application/x-www-form-urlencoded", []byte(form.Encode()), nil
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
	contentType, body, err := c.credentials.body()
	if err != nil {
		return err
	}
	return c.exchange(ctx, c.to(http.MethodPost, TokenPath), sent, outgoing{
		header: http.Header{"Content-Type": {contentType}},
		body:   body,
		limit:  maxErrorBody,
		read:   func(in *incoming) error { return c.readToken(in, sent.token) },
	})
}

// readToken fills a token from the answer of the token endpoint. INTERFACE.md shows no fields: they are those of RFC
// 6749 §5.1, or the same as every other body spells names. Its errors show no values, because one may be a token.
func (c *Client) readToken(in *incoming, got *token) error {
	var fields map[string]jsontext.Value
	err := decodeBody("", in, func(text *jsontext.Decoder) error { return json.UnmarshalDecode(text, &fields) })
	bearerName, kindName, lifeName := "access_token", "token_type", "expires_in"
	if fields[bearerName] == nil && fields["accessToken"] != nil {
		bearerName, kindName, lifeName = "accessToken", "tokenType", "expiresIn"
	}
	bearer, sent := text(fields[bearerName]), text(fields["error"])
	c.mask.Add(bearer)
	switch {
	case err != nil:
		return err
	case sent != "":
		return &shapeError{problem: fmt.Sprintf("it holds the error %s: %s", sent, text(fields["error_description"]))}
	case bearer == "" || fields[bearerName].Kind() != jsontext.KindString:
		return &shapeError{problem: "it holds no text as " + bearerName + itHas(slices.Sorted(maps.Keys(fields)))}
	}
	got.bearer, got.life = bearer, lifeOf(fields[lifeName])
	return checkToken(bearer, text(fields[kindName]))
}

// checkToken returns an error for what is no bearer token. RFC 6750 §2.1 allows only visible ASCII in one.
func checkToken(bearer, kind string) error {
	if kind != "" && !strings.EqualFold(kind, "bearer") {
		return &shapeError{problem: fmt.Sprintf("it holds a token of type %q, and a bearer token is expected", kind)}
	}
	if strings.ContainsFunc(bearer, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &shapeError{problem: "its token has characters that no bearer token may have"}
	}
	return nil
}

// lifeOf reads a token's life, a number of seconds or its text. Anything else, or less than minLife, is 0: not known.
func lifeOf(expiresIn jsontext.Value) time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(expiresIn), `"`), 64)
	if err != nil || !(seconds >= minLife.Seconds() && seconds < math.MaxInt32) {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
