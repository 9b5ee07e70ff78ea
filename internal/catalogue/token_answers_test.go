package catalogue_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestTokenAnswersThatEndTheRun: so many token requests in all, whatever the number of readers, then and later. None of
// the answers' secrets is told.
func TestTokenAnswersThatEndTheRun(t *testing.T) {
	type row struct {
		fault    sandbox.Fault
		requests int // 2 if it is open whether the form was understood: the same is sent once as JSON
		kind     simTold
		says     string
	}
	is := func(status int, body string) sandbox.Fault {
		header := http.Header{"Content-Type": {"application/json"}}
		return sandbox.Fault{Route: sandbox.RouteToken, Status: status, Header: header, Body: body}
	}
	page := func(status int, body string) sandbox.Fault {
		fault := is(status, body)
		fault.Header.Set("Content-Type", "text/html; charset=utf-8")
		return fault
	}
	redirect := is(302, "")
	redirect.Header.Set("Location", "https://login.example/")
	refuse := sandbox.RefuseToken
	const odd, none = `{"error":"odd","error_description":"New."}`, "no bearer token"
	eachOnFakeClock(t, map[string]row{
		"a wrong secret": {
			sandbox.Fault{Route: sandbox.RouteToken},
			1, toldRejected,
			"401 Unauthorized (invalid_client): The client id or the client secret is wrong.",
		},
		"invalid_client": {refuse("invalid_client", "No."), 1, toldRejected, "401 Unauthorized (invalid_client): No."},
		"invalid_client with 400": {
			is(400, `{"error":"invalid_client","error_description":"Revoked."}`), 1, toldRejected, "400 Bad Request (invalid_client): Revoked.",
		},
		"invalid_request":          {refuse("invalid_request", "Odd."), 2, toldNoToken, "400 Bad Request (invalid_request): Odd."},
		"unsupported_grant_type":   {refuse("unsupported_grant_type", "No."), 2, toldNoToken, "400 Bad Request (unsupported_grant_type): No."},
		"unauthorized_client":      {is(400, `{"error":"unauthorized_client","error_description":"No."}`), 1, toldNoToken, "(unauthorized_client): No."},
		"invalid_scope":            {is(400, `{"error":"invalid_scope","error_description":"No."}`), 1, toldNoToken, "(invalid_scope): No."},
		"as other routes are":      {is(400, `{"code":"VALIDATION_FAILED","message":"No."}`), 2, toldNoToken, "400 Bad Request (VALIDATION_FAILED): No."},
		"an unknown error":         {is(400, odd), 2, toldNoToken, "400 Bad Request (odd): New."},
		"an unknown error and 403": {is(403, odd), 2, toldNoToken, "403 Forbidden (odd): New."},
		"an unknown error and 200": {is(200, odd), 1, toldNoToken, "200 OK (odd): New."},
		"401 with HTML":            {page(401, "<html><title>Who?</title>"), 2, toldNoToken, "401 Unauthorized: a page of HTML titled Who?"},
		"400, empty":               {is(400, ""), 2, toldNoToken, "400 Bad Request"},
		"404":                      {page(404, "<html>nothing</html>"), 2, toldNoToken, "404 Not Found"},
		"redirect":                 {redirect, 1, toldNoToken, "302 Found"},
		"no token":                 {is(200, `{"Access_Token":"hunter2!","token_type":"Bearer"}`), 1, toldNoToken, none},
		"an empty token":           {is(200, `{"access_token":"","token_type":"Bearer"}`), 1, toldNoToken, none},
		"empty":                    {is(200, ""), 1, toldNoToken, none},
		"a list":                   {is(200, `["hunter2!"]`), 1, toldNoToken, none},
		"a token in a list":        {is(200, `{"access_token":["hunter2!"]}`), 1, toldNoToken, none},
		"200 with HTML":            {page(200, "<html><title>Sign in</title>hunter2!</html>"), 1, toldNoToken, none},
		"another token type": {
			is(200, `{"access_token":"hunter2!","token_type":"mac"}`), 1, toldNoToken,
			`a token of type "mac", where a bearer token is expected`,
		},
		"a token no header can hold": {
			is(200, `{"access_token":"abcd\r\nhunter2!","token_type":"Bearer"}`), 1, toldNoToken,
			"characters that no bearer token may have",
		},
	}, func(t *testing.T, r row) {
		service := sandbox.New(manyGroups(t, 30))
		r.fault.Delay = sec
		service.Inject(r.fault)
		clientSecret := "northwind-sandbox-secret"
		if r.fault.Status == 0 {
			clientSecret = "wrong-hunter2!"
		}
		c, began := connect(t, service, secret(clientSecret)), time.Now()
		answers := readAll(t, c, 20, eachGroup(0, 20))
		answers = append(answers, readAll(t, c, 5, eachGroup(20, 30))...) // these wait for nothing
		if took := time.Since(began); took != time.Duration(r.requests)*sec {
			t.Errorf("it took %s", took)
		}
		expectAllTold(t, answers, r.kind, r.says)
		if text := answers[0].err.Error(); strings.Contains(text, "hunter2!") {
			t.Errorf("it shows a secret: %s", text)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: r.requests})
	})
}

