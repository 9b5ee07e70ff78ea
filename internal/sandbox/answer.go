package sandbox

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// answer is a response before it is sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func respond(status int, body []byte) *answer {
	return &answer{
		status: status,
		header: http.Header{"Content-Type": {"application/json"}},
		body:   body,
	}
}

func (a *answer) set(name, value string) *answer {
	a.header.Set(name, value)
	return a
}

// complete adds the headers of every answer.
func (a *answer) complete(id string) {
	if a.header == nil {
		a.header = http.Header{}
	}
	if a.header.Get("X-Request-Id") == "" {
		a.header.Set("X-Request-Id", id)
	}
	a.header.Set(Header, notTheService)
	if a.header.Get("Content-Length") == "" && a.status >= 200 &&
		a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
}

var (
	// statuses are the codes of INTERFACE.md, Errors, each with its one status.
	statuses = statusesOf("Error", "code")
	// oauthStatuses are the errors of INTERFACE.md, Token endpoint errors.
	oauthStatuses = statusesOf("OAuthError", "error")
)

// issue is an entry of data.issues.
type issue struct {
	Field    string   `json:"field"`
	Messages []string `json:"messages"`
}

// deny answers with a code of the interface and the code's status.
func deny(code, message string) *answer { return refuse(statuses[code], code, message, nil) }

// refuse answers with the body of INTERFACE.md, Errors, deprecated fields included. data may be nil.
func refuse(status int, code, message string, data jsontext.Value) *answer {
	return respond(status, encode(struct {
		Code       string         `json:"code"`
		Message    string         `json:"message"`
		Data       jsontext.Value `json:"data,omitzero"`
		StatusCode int            `json:"statusCode"`
		Error      string         `json:"error"`
	}{code, message, data, status, http.StatusText(status)}))
}

// invalid answers VALIDATION_FAILED with the rejected fields.
func invalid(message string, issues ...issue) *answer {
	const code = "VALIDATION_FAILED"
	return refuse(statuses[code], code, message, encode(map[string]any{"issues": issues}))
}

// refuseToken answers with the body of INTERFACE.md, Token endpoint errors.
func refuseToken(status int, code, description string) *answer {
	body := encode(struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
	return unstored(respond(status, body))
}

// unstored forbids caches to store an answer of the token endpoint (RFC 6749 §5.1).
func unstored(a *answer) *answer {
	return a.set("Cache-Control", "no-store").set("Pragma", "no-cache")
}
