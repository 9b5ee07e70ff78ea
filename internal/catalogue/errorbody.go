package catalogue

import (
	"bytes"
	"cmp"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// Bounds of the parts of an answer that are kept, the first two in bytes and the rest in characters.
const (
	maxErrorBody = 1 << 20
	maxHead      = 1 << 10 // of a 200
	maxMessage   = 1000    // of the service, in ours
	maxData      = 500     // the data of an error
	maxExcerpt   = 200     // of a body that is not an error document
	maxWord      = 100     // a code, a field's name and the like
)

// errorDocument is the union of the two shapes of an error (INTERFACE.md, Errors and Token endpoint errors) and of
// that of RFC 9457, which gateways send. Every field is read by itself, so that an odd one does not hide the others.
// Other has all further fields, or nil.
type errorDocument struct {
	Code             jsontext.Value `json:"code"`
	Message          jsontext.Value `json:"message"`
	Data             jsontext.Value `json:"data"`
	Error            jsontext.Value `json:"error"`
	ErrorDescription jsontext.Value `json:"error_description"`
	Title            jsontext.Value `json:"title"`
	Detail           jsontext.Value `json:"detail"`
	StatusCode       jsontext.Value `json:"statusCode"`
	Other            jsontext.Value `json:",embed"`
}

// problem returns the title and the detail of RFC 9457, or the one that is present.
func (d *errorDocument) problem() string {
	title, detail := textOf(d.Title), textOf(d.Detail)
	if title != "" && detail != "" {
		return strings.TrimSuffix(title, ".") + ": " + detail
	}
	return title + detail
}

// words returns the code and the message of a document, or the members in their place if it is of a token endpoint or
// of a gateway. A number is not a code of the service: gateways send the status or one of gRPC there.
func (d *errorDocument) words(status int, ofToken bool) (code, message string) {
	message = textOf(d.Message)
	reason, description := textOf(d.Error), textOf(d.ErrorDescription)
	if d.Code.Kind() == jsontext.KindString {
		code = textOf(d.Code)
	}
	// The deprecated `error` of the interface is the reason phrase, which the status says already.
	if strings.EqualFold(reason, http.StatusText(status)) {
		reason = ""
	}
	if ofToken || description != "" {
		message = cmp.Or(message, description)
		if isWord := d.Error.Kind() == jsontext.KindString && !strings.Contains(reason, " "); isWord {
			code, reason = cmp.Or(code, reason), ""
		}
	}
	return code, cmp.Or(message, d.problem(), reason)
}

// apiError describes an answer that refuses a request. The status survives any body.
func (c *Client) apiError(at Endpoint, answer *http.Response, body []byte) *APIError {
	header := answer.Header
	if at.OfToken() {
		c.hideTokens(string(body) + " " + header.Get("Location"))
	}
	e := &APIError{
		Endpoint:  at,
		Status:    answer.StatusCode,
		RequestID: requestID(c.mask, header),
		Location:  c.mask.Tidy(header.Get("Location"), maxExcerpt),
		Asked:     c.asked.Load(),
	}
	e.RetryAfter, _ = contract.RetryAfter(header, time.Now())
	var document errorDocument
	if json.Unmarshal(body, &document, lenient) != nil {
		scheme := c.mask.Tidy(header.Get("WWW-Authenticate"), maxExcerpt)
		e.Message = cmp.Or(c.mask.Tidy(excerpt(body, header), maxExcerpt), scheme)
		if scheme != "" && scheme != e.Message {
			e.Data = "WWW-Authenticate: " + scheme
		}
		return e
	}
	code, message := document.words(e.Status, e.OfToken())
	e.Code, e.ShownCode = code, c.shownCode(cmp.Or(code, textOf(document.Code)))
	e.Message = c.mask.Tidy(message, maxMessage)
	e.Issues = c.issues(document.Data)
	switch {
	case e.Message == "" && document.Other != nil:
		e.Message = c.mask.Tidy(textOf(body), maxExcerpt)
	case len(e.Issues) == 0:
		e.Data = c.mask.Tidy(cmp.Or(textOf(document.Data), textOf(document.Other)), maxData)
	}
	return e
}

// hideTokens masks the tokens in a refusal of the token endpoint, which only a service at odds with itself sends: as
// JSON or as a form.
func (c *Client) hideTokens(text string) {
	token := regexp.MustCompile(`(?i)(?:access|refresh|id)_?token"?\s*[:=]\s*(?:("(?:[^"\\]|\\.)*")|"?([^\s"&,;}]+))`)
	for _, found := range token.FindAllStringSubmatch(text, -1) {
		c.mask.Add(cmp.Or(textOf(jsontext.Value(found[1])), found[2]))
	}
}

// knownCodes are those of INTERFACE.md and of RFC 6749 §5.2.
var knownCodes = strings.Fields(`
	BAD_REQUEST VALIDATION_FAILED UNAUTHORIZED FORBIDDEN ORGANISATION_DISABLED NOT_FOUND REQUEST_TIMEOUT CONFLICT
	MODEL_RUN_OUTPUT_UNAVAILABLE RATE_LIMITED INTERNAL_ERROR BAD_GATEWAY
	invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope
	temporarily_unavailable`)

// shownCode returns a code without credentials. A known code is never masked, even if its end is the beginning of a
// secret.
func (c *Client) shownCode(code string) string {
	if slices.Contains(knownCodes, code) {
		return code
	}
	return c.mask.Tidy(code, maxWord)
}

// issues returns the rejected fields that an error lists in its data.
func (c *Client) issues(of jsontext.Value) (issues []Issue) {
	var data struct {
		Issues []struct {
			Field    jsontext.Value `json:"field"`
			Messages jsontext.Value `json:"messages"`
			Other    jsontext.Value `json:",embed"` // members that may say it instead
		} `json:"issues"`
	}
	if json.Unmarshal(of, &data, lenient) != nil {
		return nil
	}
	for _, issue := range data.Issues {
		var messages []jsontext.Value
		if json.Unmarshal(issue.Messages, &messages, lenient) != nil {
			messages = []jsontext.Value{issue.Messages, issue.Other}
		}
		seen := Issue{Field: c.mask.Tidy(textOf(issue.Field), maxWord)}
		for _, message := range messages {
			if plain := c.mask.Tidy(textOf(message), maxMessage); plain != "" {
				seen.Messages = append(seen.Messages, plain)
			}
		}
		issues = append(issues, seen)
	}
	return issues
}

// textOf returns a JSON string, or any other value as its JSON text, or "".
func textOf(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindInvalid, jsontext.KindNull:
		return ""
	case jsontext.KindString:
		plain, _ := jsontext.AppendUnquote(nil, value) // bytes that are not UTF-8 are replaced
		return string(plain)
	default:
		// Encoded again, so that an escape does not hide a credential.
		plain, _ := jsontext.AppendFormat(nil, value, lenient)
		return string(plain)
	}
}

