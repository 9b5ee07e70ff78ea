package catalogue

import (
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"
)

// credentials are the id and secret for token requests, and the content type of these requests. INTERFACE.md leaves it
// open; RFC 6749 §4.4 requires a form.
type credentials struct {
	id, secret string
	formError  error // why the service refused the form, or nil; later requests are JSON
	understood bool  // a request of this content type has got a token
}

// tokenBody is the body of a token request.
type tokenBody struct {
	contentType string
	text        []byte
}

// body returns the body of the next token request.
func (c *credentials) body() tokenBody {
	fields := map[string]string{
		"grant_type":    "client_credentials",
		"client_id":     c.id,
		"client_secret": c.secret,
	}
	if c.formError != nil {
		text, _ := json.Marshal(fields, lenient, json.Deterministic(true))
		return tokenBody{"application/json", text}
	}
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	return tokenBody{"application/x-www-form-urlencoded", []byte(form.Encode())}
}

// switchToJSON makes the next requests JSON if err leaves open whether forms are understood. It reports whether it did.
func (c *credentials) switchToJSON(err error) (switched bool) {
	if c.understood || c.formError != nil || !notUnderstood(err) {
		return false
	}
	c.formError = err
	return true
}

// finally returns the error to report if the last request for a token ended with err: the answer to the form, if no
// token has come, and JSON was not understood either.
func (c *credentials) finally(err error) error {
	if c.formError != nil && !c.understood && notUnderstood(err) {
		return c.formError
	}
	return err
}

// notUnderstood reports whether a final answer leaves open if the body of a token request was understood: any 4xx but
// those errors of RFC 6749 §5.2 that judge its fields.
func notUnderstood(err error) bool {
	judged := []string{"invalid_client", "unauthorized_client", "invalid_scope"}
	api, ok := apiError(err)
	return ok && api.Status/100 == 4 && !slices.Contains(judged, api.Code)
}
