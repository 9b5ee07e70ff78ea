package catalogue

import (
	"cmp"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// teapot returns the error for an answer of status 418, made by a client whose mask has the secret.
func teapot(method, contentType, body, secret string) *APIError {
	s := &Client{mask: &redact.Mask{}}
	s.mask.Add(secret)
	answer := &http.Response{StatusCode: http.StatusTeapot, Header: http.Header{"Content-Type": {contentType}}}
	return s.apiError(Endpoint{Method: method, Path: "/v1"}, answer, []byte(body))
}

var deepBody = strings.Repeat(`{"data":`, 20000) + "1" + strings.Repeat("}", 20000)

// errorBody is the body of an answer other than 200, and its meaning.
type errorBody struct {
	method      string // GET if it is empty
	contentType string
	body        string

	code    string
	shown   string // in place of an unusable code
	message string
	issues  []Issue
	data    string
}

const problemJSON = "application/problem+json"

var errorBodies = map[string]errorBody{
	"as documented": {
		body:    `{"code":"NOT_FOUND","message":"No.","statusCode":404,"error":"Not Found"}`,
		code:    "NOT_FOUND",
		message: "No.",
	},
	"issues": {
		body: `{"code":"C","message":"M","data":{"issues":[
			{"field":"a.b","messages":["too long","odd"]},{"field":"c","messages":[]}]}}`,
		code:    "C",
		message: "M",
		issues:  []Issue{{Field: "a.b", Messages: []string{"too long", "odd"}}, {Field: "c"}},
	},
	"a message in place of messages": {
		body:    `{"code":"C","message":"M","data":{"issues":[{"field":"a","messages":"too long"},{"field":7},{"path":"b"},{}]}}`,
		code:    "C",
		message: "M",
		issues:  []Issue{{Field: "a", Messages: []string{"too long"}}, {Field: "7"}, {Messages: []string{`{"path":"b"}`}}, {}},
	},
	"odd types": {
		body:    `{"code":7,"message":["a"],"data":{"issues":"none"}}`,
		shown:   "7",
		message: `["a"]`,
		data:    `{"issues":"none"}`,
	},
	"data": {
		body:    `{"code":"C","message":"M","data":{ "run" : {"id": 12345678901234567890, "by":"correct-horse"}}}`,
		code:    "C",
		message: "M",
		data:    `{"run":{"id":12345678901234567890,"by":"***"}}`,
	},
	"long data": {
		body: `{"data":"` + strings.Repeat("é", 5000) + `"}`,
		data: strings.Repeat("é", maxData) + "…",
	},
	"no data":        {body: `{"code":"C","data":null}`, code: "C"},
	"only a reason":  {body: `{"statusCode":418,"error":"I'm a teapot"}`},
	"another reason": {body: `{"error":"Quota of the key is over"}`, message: "Quota of the key is over"},
	"an error of another shape": {
		body:    `{"fault": {"faultstring": "Invalid ApiKey correct-horse"}}`,
		message: `{"fault":{"faultstring":"Invalid ApiKey ***"}}`,
	},
	"a problem": {
		contentType: problemJSON,
		body:        `{"title":"Bad.","detail":"No id.","errors":{"id":["correct-horse"]}}`,
		message:     "Bad: No id.",
		data:        `{"errors":{"id":["***"]}}`,
	},
	"only a title":          {contentType: problemJSON, body: `{"title":"Bad"}`, message: "Bad"},
	"only a detail":         {contentType: "application/json", body: `{"detail":"No id."}`, message: "No id."},
	"a message and a title": {body: `{"message":"M","title":"T","detail":"D"}`, message: "M"},
	"OAuth": {
		body:    `{"error":"invalid_client","error_description":"Revoked."}`,
		code:    "invalid_client",
		message: "Revoked.",
	},
	"a sentence in place of a code": {method: "POST", body: `{"error":"Realm does not exist"}`, message: "Realm does not exist"},
	"a token's reason phrase":       {method: "POST", body: `{"error":"I'm a teapot","message":"M"}`, message: "M"},
	"a code of a gateway's":         {method: "POST", body: `{"code":"AccessDenied","message":"M"}`, shown: "AccessDenied", message: "M"},
	"a code of OAuth's":             {method: "POST", body: `{"code":"invalid_client"}`, code: "invalid_client"},
	"empty":                         {body: ""},
	"HTML":                          {body: "<HTML><p><TITLE>Bad\nGateway</TITLE>", message: `a page of HTML titled "Bad Gateway"`},
	"HTML, no title": {
		contentType: "text/html",
		body:        "<title> </title><script>var a</script><STYLE>a</STYLE><h1>503</h1>No server.<br>",
		message:     `a page of HTML with the text "503 No server."`,
	},
	"XML": {
		contentType: "application/xml",
		body:        `<am:fault xmlns:am="http://wso2.org/"><am:code>900908</am:code><am:text>correct&#45;horse</am:text></am:fault>`,
		message:     `a document of XML with the text "900908 ***"`,
	},
	"XHTML": {
		contentType: "application/xhtml+xml",
		body:        `<?xml version="1.0"?><html><title>Sign in</title></html>`,
		message:     `a page of HTML titled "Sign in"`,
	},
	"HTML, no words":      {body: "<!doctype html><HTML><title></title>", message: "a page of HTML"},
	"HTML, cut short":     {body: "<p", message: "a page of HTML"},
	"HTML, white space":   {body: "\r\n<title lang=\"en\">Sign&nbsp;in</title>", message: `a page of HTML titled "Sign in"`},
	"HTML, a late title":  {body: "<link rel=icon>" + strings.Repeat(" ", 900) + "<title>Portal", message: `a page of HTML titled "Portal"`},
	"HTML with a comment": {body: "<!-- a > b --><p>Turn on scripts.<script>y", message: `a page of HTML with the text "Turn on scripts."`},
	"XML without a label": {body: "<?xml version='1.0'?><Error/>", message: "a document of XML"},
	"a terminal's":        {body: "broken \x1b[31m red", message: "broken [31m red"},
	"Latin-1":             {body: "Acc\xe8s refus\xe9", message: "Acc s refus"},
	"deep":                {body: deepBody, message: deepBody[:maxExcerpt] + "…"},
	"long message": {
		body:    `{"message":"` + strings.Repeat("é", 5000) + `"}`,
		message: strings.Repeat("é", maxMessage) + "…",
	},
}

// A known code is not masked, even if its end is the beginning of a credential.
func TestKnownCodesAreShown(t *testing.T) {
	t.Parallel()
	for code, shown := range map[string]string{"invalid_client": "invalid_client", "other_client": "other_***"} {
		if got := teapot(http.MethodPost, "", `{"error":"`+code+`"}`, "client-secret").ShownCode; got != shown {
			t.Errorf("%s: %s, want %s", code, got, shown)
		}
	}
}

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	for name, test := range errorBodies {
		method := cmp.Or(test.method, http.MethodGet)
		want := &APIError{
			Endpoint:  Endpoint{Method: method, Path: "/v1"},
			Status:    http.StatusTeapot,
			Code:      test.code,
			ShownCode: cmp.Or(test.shown, test.code),
			Message:   test.message,
			Issues:    test.issues,
			Data:      test.data,
		}
		got := teapot(method, test.contentType, test.body, "correct-horse")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", name, got, want)
		}
	}
}

