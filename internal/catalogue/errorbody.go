package catalogue

import (
	"bytes"
	"cmp"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Limits of the parts of an answer to keep, the first two in bytes and the rest in characters.
const (
	maxErrorBody = 1 << 20
	maxHead      = 1 << 10 // of a 200
	maxMessage   = 1000    // of the service, in ours
	maxData      = 500     // the data of an error
	maxExcerpt   = 200     // of any other body
	maxWord      = 100     // a code, a field's name and the like
)

// errorDocument is the union of the interface's two error shapes (INTERFACE.md, Errors and Token endpoint errors) and
// the one of RFC 9457, common among gateways. Each field is decoded alone, so an odd one does not hide the others.
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

// problem returns the title and the detail of RFC 9457, if present.
func (d *errorDocument) problem() string {
	title, detail := textOf(d.Title), textOf(d.Detail)
	if title != "" && detail != "" {
		return strings.TrimSuffix(title, ".") + ": " + detail
	}
	return title + detail
}

// ofToken returns the strings and numbers to show of a refusal of the token endpoint: any other member may be a token.
func (d *errorDocument) ofToken() errorDocument {
	plain := func(value jsontext.Value) jsontext.Value {
		if kind := value.Kind(); kind == jsontext.KindString || kind == jsontext.KindNumber {
			return value
		}
		return nil
	}
	return errorDocument{
		Code:             plain(d.Code),
		Message:          plain(d.Message),
		Error:            plain(d.Error),
		ErrorDescription: plain(d.ErrorDescription),
	}
}

// codeOf returns the code of a document, or "". A number is not a code of the service: gateways send the status or a
// code of gRPC there. At the token endpoint, neither is a word that the service and OAuth do not have.
func (d *errorDocument) codeOf(ofToken bool) string {
	code := textOf(d.Code)
	isOther := ofToken && code != strings.ToUpper(code) && !slices.Contains(knownCodes, code)
	if d.Code.Kind() != jsontext.KindString || isOther {
		return ""
	}
	return code
}

// words returns the code and the message of a document, or their equivalents in a token endpoint's or a gateway's.
func (d *errorDocument) words(status int, ofToken bool) (code, message string) {
	reason, description := textOf(d.Error), textOf(d.ErrorDescription)
	code = d.codeOf(ofToken)
	// The interface's deprecated `error` is the reason phrase, redundant beside the status.
	if description == "" && strings.EqualFold(reason, http.StatusText(status)) {
		reason = ""
	}
	message = cmp.Or(textOf(d.Message), description, d.problem())
	isWord := d.Error.Kind() == jsontext.KindString && !strings.Contains(reason, " ")
	switch {
	case ofToken && isWord: // RFC 6749 §5.2
		return cmp.Or(reason, code), message
	case description != "" && isWord:
		return cmp.Or(code, reason), message
	}
	return code, cmp.Or(message, reason)
}

// apiError describes a refusal. The status survives any body.
func (c *Client) apiError(at Endpoint, answer *http.Response, body []byte) *APIError {
	header := answer.Header
	target, _, _ := strings.Cut(strings.ReplaceAll(header.Get("Location"), "#", "?"), "?") // a token may follow
	e := &APIError{
		Endpoint:  at,
		Status:    answer.StatusCode,
		RequestID: requestID(c.mask, header),
		Location:  c.mask.Tidy(target, maxExcerpt),
		Challenge: c.mask.Tidy(strings.Join(header.Values("WWW-Authenticate"), ", "), maxData),
		Asked:     c.asked.Load(),
	}
	e.RetryAfter, _ = contract.RetryAfter(header, time.Now())
	var document errorDocument
	if json.Unmarshal(body, &document, lenient) != nil {
		e.Message = c.excerpt(at, header, body)
		return e
	}
	if at.OfToken() {
		c.hideTokens(body)
		document = document.ofToken()
	}
	code, message := document.words(e.Status, at.OfToken())
	e.Code, e.ShownCode = code, c.shownCode(cmp.Or(code, textOf(document.Code)))
	e.Message = c.mask.Tidy(message, maxMessage)
	e.Issues = c.issues(document.Data)
	switch {
	case at.OfToken() && e.Message+e.ShownCode == "":
		e.Message = "a document of JSON" + notShown
	case e.Message == "" && document.Other != nil:
		e.Message = c.mask.Tidy(textOf(body), maxExcerpt)
	case len(e.Issues) == 0:
		e.Data = c.mask.Tidy(cmp.Or(textOf(document.Data), textOf(document.Other)), maxData)
	}
	return e
}

// hideTokens masks the first tokens in an answer of the token endpoint without a usable one, because its message may
// repeat them, even as a document in a text. Only a contradictory answer has any.
func (c *Client) hideTokens(body []byte) {
	const first = 10 // of many, each would be searched for in every text
	const name, value = `(?:access|refresh|id)_?token\\?"?`, `("(?:[^"\\]|\\.)*")|\\?"?([^\s"\\&,;}]+)`
	token := regexp.MustCompile(`(?i)` + name + `\s*[:=]\s*(?:` + value + `)`)
	for _, found := range token.FindAllStringSubmatch(string(body), first) {
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

// issues returns the rejected fields in the data of an error.
func (c *Client) issues(of jsontext.Value) (issues []Issue) {
	var data struct {
		Issues []struct {
			Field    jsontext.Value `json:"field"`
			Messages jsontext.Value `json:"messages"`
			Other    jsontext.Value `json:",embed"` // perhaps with the messages
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

// textOf returns the text of a JSON string, the JSON of any other value, or "" for null and no value.
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

// notShown follows the form of a hidden answer of the token endpoint.
const notShown = ", not shown because it may contain a token"

// excerpt describes a body other than an error document. It never shows bytes that are not text.
func (c *Client) excerpt(at Endpoint, header http.Header, body []byte) string {
	form := unreadable(body, header)
	document := documentOf(c.mask, body, header, at.OfToken())
	switch {
	case form != "":
		return "a body that is " + form
	case document != "":
		return document
	case at.OfToken() && len(body) > 0:
		return "a text" + notShown
	}
	return c.mask.Tidy(string(body), maxExcerpt)
}

// documentOf describes a page of HTML or a document of XML, whole or cut short, by its title or else its text. It
// returns "" for any other body. For the token endpoint it shows only a title without a word as long as a token.
func documentOf(mask *redact.Mask, body []byte, header http.Header, ofToken bool) string {
	body = bytes.TrimSpace(body)
	kind, how := kindOf(body, header.Get("Content-Type")), " with the text "
	if kind == "" {
		return ""
	}
	cleaned := mask.Clean(string(body)) // with its tags: a secret may look like one
	const unseen = `(?is)<!--.*?(-->|\z)|<(script|style)\b.*?(</(script|style)\s*>|\z)|<[^>]*(>|\z)`
	text := regexp.MustCompile(unseen).ReplaceAllString(cleaned, " ")
	title := regexp.MustCompile(`(?i)<title[^>]*>\s*([^<\s][^<]*)`).FindStringSubmatch(cleaned)
	if title != nil {
		how, text = " titled ", title[1]
	}
	text = mask.Tidy(html.UnescapeString(text), maxExcerpt)
	switch {
	case text == "":
		return kind
	case ofToken && (title == nil || !isPlain(text)):
		return kind + notShown
	}
	return kind + how + strconv.Quote(text)
}

// kindOf returns the kind of document that a body's label and beginning announce, or "".
func kindOf(body []byte, label string) string {
	isHTML, isTagged := strings.Contains(label, "html"), bytes.HasPrefix(body, []byte("<"))
	switch {
	case len(body) == 0, !isHTML && !isTagged:
		return ""
	case !isHTML && (strings.Contains(label, "xml") || bytes.HasPrefix(body, []byte("<?xml"))):
		return "a document of XML"
	}
	return "a page of HTML"
}

// isPlain reports whether all words of a text are shorter than a token.
func isPlain(text string) bool {
	const shortToken = 20
	return !slices.ContainsFunc(strings.Fields(text), func(word string) bool { return len(word) >= shortToken })
}