// excerpt returns what to show of a body that is not an error document. Bytes that are not text are never shown.
func excerpt(body []byte, header http.Header) string {
	switch form := unreadable(body, header); {
	case form != "":
		return "a body that is " + form
	case isPage(body, header):
		return pageOf(body, true)
	}
	return string(body)
}

// pageOf describes a page of HTML by its title, or else by its text, if that may be shown.
func pageOf(body []byte, showText bool) string {
	if found := regexp.MustCompile(`(?i)<title[^>]*>\s*([^<\s][^<]*)`).FindSubmatch(body); found != nil {
		return htmlPage + " titled " + html.UnescapeString(string(found[1]))
	}
	const unseen = `(?is)<!--.*?(-->|\z)|<(script|style)\b.*?(</(script|style)\s*>|\z)|<[^>]*(>|\z)`
	text := regexp.MustCompile(unseen).ReplaceAllString(string(body), " ")
	if text = strings.TrimSpace(html.UnescapeString(text)); showText && text != "" {
		return htmlPage + " with the text " + text
	}
	return htmlPage
}

// isPage reports whether a body is a page of HTML. The body may be cut short.
func isPage(body []byte, header http.Header) bool {
	body = bytes.TrimSpace(body)
	isTagged := bytes.HasPrefix(body, []byte("<")) && !bytes.HasPrefix(body, []byte("<?xml"))
	isHTML := strings.HasPrefix(header.Get("Content-Type"), "text/html")
	return len(body) > 0 && (isTagged || isHTML)
}

const htmlPage = "a page of HTML"
