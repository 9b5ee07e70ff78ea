package catalogue

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

func TestALongPathIsCut(t *testing.T) {
	t.Parallel()
	at := Endpoint{Method: "GET", Origin: "https://c.example", Path: "/v1/model-group/" + strings.Repeat("x", 3000)}
	if got := at.String(); got != "GET https://c.example/v1/model-group/"+strings.Repeat("x", 184)+"…" {
		t.Error(got)
	}
}

// teapot returns the error for an answer of status 418, made by a client whose mask has the secret.
func teapot(method, contentType, body, secret string) *APIError {
	s := &sender{mask: &redact.Mask{}}
	s.mask.Add(secret)
	response := &http.Response{StatusCode: http.StatusTeapot, Header: http.Header{"Content-Type": {contentType}}}
	return s.apiError(Endpoint{Method: method, Path: "/v1"}, response, []byte(body))
}

var deepBody = strings.Repeat(`{"data":`, 20000) + "1" + strings.Repeat("}", 20000)

// errorBodies are bodies of answers other than 200, and what they say.
var errorBodies = map[string]struct {
	method, contentType, body string
	code, message             string
	issues                    []Issue
	data                      string
}{
	"as documented": {"GET", "", `{"code":"NOT_FOUND","message":"No.","statusCode":404,"error":"Not Found"}`, "NOT_FOUND", "No.", nil, ""},
	"issues": {
		"GET", "", `{"code":"C","message":"M","data":{"issues":[{"field":"a.b","messages":["too long","odd"]},{"field":"c","messages":[]}]}}`,
		"C", "M",
		[]Issue{{Field: "a.b", Messages: []string{"too long", "odd"}}, {Field: "c"}},
		"",
	},
	"odd types": {"GET", "", `{"code":7,"message":["a"],"data":{"issues":"none"}}`, "7", `["a"]`, nil, `{"issues":"none"}`},
	"data": {
		"GET", "", `{"code":"CONFLICT","message":"M","data":{ "run" : {"id": 12345678901234567890, "by":"correct-horse"}}}`,
		"CONFLICT", "M", nil, `{"run":{"id":12345678901234567890,"by":"***"}}`,
	},
	"long data":       {"GET", "", `{"data":"` + strings.Repeat("é", 5000) + `"}`, "", "", nil, strings.Repeat("é", maxData) + "…"},
	"no data":         {"GET", "", `{"code":"C","data":null}`, "C", "", nil, ""},
	"no code":         {"GET", "", `{"message":"Something."}`, "", "Something.", nil, ""},
	"only a reason":   {"GET", "", `{"statusCode":404,"error":"Not Found"}`, "", "", nil, ""},
	"OAuth":           {"POST", "", `{"error":"invalid_client","error_description":"Revoked."}`, "invalid_client", "Revoked.", nil, ""},
	"OAuth, no words": {"POST", "", `{"error":"invalid_client"}`, "invalid_client", "", nil, ""},
	"empty":           {"GET", "", "", "", "", nil, ""},
	"a list":          {"GET", "", `[1]`, "", "[1]", nil, ""},
	"HTML":            {"GET", "text/html", "<html><title>Bad\nGateway</title></html>", "", "a page of HTML titled Bad Gateway", nil, ""},
	"HTML, no title":  {"GET", "", "<!doctype html><HTML>", "", "a page of HTML", nil, ""},
	"no UTF-8":        {"GET", "", "\xff\xfe broken \x1b[31m red", "", "broken [31m red", nil, ""},
	"huge":            {"GET", "", strings.Repeat("x", maxErrorBody), "", strings.Repeat("x", maxExcerpt) + "…", nil, ""},
	"deep":            {"GET", "", deepBody, "", deepBody[:maxExcerpt] + "…", nil, ""},
	"long message":    {"GET", "", `{"message":"` + strings.Repeat("é", 5000) + `"}`, "", strings.Repeat("é", maxMessage) + "…", nil, ""},
}

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	for name, test := range errorBodies {
		want := &APIError{Status: 418, Code: test.code, Message: test.message, Issues: test.issues, Data: test.data}
		want.Endpoint = Endpoint{Method: test.method, Path: "/v1"}
		if got := teapot(test.method, test.contentType, test.body, "correct-horse"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", name, got, want)
		}
	}
}

func TestSentinelsAreDecidedByStatusAndKnownCodes(t *testing.T) {
	t.Parallel()
	all := []error{ErrInvalidRequest, ErrOrganisationDisabled, ErrNotFound, ErrRateLimited, ErrUnavailable}
	for _, test := range []struct {
		status int
		code   string
		want   error
	}{
		{400, "BRAND_NEW", ErrInvalidRequest},
		{422, "", ErrInvalidRequest},
		{401, "UNAUTHORIZED", nil},
		{403, "FORBIDDEN", nil},
		{403, "ORGANISATION_DISABLED", ErrOrganisationDisabled},
		{404, "", ErrNotFound},
		{429, "RATE_LIMITED", ErrRateLimited},
		{408, "", ErrUnavailable},
		{500, "NOT_FOUND", ErrUnavailable},
		{502, "ORGANISATION_DISABLED", ErrUnavailable},
		{503, "", ErrUnavailable},
		{409, "CONFLICT", nil},
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
	for length := maxErrorBody - 64; length <= maxErrorBody; length += 16 {
		for _, at := range []int{length - 10, length - 16<<10 - 10} {
			body := (strings.Repeat(" ", at) + secret + strings.Repeat(" ", maxErrorBody))[:length]
			if got := teapot(http.MethodGet, "", body, secret); strings.Contains(got.Message, "correct") {
				t.Errorf("cut at %d: %q", length, got.Message)
			}
		}
	}
}
