package catalogue

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const tokenSecret = "hunter2!-northwind"

// tokenFaults are answers to a request for a token, and end the run. No secret of an answer is shown.
var tokenFaults = map[string]struct {
	status   int
	body     string
	requests int64 // two unless the answer shows that the service understood the form
	says     string
}{
	"invalid_client":           {401, `{"error":"invalid_client","error_description":"No."}`, 1, "401 Unauthorized, code invalid_client"},
	"invalid_client with 200":  {200, `{"error":"invalid_client","error_description":"No."}`, 1, "200 OK, code invalid_client: No."},
	"unauthorized_client":      {400, `{"error":"unauthorized_client"}`, 1, "code unauthorized_client"},
	"invalid_scope":            {400, `{"error":"invalid_scope"}`, 1, "code invalid_scope"},
	"invalid_request":          {400, `{"error":"invalid_request","error_description":"Odd."}`, 2, "code invalid_request: Odd."},
	"an unknown error and 403": {403, oddTokenError, 2, "403 Forbidden, code odd: New."},
	"an unknown error and 201": {201, oddTokenError, 1, "201 Created, code odd: New."},
	"empty":                    {400, "", 2, "400 Bad Request"},
	"a redirect":               {302, "", 1, "302 Found"},
	"no token":                 {200, `{"Access_Token":"hunter2!","b":1}`, 1, noToken + ` (it has: "Access_Token, b")`},
	"a token that is null":     {200, `{"access_token":null}`, 1, "the answer has a null access_token"},
	"an empty object":          {200, `{}`, 1, noToken + " (it is empty)"},
	"an empty token":           {200, `{"access_token":""}`, 1, "the token is empty"},
	"an empty body":            {200, "", 1, "the body is empty"},
	"a list":                   {200, `["hunter2!"]`, 1, "the answer is a list"},
	"a token in a list":        {200, `{"accessToken":["hunter2!"]}`, 1, "the answer's accessToken is a list"},
	"many fields": {
		200,
		`{"\u001b[31mhunter2!-northwind":1` + strings.Repeat(`,"é":2,"f":3,"g":4,"h":5`, 3) + `}`,
		1,
		noToken + ` (it has: "f, g, h, é")`,
	},
	"a token in a refusal":           {400, `{"error":"odd","access_token":"hunter2!x\/y","data":{"accessToken":"hunter2!z"}}`, 2, "code odd"},
	"a token in other words":         {403, `{"message":"hunter2!x","idToken":"hunter2!x"}`, 2, "403 Forbidden: ***"},
	"a token in a document in words": {403, `{"message":"{\"access_token\":\"hunter2!x\"}"}`, 2, `403 Forbidden: {"access_token":"***"}`},
	"a token in words of a success":  {200, `{"message":"id_token: hunter2!x"}`, 1, `its message is "id_token: ***"`},
	"a token that is cut short":      {403, `{"access_token": "hunter2!x`, 2, "403 Forbidden: a text, not shown"},
	"a token in a form of a refusal": {403, `access_token=hunter2!x&token_type=bearer`, 2, "403 Forbidden: a text, not shown"},
	"another error in a code":        {401, `{"error":"invalid_client","code":"E1"}`, 1, "code invalid_client"},
	"a token in other members":       {403, `{"title":"hunter2!x","detail":"hunter2!y"}`, 2, "403 Forbidden: a document of JSON, not shown"},
	"a token in a member": {
		403, `{"message":{"jwt":"hunter2!x"},"code":["hunter2!"]}`, 2,
		"403 Forbidden: a document of JSON, not shown",
	},
	"a token in a title":      {403, `<title>hunter2!-abcdefghijkl`, 2, "403 Forbidden: a page of HTML, not shown"},
	"a token in XML":          {403, `<?xml?><token>hunter2!</token>`, 2, "403 Forbidden: a document of XML, not shown"},
	"a token in a page":       {403, `<p>hunter2!`, 2, "403 Forbidden: a page of HTML, not shown"},
	"a token in an array":     {403, `["hunter2!"]`, 2, "403 Forbidden: a text, not shown"},
	"very many tokens":        {403, `{"message":"No.","x":"` + manyTokens() + `"}`, 2, "403 Forbidden: No."},
	"a token for a name":      {200, `{"hunter2!-abcdefghijkl":1}`, 1, noToken + " (it is empty)"},
	"a token for an odd name": {200, `{"hunter2!-abcdefghijkl":tru}`, 1, "the body is not valid JSON"},
	"a token of a long type":  {200, `{"access_token":"x","token_type":"hunter2!-abcdefghijkl"}`, 1, "the token is not a bearer token"},
	"an error that is false":  {200, `{"error":false}`, 1, noToken + ` (it has: "error")`},
	"a form":                  {200, `access_token=hunter2!&a=b`, 1, "the body is not valid JSON"},
	"very much":               {200, strings.Repeat(" ", maxErrorBody+1), 1, "larger than 1048576 bytes"},
	"another token type":      {200, `{"access_token":"hunter2!","token_type":"DPoP"}`, 1, `the token is of type "DPoP"`},
	"token and type swapped":  {200, `{"access_token":"Bearer","token_type":"hunter2!"}`, 1, `the token is not a bearer token`},
	"a token for its type":    {200, `{"access_token":"hunter2!","token_type":"hunter2!"}`, 1, `the token is not a bearer token`},
	"a page without a title":  {200, "\n<body>hunter2! is it</body>", 1, "the body is a page of HTML"},
	"a token of two lines":    {200, `{"access_token":"abcd\r\nhunter2!"}`, 1, "characters that a bearer token cannot have"},
}

