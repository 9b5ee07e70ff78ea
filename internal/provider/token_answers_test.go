package provider

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

// TestTokenAnswersThatEndTheRun: one token request in all, whatever the number
// of readers, then and later.
func TestTokenAnswersThatEndTheRun(t *testing.T) {
	t.Parallel()
	answering := func(status int, contentType, body string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteToken, Status: status, Header: http.Header{"Content-Type": {contentType}}, Body: body}
	}
	const json, html = "application/json", "text/html; charset=utf-8"
	for name, test := range map[string]struct {
		fault   sandbox.Fault
		more    arguments
		summary string
		says    []string
		hides   string
	}{
		"a wrong secret": {
			fault:   sandbox.Fault{Route: sandbox.RouteToken},
			more:    arguments{argClientSecret: "wrong-secret"},
			summary: summaryRejected,
			says: []string{
				"The service said: The client id or the client secret is wrong.",
				"Status 401 Unauthorized, code invalid_client, for POST http://localhost/v1/auth/token", "which the provider block sets",
			},
			hides: "wrong-secret",
		},
		"invalid_client": {
			fault: sandbox.RefuseToken("invalid_client", "Revoked in May."), summary: summaryRejected,
			says: []string{"The service said: Revoked in May.", "Status 401 Unauthorized, code invalid_client"},
		},
		"invalid_client with 400": {
			fault: answering(400, json, `{"error":"invalid_client","error_description":"Revoked."}`), summary: summaryRejected,
			says: []string{"The service said: Revoked.", "Status 400 Bad Request, code invalid_client"},
		},
		"invalid_request": {
			fault: sandbox.RefuseToken("invalid_request", "A field is malformed."), summary: summaryNoToken,
			says: []string{"The service said: A field is malformed.", "Status 400 Bad Request, code invalid_request"},
		},
		"unsupported_grant_type": {
			fault: sandbox.RefuseToken("unsupported_grant_type", "Not that."), summary: summaryNoToken,
			says: []string{"The service said: Not that.", "Status 400 Bad Request, code unsupported_grant_type"},
		},
		"an unknown OAuth error": {
			fault: answering(400, json, `{"error":"brand_new","error_description":"Something new."}`), summary: summaryNoToken,
			says: []string{"The service said: Something new.", "Status 400 Bad Request, code brand_new"},
		},
		"an unknown OAuth error with 403": {
			fault: answering(403, json, `{"error":"brand_new","error_description":"Something new."}`), summary: summaryNoToken,
			says: []string{"The service said: Something new.", "Status 403 Forbidden, code brand_new"},
		},
		"401 with HTML": {
			fault: answering(401, html, "<html><title>Who are you?</title></html>"), summary: summaryRejected,
			says: []string{"a page of HTML titled Who are you?", "Status 401 Unauthorized, for POST"},
		},
		"400, empty": {
			fault: answering(400, json, ""), summary: summaryNoToken,
			says: []string{"Status 400 Bad Request, for POST http://localhost/v1/auth/token"},
		},
		"404": {
			fault: answering(404, html, "<html>nothing</html>"), summary: summaryNoToken,
			says: []string{"no token endpoint", "Check base_url", "Status 404 Not Found, for POST http://localhost/v1/auth/token"},
		},
		"redirect": {
			fault:   sandbox.Fault{Route: sandbox.RouteToken, Status: 302, Header: http.Header{"Location": {"https://login.example/"}}},
			summary: summaryRedirect,
			says: []string{
				"a redirect to https://login.example/.", "Every other read with these credentials fails", "Status 302 Found, for POST http://localhost/v1/auth/token",
			},
		},
		"200 with an OAuth error": {
			fault: answering(200, json, `{"error":"brand_new","error_description":"Something new."}`), summary: summaryNoToken,
			says: []string{"The service said: Something new.", "Status 200 OK, code brand_new"},
		},
		"200 without a token": {
			fault: answering(200, json, `{"accessToken":"abcdefgh","token_type":"Bearer"}`), summary: summaryNoToken,
			says:  []string{"no bearer token", "Every other read with these credentials fails"},
			hides: "abcdefgh",
		},
		"200 with an empty token": {
			fault: answering(200, json, `{"access_token":"","token_type":"Bearer"}`), summary: summaryNoToken, says: []string{"no bearer token"},
		},
		"200, empty": {fault: answering(200, json, ""), summary: summaryNoToken, says: []string{"no bearer token"}},
		"200, a list": {
			fault: answering(200, json, `["abcdefgh"]`), summary: summaryNoToken, says: []string{"no bearer token"}, hides: "abcdefgh",
		},
		"200, a token that is no string": {
			fault: answering(200, json, `{"access_token":["abcdefgh"]}`), summary: summaryNoToken,
			says:  []string{"no bearer token"},
			hides: "abcdefgh",
		},
		"200, another token type": {
			fault: answering(200, json, `{"access_token":"abcdefgh","token_type":"mac"}`), summary: summaryNoToken,
			says:  []string{`a token of type "mac", where a bearer token is expected`},
			hides: "abcdefgh",
		},
		"200, a token no header can hold": {
			fault: answering(200, json, `{"access_token":"abcd\r\nefgh","token_type":"Bearer"}`), summary: summaryNoToken,
			says:  []string{"characters that no bearer token may have"},
			hides: "efgh",
		},
		"200 with HTML": {
			fault: answering(200, html, "<html><title>Sign in</title>abcdefgh</html>"), summary: summaryNoToken,
			says:  []string{"no bearer token", "a login page", "Check base_url"},
			hides: "abcdefgh",
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 30))
				test.fault.Delay = sec
				service.Inject(test.fault)
				e := inMemory(t, service, test.more)
				began := time.Now()
				answers := e.readAll(t, 20, eachGroup(0, 20))
				// Where the form is not understood, the same is sent once as JSON.
				asked := 1
				if notUnderstood := strings.HasPrefix(name, "invalid_request") || strings.HasPrefix(name, "unsupported"); notUnderstood {
					asked = 2
				}
				if took := time.Since(began); took != time.Duration(asked)*sec {
					t.Errorf("it took %s", took)
				}
				answers = append(answers, e.readAll(t, 5, eachGroup(20, 30))...)
				if took := time.Since(began); took != time.Duration(asked)*sec {
					t.Errorf("later reads took %s more", took-time.Duration(asked)*sec)
				}
				detail := expectOneCause(t, answers, test.summary, test.says...)
				if test.hides != "" && strings.Contains(detail, test.hides) {
					t.Errorf("it shows %q:\n%s", test.hides, detail)
				}
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: asked})
			})
		})
	}
}