func TestTokenRequestsThatAreLimitedWait(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 20))
		service.Inject(limited(sandbox.RouteToken, "7", 2))
		expectAllRead(t, readAll(t, connect(t, service, maxRetries(0)), 20, eachGroup(0, 20)))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 3, sandbox.RouteGroup: 20})
		expectWaits(t, arrivals(service, sandbox.RouteToken), exactly(7*sec, 7*sec))
	})
}

// TestTokenAnswersThatWork: the interface leaves the fields of a token open.
func TestTokenAnswersThatWork(t *testing.T) {
	type fields = map[string]any
	eachOnFakeClock(t, map[string]func(http.Header, fields){
		"the spelling of every other body": func(_ http.Header, f fields) {
			f["accessToken"], f["expiresIn"], f["tokenType"] = f["access_token"], f["expires_in"], "Bearer"
			maps.DeleteFunc(f, func(name string, _ any) bool { return strings.Contains(name, "_") })
		},
		"no type":            func(_ http.Header, f fields) { delete(f, "token_type") },
		"a type in capitals": func(_ http.Header, f fields) { f["token_type"] = "BEARER" },
		"more fields": func(_ http.Header, f fields) {
			maps.Copy(f, fields{"scope": "read", "refresh_token": 7, "new": fields{"a": 1}})
		},
		"labelled text":            func(header http.Header, _ fields) { header.Set("Content-Type", "text/plain; charset=utf-8") },
		"labelled HTML":            func(header http.Header, _ fields) { header.Set("Content-Type", "text/html") },
		"without a label":          func(header http.Header, _ fields) { header.Del("Content-Type") },
		"a life with a fraction":   func(_ http.Header, f fields) { f["expires_in"] = json.RawMessage("3600.0") },
		"a life that is no number": func(_ http.Header, f fields) { f["expires_in"] = "soon" },
		"an endless life":          func(_ http.Header, f fields) { f["expires_in"] = json.RawMessage("1e400") },
		"a life in a text":         func(_ http.Header, f fields) { f["expires_in"] = fmt.Sprint(f["expires_in"]) },
	}, func(t *testing.T, change func(http.Header, fields)) {
		mutate := func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
			var answer fields
			if err := json.Unmarshal(body, &answer); err != nil {
				t.Error(err)
			}
			change(header, answer)
			body, err := json.Marshal(answer)
			if err != nil {
				t.Error(err)
			}
			return status, header, body
		}
		service := sandbox.New(sandbox.Default())
		service.Inject(sandbox.Fault{Route: sandbox.RouteToken, Mutate: mutate})
		theGroup.mustRead(t, connect(t, service))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
	})
}