const (
	oddTokenError = `{"error":"odd","error_description":"New."}`
	noToken       = "the answer has no access_token"
)

// manyTokens returns so many tokens that masking them one by one would take minutes.
func manyTokens() string {
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "idtoken=%06d&", i)
	}
	return text.String()
}

// All readers together make one request for a token, or two.
func TestTokenAnswersThatEndTheRun(t *testing.T) {
	t.Parallel()
	for name, test := range tokenFaults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			service := answering(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			})
			c := New(configFor(t, "http://localhost", Config{ClientSecret: tokenSecret, Transport: service}))
			var readers sync.WaitGroup
			for i := range 3 {
				readers.Go(func() {
					_, err := c.ModelGroup(t.Context(), fmt.Sprint(i))
					if rejected, ok := errors.AsType[*RejectedError](err); !ok || !strings.Contains(rejected.Error(), test.says) {
						t.Errorf("%v, want one that says %q", err, test.says)
					} else if strings.Contains(err.Error(), "hunter2!") {
						t.Errorf("it shows a secret: %v", err)
					}
				})
			}
			readers.Wait()
			if requests.Load() != test.requests {
				t.Errorf("%d requests, want %d", requests.Load(), test.requests)
			}
		})
	}
}

// The next token is requested in the form of the last success, and a later error is reported unchanged.
func TestTokenRequestsAsJSON(t *testing.T) {
	t.Parallel()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"northwind"}, "client_secret": {tokenSecret}}.Encode()
	const inJSON = `application/json {"client_id":"northwind","client_secret":"` + tokenSecret + `","grant_type":"client_credentials"}`
	for first, kinds := range map[int][]string{
		400: {"application/x-www-form-urlencoded " + form, inJSON, inJSON},
		200: {"application/x-www-form-urlencoded " + form, "application/x-www-form-urlencoded " + form},
	} {
		var sent []string
		c := New(configFor(t, "http://localhost", Config{
			ClientID: "northwind", ClientSecret: tokenSecret, Transport: answering(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				body, _ := io.ReadAll(r.Body)
				if sent = append(sent, r.Header.Get("Content-Type")+" "+string(body)); len(sent) == len(kinds) {
					w.WriteHeader(http.StatusTeapot)
					return
				} else if len(sent) == 1 {
					w.WriteHeader(first)
				}
				answerTokens(w, r, "")
			}),
		}))
		if _, err := c.ModelGroup(t.Context(), "g"); err == nil || !strings.Contains(err.Error(), "418") || !slices.Equal(sent, kinds) {
			t.Errorf("%v after %q, want 418 after %q", err, sent, kinds)
		}
	}
}

// The interface leaves the fields of a token open.
func TestTokenAnswersThatWork(t *testing.T) {
	t.Parallel()
	c := New(configFor(t, "http://localhost", Config{}))
	const bearer = `"access_token":"secret-token-1"`
	for body, life := range map[string]time.Duration{
		`{` + bearer + `}`: 0,
		`{"accessToken":"secret-token-1","expiresIn":20,"tokenType":"Bearer"}`: 20 * time.Second,
		`{"accessToken":"x","expires_in":70,` + bearer + `,"expiresIn":20}`:    70 * time.Second, // RFC 6749 goes first
		`{` + bearer + `,"token_type":"BEARER","scope":"read","new":{"a":1}}`:  0,
		`{` + bearer + `,"error":"odd","token_type":null}`:                     0, // a token that can be used is one
		`{` + bearer + `,"token_type":"BearerToken"}`:                          0,
		`{` + bearer + `,"token_type":"jwt-bearer"}`:                           0,
		`{"access_token":null,"accessToken":"secret-token-1"}`:                 0,
		`{` + bearer + `,"expires_in":"20"}`:                                   20 * time.Second,
		`{` + bearer + `,"expires_in":20.9}`:                                   20900 * time.Millisecond,
		`{` + bearer + `,"expires_in":9.9}`:                                    0, // it counts as absent
		`{` + bearer + `,"expires_in":null}`:                                   0,
		`{` + bearer + `,"expires_in":"soon"}`:                                 0,
		`{` + bearer + `,"expires_in":1e400}`:                                  0,
	} {
		in := incomingBody(body)
		in.token = &token{}
		_, err := c.readToken(in)
		if want := (token{bearer: "secret-token-1", life: life}); err != nil || *in.token != want {
			t.Errorf("%s: %+v, %v, want a life of %s", body, in.token, err, life)
		}
	}
}