// TestTokenFaultsThatMayPass: retried like a read, once for all who wait.
func TestTokenFaultsThatMayPass(t *testing.T) {
	t.Parallel()
	plainly := func(status int, body string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteToken, Status: status, Body: body}
	}
	for name, test := range map[string]struct {
		fault   sandbox.Fault
		took    time.Duration
		summary string
		says    []string
	}{
		"temporarily_unavailable": {
			fault: sandbox.RefuseToken("temporarily_unavailable", "Try later."), summary: summaryUnavailable,
			says: []string{
				"The service said: Try later.", "Status 502 Bad Gateway, code temporarily_unavailable, for POST http://localhost/v1/auth/token",
			},
		},
		"temporarily_unavailable with 400": {
			fault: plainly(400, `{"error":"temporarily_unavailable","error_description":"Try later."}`), summary: summaryUnavailable,
			says: []string{"The service said: Try later.", "Status 400 Bad Request, code temporarily_unavailable"},
		},
		"500": {
			fault: plainly(500, `{"error":"server_error","error_description":"It broke."}`), summary: summaryUnavailable,
			says: []string{"The service said: It broke.", "Status 500 Internal Server Error, code server_error"},
		},
		"503 with HTML": {
			fault: plainly(503, "<html><title>Closed</title></html>"), summary: summaryUnavailable,
			says: []string{"titled Closed", "Status 503 Service Unavailable"},
		},
		"408": {fault: plainly(408, ""), summary: summaryUnavailable, says: []string{"Status 408 Request Timeout"}},
		"dropped": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Reset}, summary: summaryUnreachable,
			says: []string{"for POST http://localhost/v1/auth/token"},
		},
		"hanging": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang},
			took:  30 * sec, summary: summaryTimeout,
			says: []string{"no whole answer within 30s, for POST http://localhost/v1/auth/token"},
		},
		"cut by length": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.CutLength}, summary: summaryUnreachable,
			says: []string{"for POST http://localhost/v1/auth/token"},
		},
		"cut inside the JSON": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.CutJSON}, summary: summaryUnreachable,
			says: []string{"for POST http://localhost/v1/auth/token"},
		},
	} {
		t.Run(name+", twice", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 20))
				fault := test.fault
				fault.Times = 2
				service.Inject(fault)
				e := inMemory(t, service, nil)
				expectAllRead(t, e.readAll(t, 20, eachGroup(0, 20)))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 3, sandbox.RouteGroup: 20})
				expectWaits(t, arrivals(service, sandbox.RouteToken), after(test.took, backOffs(1*sec, 2*sec)))
			})
		})
		t.Run(name+", always", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 20))
				remove := service.Inject(test.fault)
				e := inMemory(t, service, nil)
				answers := e.readAll(t, 20, eachGroup(0, 20))
				expectOneCause(t, answers, test.summary, append([]string{"gave up after 5 attempts", "max_retries allows no more"}, test.says...)...)
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 5})
				expectWaits(t, arrivals(service, sandbox.RouteToken), after(test.took, backOffs(1*sec, 2*sec, 4*sec, 8*sec)))

				// It may have passed: it is no latch.
				remove()
				expectAllRead(t, e.readAll(t, 20, eachGroup(0, 20)))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 6, sandbox.RouteGroup: 20})
			})
		})
	}
}

