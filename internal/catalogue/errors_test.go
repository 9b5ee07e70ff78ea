package catalogue

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
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
			body: `{"code":"VALIDATION_FAILED","message":"2 fields.","data":{"issues":[{"field":"a.b","messages":["too long","odd"]},{"field":"c","messages":[]}]}}`,
			want: APIError{Code: "VALIDATION_FAILED", Message: "2 fields.", Issues: []Issue{{"a.b", []string{"too long", "odd"}}, {"c", nil}}},
		},
		"odd types":       {body: `{"code":7,"message":["a"],"data":{"issues":"none"}}`, want: APIError{Code: "7", Message: `["a"]`}},
		"no code":         {body: `{"message":"Something."}`, want: APIError{Message: "Something."}},
		"reason alone":    {body: `{"statusCode":404,"error":"Not Found"}`},
		"OAuth":           {method: http.MethodPost, body: `{"error":"invalid_client","error_description":"Revoked."}`, want: APIError{Code: "invalid_client", Message: "Revoked."}},
		"OAuth, no words": {method: http.MethodPost, body: `{"error":"invalid_client"}`, want: APIError{Code: "invalid_client"}},
		"empty":           {body: ""},
		"a list":          {body: `[1]`, want: APIError{Message: "[1]"}},
		"HTML":            {contentType: "text/html", body: "<html><head><title>502 Bad\nGateway</title></head></html>", want: APIError{Message: "a page of HTML titled 502 Bad Gateway"}},
		"HTML, no title":  {body: "<!doctype html><HTML>", want: APIError{Message: "a page of HTML"}},
		"no UTF-8":        {body: "\xff\xfe broken \x1b[31m red", want: APIError{Message: "broken [31m red"}},
		"huge":            {body: strings.Repeat("x", maxErrorBody), want: APIError{Message: strings.Repeat("x", maxExcerpt) + "…"}},
		"deep":            {body: deep, want: APIError{Message: deep[:maxExcerpt] + "…"}},
		"long message":    {body: `{"message":"` + strings.Repeat("é", 5000) + `"}`, want: APIError{Message: strings.Repeat("é", maxMessage) + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &sender{mask: &mask{}}
			got := c.apiError(Endpoint{Method: test.method, Path: "/v1"}, &http.Response{StatusCode: http.StatusTeapot, Header: http.Header{"Content-Type": {test.contentType}}}, []byte(test.body))
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
		{400, "BAD_REQUEST", ErrInvalidRequest},
		{400, "BRAND_NEW", ErrInvalidRequest},
		{401, "UNAUTHORIZED", ErrUnauthorized},
		{403, "FORBIDDEN", ErrForbidden},
		{403, "BRAND_NEW", ErrForbidden},
		{403, "ORGANISATION_DISABLED", ErrOrganisationDisabled},
		{404, "", ErrNotFound},
		{404, "BRAND_NEW", ErrNotFound},
		{429, "RATE_LIMITED", ErrRateLimited},
		{408, "", ErrUnavailable},
		{500, "NOT_FOUND", ErrUnavailable},
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

func TestMaskRemovesEverySpelling(t *testing.T) {
	t.Parallel()
	const secret = `s3cr&t "/+?é`
	var m mask
	m.add(secret)
	m.add("token-abcdefgh")
	for _, text := range []string{
		secret, url.QueryEscape(secret), strings.ToLower(url.QueryEscape(secret)), url.PathEscape(secret),
		`{"echo":"s3cr&t \"/+?é"}`, "s3cr&amp;t &#34;/+?é",
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"Bearer token-abcdefgh",
	} {
		got := m.clean("before " + text + " after")
		if !strings.Contains(got, masked) || strings.Contains(got, "3cr") || strings.Contains(got, "abcdefgh") || !strings.HasSuffix(got, " after") {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, around := range []string{"", "i", "id", "id:", "id:x", "id:xy"} {
		blob := base64.StdEncoding.EncodeToString([]byte(around + secret + around))
		if got := m.clean(blob); !strings.Contains(got, masked) || len(got) > len(blob)-len(secret)+2 {
			t.Errorf("%q around the secret in base64: %s of %s", around, got, blob)
		}
	}
	if got := m.clean("nothing to hide"); got != "nothing to hide" {
		t.Errorf("%q", got)
	}
}
