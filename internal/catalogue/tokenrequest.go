package catalogue

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// readToken fills the token of the attempt from the answer of the token endpoint. Its errors show the type of a token
// and the words of a refusal, but no other value, because that may be a token.
func (c *Client) readToken(in *incoming) (any, error) {
	whole, err := in.text.ReadValue()
	if err != nil {
		return nil, err
	}
	if kind := whole.Kind(); kind != jsontext.KindBeginObject {
		return nil, &shapeError{problem: "the answer is " + inWords[kind]}
	}
	fields := fieldsOf(whole)
	// INTERFACE.md does not show the fields of a token: they have the names of RFC 6749 §5.1, or else the spelling of
	// all other bodies.
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
		// An error as in RFC 6749 §5.2 counts as one, despite the status of a success.
		return nil, c.apiError(in.at, in.Response, whole)
	case isAbsent(sent):
		c.hideTokens(whole)
		maps.DeleteFunc(fields, func(name string, _ jsontext.Value) bool { return !isPlain(name) })
		return nil, &shapeError{problem: in.without("access_token", fields)}
	case sent.Kind() != jsontext.KindString:
		return nil, &shapeError{problem: "the answer's " + names[0] + " is " + inWords[sent.Kind()]}
	case fault != "":
		return nil, &shapeError{problem: fault}
	}
	in.token.bearer = bearer
	in.token.life = lifeOf(fields[names[2]])
	return nil, nil
}

func isAbsent(value jsontext.Value) bool { return value == nil || value.Kind() == jsontext.KindNull }

// tokenFault returns a phrase for why a text cannot be sent as a bearer token, or "".
func tokenFault(bearer, kind string) string {
	isOther := kind != "" && !ofBearer(kind)
	switch {
	case bearer == "":
		return "the token is empty"
	case isOther && (kind == bearer || ofBearer(bearer) || !isPlain(kind)):
		return "the token is not a bearer token" // its type is not shown: the fields are swapped, and it is the token
	case isOther:
		return fmt.Sprintf("the token is of type %q, and a bearer token is needed", kind)
	case strings.ContainsFunc(bearer, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "the token has characters that a bearer token cannot have" // RFC 6750 §2.1
	}
	return ""
}

// ofBearer reports whether a text contains the word bearer, as in BearerToken and jwt-bearer.
func ofBearer(text string) bool { return strings.Contains(strings.ToLower(text), "bearer") }

// lifeOf reads a token's life, a number of seconds or its text. It returns 0, for unknown, if it is anything else, or
// less than minLife.
func lifeOf(expiresIn jsontext.Value) time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(expiresIn), `"`), 64)
	if err != nil || !(seconds >= minLife.Seconds() && seconds < math.MaxInt32) {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
