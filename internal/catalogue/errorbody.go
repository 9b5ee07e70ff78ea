package catalogue

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// Bounds of what is taken from an answer, the first three in bytes and the rest in characters.
const (
	maxErrorBody = 1 << 20
	maxHead      = 1 << 10  // of a 200
	maxTidied    = 64 << 10 // of a text that is searched for credentials, far more than is shown
	maxMessage   = 1000     // of the service, in ours
	maxData      = 500      // the data of an error
	maxExcerpt   = 200      // of a body that is no error document
	maxWord      = 100      // a code, a field's name and the like
)

// errorDocument is the union of the two shapes of an error (INTERFACE.md, Errors and Token endpoint errors). Every
// field is taken for itself, so that one odd field hides no other.
type errorDocument struct {
	Code             jsontext.Value `json:"code"`
	Message          jsontext.Value `json:"message"`
	Data             jsontext.Value `json:"data"`
	Error            jsontext.Value `json:"error"`
	ErrorDescription jsontext.Value `json:"error_description"`
}

// apiError describes an answer other than 200. Whatever its body is, the status stays.
func (s *sender) apiError(at Endpoint, response *http.Response, body []byte) *APIError {
	e := &APIError{
		Endpoint:  at,
		Status:    response.StatusCode,
		RequestID: s.requestID(response),
		Location:  s.tidy(response.Header.Get("Location"), maxExcerpt),
	}
	e.RetryAfter, _ = contract.RetryAfter(response.Header, time.Now())
	var document errorDocument
	if json.Unmarshal(body, &document, lenient) != nil {
		e.Message = s.tidy(page(body, response.Header), maxExcerpt)
		return e
	}
	e.Code, e.Message = s.tidy(text(document.Code), maxWord), s.tidy(text(document.Message), maxMessage)
	if e.Code == "" && e.Message == "" {
		// The shape of the token endpoint. On any other, `error` is the deprecated reason phrase, which the status
		// says already.
		if description := text(document.ErrorDescription); description != "" || e.Method == http.MethodPost {
			e.Code, e.Message = s.tidy(text(document.Error), maxWord), s.tidy(description, maxMessage)
		}
	}
	if e.Issues = s.issues(document.Data); len(e.Issues) == 0 {
		e.Data = s.tidy(text(document.Data), maxData)
	}
	return e
}

// issues returns the rejected fields that an error lists in its data.
func (s *sender) issues(of jsontext.Value) (issues []Issue) {
	var data struct {
		Issues []struct {
			Field    jsontext.Value   `json:"field"`
			Messages []jsontext.Value `json:"messages"`
		} `json:"issues"`
	}
	if json.Unmarshal(of, &data, lenient) != nil {
		return nil
	}
	for _, issue := range data.Issues {
		seen := Issue{Field: s.tidy(text(issue.Field), maxWord)}
		for _, message := range issue.Messages {
			seen.Messages = append(seen.Messages, s.tidy(text(message), maxMessage))
		}
		issues = append(issues, seen)
	}
	return issues
}

// text returns a JSON string, or any other value as its JSON text, or "".
func text(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindInvalid, jsontext.KindNull:
		return ""
	case jsontext.KindString:
		plain, _ := jsontext.AppendUnquote(nil, value) // what is no UTF-8 is replaced
		return string(plain)
	default:
		// Encoded again, so that no credential hides behind an escape.
		plain, _ := jsontext.AppendFormat(nil, value, lenient)
		return string(plain)
	}
}

// page returns what to show of a body that is no error document: of a page of HTML only that it is one, and its title.
func page(raw []byte, header http.Header) string {
	body := string(raw)
	isPage := strings.HasPrefix(header.Get("Content-Type"), "text/html")
	if !isPage && !strings.Contains(strings.ToLower(body), "<html") {
		return body
	}
	if title := htmlTitle.FindStringSubmatch(body); title != nil {
		return htmlPage + " titled " + title[1]
	}
	return htmlPage
}

var htmlTitle = regexp.MustCompile(`(?i)<title>([^<]*)<`)

// htmlPage stands for a body that is one.
const htmlPage = "a page of HTML"