// A refusal keeps its challenge, whatever its body is. A redirect may have a token behind its path.
func TestHeadersOfARefusal(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", `{"message":"M"}`, "<p>"} {
		c := New(configFor(t, "http://localhost", Config{ClientSecret: "correct-horse"}))
		got := c.apiError(Endpoint{}, &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{
			"Www-Authenticate": {"Basic", `Key name="correct-horse"`},
			"Location":         {"https://l.example/a?code=1#access_token=2"},
		}}, []byte(body))
		if got.Challenge != `Basic, Key name="***"` || got.Location != "https://l.example/a" {
			t.Errorf("%q, %q", got.Challenge, got.Location)
		}
	}
}

// The status decides which sentinel a refusal matches, or a known code. Anything in front of the service may have sent
// one without a code of the service.
func TestWhatARefusalIs(t *testing.T) {
	t.Parallel()
	sentinels := []error{ErrInvalidRequest, ErrOrganisationDisabled, ErrNotFound, ErrRateLimited, ErrUnavailable}
	for _, test := range []struct {
		status int
		code   string
		want   error
		front  string // the methods whose refusal may be of a gateway
	}{
		{302, "", nil, ""},
		{400, "", ErrInvalidRequest, "GET POST"},
		{401, "", nil, "GET POST"},
		{401, "UNAUTHORIZED", nil, ""},
		{401, "invalid_client", nil, "GET"},
		{401, "900902", nil, "GET POST"},
		{403, "", nil, "GET POST"},
		{403, "BRAND_NEW_2", nil, ""},
		{403, "ORGANISATION_DISABLED", ErrOrganisationDisabled, ""},
		{404, "", ErrNotFound, ""},
		{405, "", nil, ""},
		{408, "", ErrUnavailable, ""},
		{409, "CONFLICT", nil, ""},
		{422, "", ErrInvalidRequest, "GET POST"},
		{429, "", ErrRateLimited, ""},
		{499, "", nil, "GET POST"},
		{500, "NOT_FOUND", ErrUnavailable, ""},
		{502, "ORGANISATION_DISABLED", ErrUnavailable, ""},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			e := &APIError{Endpoint: Endpoint{Method: method}, Status: test.status, Code: test.code}
			if e.MayBeOfGateway() != strings.Contains(test.front, method) {
				t.Errorf("%s, %d %s may be of a gateway: %t", method, test.status, test.code, e.MayBeOfGateway())
			}
			for _, sentinel := range sentinels {
				if got := errors.Is(e, sentinel); got != errors.Is(sentinel, test.want) {
					t.Errorf("%d %s is %q: %t", test.status, test.code, sentinel, got)
				}
			}
		}
	}
}

// A secret stands at the end of the part of a body to be read, behind white space to be folded away.
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
