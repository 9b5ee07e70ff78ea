package catalogue

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// requestToken makes one request for a token, and fills the attempt's token.
func (c *Client) requestToken(ctx context.Context, sent *attempt) (value any, err error) {
	contentType, body := c.reads.core.tokens.credentials.body()
	return nil, c.exchange(ctx, sent.of.asked.to, sent, outgoing{
		header: http.Header{"Content-Type": {contentType}},
		body:   body,
		limit:  maxErrorBody,
		read:   func(in *incoming) error { return c.readToken(in, sent.token) },
	})
}

// readToken fills a token from the answer of the token endpoint. Its errors never show values, because one may be a
// token.
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
	fault := tokenFault(bearer, kind)
	switch {
	case isAbsent(sent) && fields["error"].Kind() == jsontext.KindString:
		// An error as in RFC 6749 §5.2 counts as if its status were one of an error.
		return c.apiError(in.at, in.Response, in.body)
	case isAbsent(sent):
		return &shapeError{problem: in.without("access_token", fields)}
	case sent.Kind() != jsontext.KindString:
		return &shapeError{problem: "the answer's " + names[0] + " is " + inWords[sent.Kind()]}
	case fault != "":
		return &shapeError{problem: fault}
	}
	got.bearer = bearer
	got.life = lifeOf(fields[names[2]])
	return nil
}

func isAbsent(value jsontext.Value) bool { return value == nil || value.Kind() == jsontext.KindNull }

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