func TestTokenRequestsThatAreLimitedWait(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 20))
		fault := sandbox.Refuse(sandbox.RouteToken, "RATE_LIMITED", "Slowly.")
		fault.Header.Set("Retry-After", "7")
		fault.Times = 2
		service.Inject(fault)
		e := inMemory(t, service, arguments{argMaxRetries: 0})
		expectAllRead(t, e.readAll(t, 20, eachGroup(0, 20)))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 3, sandbox.RouteGroup: 20})
		expectWaits(t, arrivals(service, sandbox.RouteToken), exactly(7*sec, 7*sec))
	})
}

// TestTokenAnswersThatWork: interface.md leaves the fields of a token open.
func TestTokenAnswersThatWork(t *testing.T) {
	t.Parallel()
	change := func(change func(header http.Header, fields map[string]any)) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteToken, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
			var fields map[string]any
			if err := json.Unmarshal(body, &fields); err != nil {
				panic(err)
			}
			change(header, fields)
			body, err := json.Marshal(fields)
			if err != nil {
				panic(err)
			}
			return status, header, body
		}}
	}
	for name, fault := range map[string]sandbox.Fault{
		"no type":            change(func(_ http.Header, fields map[string]any) { delete(fields, "token_type") }),
		"a type in capitals": change(func(_ http.Header, fields map[string]any) { fields["token_type"] = "BEARER" }),
		"more fields": change(func(_ http.Header, fields map[string]any) {
			maps.Copy(fields, map[string]any{"scope": "read", "refresh_token": 7, "new": map[string]any{"a": 1}})
		}),
		"labelled text": change(func(header http.Header, _ map[string]any) {
			header.Set(
				"Content-Type", "text/plain; charset=utf-8",
			)
		}),
		"labelled HTML":            change(func(header http.Header, _ map[string]any) { header.Set("Content-Type", "text/html") }),
		"without a label":          change(func(header http.Header, _ map[string]any) { header.Del("Content-Type") }),
		"a life with a fraction":   change(func(_ http.Header, fields map[string]any) { fields["expires_in"] = json.RawMessage("3600.0") }),
		"a life that is no number": change(func(_ http.Header, fields map[string]any) { fields["expires_in"] = "soon" }),
		"an endless life":          change(func(_ http.Header, fields map[string]any) { fields["expires_in"] = json.RawMessage("1e400") }),
		"a life in a text": change(func(_ http.Header, fields map[string]any) {
			fields["expires_in"] = fmt.Sprint(
				fields["expires_in"],
			)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(fault)
				e := inMemory(t, service, nil)
				e.mustRead(t, "model_group", arguments{"id": mainGroup})
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
			})
		})
	}
}
