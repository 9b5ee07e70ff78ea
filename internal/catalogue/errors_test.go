package catalogue

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"data":`, 20000) + "1" + strings.Repeat("}", 20000)
	for name, test := range map[string]struct {
		method, contentType, body string
		want                      APIError
	}{
		"as documented": {
			body: `{"code":"NOT_FOUND","message":"No such group.","statusCode":404,"error":"Not Found"}`,
			want: APIError{Code: "NOT_FOUND", Message: "No such group."},
		},
		"issues": {
			body: `{"code":"VALIDATION_FAILED","message":"2 fields.","data":{"issues":[` +
				`{"field":"a.b","messages":["too long","odd"]},{"field":"c","messages":[]}]}}`,
			want: APIError{
				Code: "VALIDATION_FAILED", Message: "2 fields.", Issues: []Issue{{Field: "a.b", Messages: []string{"too long", "odd"}}, {Field: "c"}},
			},
		},
		"odd types":     {body: `{"code":7,"message":["a"],"data":{"issues":"none"}}`, want: APIError{Code: "7", Message: `["a"]`}},
		"no code":       {body: `{"message":"Something."}`, want: APIError{Message: "Something."}},
		"only a reason": {body: `{"statusCode":404,"error":"Not Found"}`},
		"OAuth": {
			method: http.MethodPost, body: `{"error":"invalid_client","error_description":"Revoked."}`,
			want: APIError{Code: "invalid_client", Message: "Revoked."},
		},
		"OAuth, no words": {method: http.MethodPost, body: `{"error":"invalid_client"}`, want: APIError{Code: "invalid_client"}},
		"empty":           {body: ""},
		"a list":          {body: `[1]`, want: APIError{Message: "[1]"}},
		"HTML": {
			contentType: "text/html", body: "<html><head><title>502 Bad\nGateway</title></head></html>",
			want: APIError{Message: "a page of HTML titled 502 Bad Gateway"},
		},
		"HTML, no title": {body: "<!doctype html><HTML>", want: APIError{Message: "a page of HTML"}},
		"no UTF-8":       {body: "\xff\xfe broken \x1b[31m red", want: APIError{Message: "broken [31m red"}},
		"huge":           {body: strings.Repeat("x", maxErrorBody), want: APIError{Message: strings.Repeat("x", maxExcerpt) + "…"}},
		"deep":           {body: deep, want: APIError{Message: deep[:maxExcerpt] + "…"}},
		"long message": {
			body: `{"message":"` + strings.Repeat("é", 5000) + `"}`, want: APIError{Message: strings.Repeat("é", maxMessage) + "…"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &sender{mask: &redact.Mask{}}
			got := c.apiError(
				Endpoint{Method: test.method, Path: "/v1"},
				&http.Response{StatusCode: http.StatusTeapot, Header: http.Header{"Content-Type": {test.contentType}}}, []byte(test.body),
			)
			if got.Status != 418 || got.Code != test.want.Code || got.Message != test.want.Message {
				t.Errorf("%+v\nwant %+v", got, test.want)
			}
			if len(got.Issues) != len(test.want.Issues) {
				t.Fatalf("issues %v, want %v", got.Issues, test.want.Issues)
			}
			for i, issue := range got.Issues {
				if issue.Field != test.want.Issues[i].Field || strings.Join(issue.Messages, "|") != strings.Join(test.want.Issues[i].Messages, "|") {
					t.Errorf("issue %v, want %v", issue, test.want.Issues[i])
				}
			}
		})
	}
}

func TestSentinelsAreDecidedByStatusAndKnownCodes(t *testing.T) {
	t.Parallel()
	all := []error{ErrInvalidRequest, ErrUnauthorized, ErrForbidden, ErrOrganisationDisabled, ErrNotFound, ErrRateLimited, ErrUnavailable}
	for _, test := range []struct {
		status int
		code   string
		want   error
	}{
		{status: 400, code: "BAD_REQUEST", want: ErrInvalidRequest},
		{status: 400, code: "BRAND_NEW", want: ErrInvalidRequest},
		{status: 401, code: "UNAUTHORIZED", want: ErrUnauthorized},
		{status: 403, code: "FORBIDDEN", want: ErrForbidden},
		{status: 403, code: "BRAND_NEW", want: ErrForbidden},
		{status: 403, code: "ORGANISATION_DISABLED", want: ErrOrganisationDisabled},
		{status: 404, want: ErrNotFound},
		{status: 404, code: "BRAND_NEW", want: ErrNotFound},
		{status: 429, code: "RATE_LIMITED", want: ErrRateLimited},
		{status: 408, want: ErrUnavailable},
		{status: 500, code: "NOT_FOUND", want: ErrUnavailable},
		{status: 503, want: ErrUnavailable},
		{status: 409, code: "CONFLICT"},
	} {
		for _, sentinel := range all {
			if got := errors.Is(&APIError{Status: test.status, Code: test.code}, sentinel); got != errors.Is(sentinel, test.want) {
				t.Errorf("%d %s is %q: %t", test.status, test.code, sentinel, got)
			}
		}
	}
}

// TestABodyThatWasCutShowsNoPartOfASecret has a secret at the end of what is
// read of a body, behind white space that is folded away.
func TestABodyThatWasCutShowsNoPartOfASecret(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery"
	c := &sender{mask: &redact.Mask{}}
	c.mask.Add(secret)
	for length := maxErrorBody - 64; length <= maxErrorBody; length += 16 {
		for _, at := range []int{length - 10, length - 16<<10 - 10} {
			body := []byte(strings.Repeat(" ", at) + secret + strings.Repeat(" ", maxErrorBody))[:length]
			got := c.apiError(
				Endpoint{Method: http.MethodGet, Path: "/v1"}, &http.Response{StatusCode: http.StatusBadGateway, Header: http.Header{}}, body,
			)
			if strings.Contains(got.Message, "correct") {
				t.Errorf("cut at %d: %q", length, got.Message)
			}
		}
	}
}

// TestWhatIsInPlaceOfAToken names fields and tells no value.
func TestWhatIsInPlaceOfAToken(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery"
	s := &sender{mask: &redact.Mask{}}
	s.mask.Add(secret)
	many := `{"` + strings.Join(strings.Split("abcdefghijklmno", ""), `":"hidden","`) + `":"hidden"}`
	for body, want := range map[string]string{
		"":                                      "empty",
		" \n ":                                  "empty",
		"access_token=hidden&token_type=bearer": "text and not JSON",
		`{"accessToken":"hidden","expiresIn":3600}`:     "a JSON object without access_token (it has: accessToken, expiresIn)",
		`{"access_token":["hidden"],"expires_in":3600}`: "a JSON object whose access_token is a list",
		`{"access_token":""}`:                           "a JSON object whose access_token is an empty string",
		`{"access_token":null}`:                         "a JSON object whose access_token is null",
		`{}`:                                            "an empty JSON object",
		`["hidden"]`:                                    "JSON, but a list and not an object",
		`"hidden"`:                                      "JSON, but a string and not an object",
		`null`:                                          "JSON, but null and not an object",
		"<html><title>Sign in</title>hidden</html>": "a page of HTML titled Sign in",
		many: "a JSON object without access_token (it has: a, b, c, d, e, f, g, h, i, j, 5 more)",
		`{"\u001b[31m` + secret + `":1,"\u202e":2}`: "a JSON object without access_token (it has: [31m***, )",
		`{"` + strings.Repeat("é", 500) + `":1,"` + secret + `":2}`: "a JSON object without access_token (it has: ***, " +
			strings.Repeat("é", maxWord) + "…)",
	} {
		if got := s.inPlaceOf("access_token", []byte(body), http.Header{}); got != want {
			t.Errorf("%.80s: %s\nwant %s", body, got, want)
		}
	}
}
