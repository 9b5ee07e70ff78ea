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

// TestTokenAnswersThatEndTheRun: one token request in all, whatever the number
// of readers, then and later.
func TestTokenAnswersThatEndTheRun(t *testing.T) {
	t.Parallel()
	answering := func(status int, contentType, body string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteToken, Status: status, Header: http.Header{"Content-Type": {contentType}}, Body: body}
	}
	const json, html = "application/json", "text/html; charset=utf-8"
	for name, test := range map[string]struct {
		fault sandbox.Fault
		more  []setting
		kind  simTold
		says  []string
		hides string
	}{
		"a wrong secret": {
			fault: sandbox.Fault{Route: sandbox.RouteToken},
			more:  []setting{secret("wrong-secret")},
			kind:  toldRejected,
			says: []string{
				"The client id or the client secret is wrong.",
				"401 Unauthorized (invalid_client)",
			},
			hides: "wrong-secret",
		},
		"invalid_client": {
			fault: sandbox.RefuseToken("invalid_client", "Revoked in May."), kind: toldRejected,
			says: []string{"Revoked in May.", "401 Unauthorized (invalid_client)"},
		},
		"invalid_client with 400": {
			fault: answering(400, json, `{"error":"invalid_client","error_description":"Revoked."}`), kind: toldRejected,
			says: []string{"Revoked.", "400 Bad Request (invalid_client)"},
		},
		"invalid_request": {
			fault: sandbox.RefuseToken("invalid_request", "A field is malformed."), kind: toldNoToken,
			says: []string{"A field is malformed.", "400 Bad Request (invalid_request)"},
		},
		"unsupported_grant_type": {
			fault: sandbox.RefuseToken("unsupported_grant_type", "Not that."), kind: toldNoToken,
			says: []string{"Not that.", "400 Bad Request (unsupported_grant_type)"},
		},
		"an unknown OAuth error": {
			fault: answering(400, json, `{"error":"brand_new","error_description":"Something new."}`), kind: toldNoToken,
			says: []string{"Something new.", "400 Bad Request (brand_new)"},
		},
		"an unknown OAuth error with 403": {
			fault: answering(403, json, `{"error":"brand_new","error_description":"Something new."}`), kind: toldNoToken,
			says: []string{"Something new.", "403 Forbidden (brand_new)"},
		},
		"401 with HTML": {
			fault: answering(401, html, "<html><title>Who are you?</title></html>"), kind: toldNoToken,
			says: []string{"a page of HTML titled Who are you?", "401 Unauthorized"},
		},
		"400, empty": {
			fault: answering(400, json, ""), kind: toldNoToken,
			says: []string{"400 Bad Request"},
		},
		"404": {
			fault: answering(404, html, "<html>nothing</html>"), kind: toldNoToken,
			says: []string{"404 Not Found"},
		},
		"redirect": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Status: 302, Header: http.Header{"Location": {"https://login.example/"}}},
			kind:  toldNoToken,
			says: []string{
				"302 Found",
			},
		},
		"200 with an OAuth error": {
			fault: answering(200, json, `{"error":"brand_new","error_description":"Something new."}`), kind: toldNoToken,
			says: []string{"Something new.", "200 OK (brand_new)"},
		},
		"200 without a token": {
			fault: answering(200, json, `{"accessToken":"abcdefgh","token_type":"Bearer"}`), kind: toldNoToken,
			says:  []string{"no bearer token"},
			hides: "abcdefgh",
		},
		"200 with an empty token": {
			fault: answering(200, json, `{"access_token":"","token_type":"Bearer"}`), kind: toldNoToken, says: []string{"no bearer token"},
		},
		"200, empty": {fault: answering(200, json, ""), kind: toldNoToken, says: []string{"no bearer token"}},
		"200, a list": {
			fault: answering(200, json, `["abcdefgh"]`), kind: toldNoToken, says: []string{"no bearer token"}, hides: "abcdefgh",
		},
		"200, a token that is no string": {
			fault: answering(200, json, `{"access_token":["abcdefgh"]}`), kind: toldNoToken,
			says:  []string{"no bearer token"},
			hides: "abcdefgh",
		},
		"200, another token type": {
			fault: answering(200, json, `{"access_token":"abcdefgh","token_type":"mac"}`), kind: toldNoToken,
			says:  []string{`a token of type "mac", where a bearer token is expected`},
			hides: "abcdefgh",
		},
		"200, a token no header can hold": {
			fault: answering(200, json, `{"access_token":"abcd\r\nefgh","token_type":"Bearer"}`), kind: toldNoToken,
			says:  []string{"characters that no bearer token may have"},
			hides: "efgh",
		},
		"200 with HTML": {
			fault: answering(200, html, "<html><title>Sign in</title>abcdefgh</html>"), kind: toldNoToken,
			says:  []string{"no bearer token"},
			hides: "abcdefgh",
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 30))
				test.fault.Delay = sec
				service.Inject(test.fault)
				c := connect(t, service, test.more...)
				began := time.Now()
				answers := readAll(t, c, 20, eachGroup(0, 20))
				// Where the form is not understood, the same is sent once as JSON.
				asked := 1
				if notUnderstood := strings.HasPrefix(name, "invalid_request") || strings.HasPrefix(name, "unsupported"); notUnderstood {
					asked = 2
				}
				if took := time.Since(began); took != time.Duration(asked)*sec {
					t.Errorf("it took %s", took)
				}
				answers = append(answers, readAll(t, c, 5, eachGroup(20, 30))...)
				if took := time.Since(began); took != time.Duration(asked)*sec {
					t.Errorf("later reads took %s more", took-time.Duration(asked)*sec)
				}
				expectAllTold(t, answers, test.kind, test.says...)
				if text := answers[0].err.Error(); test.hides != "" && strings.Contains(text, test.hides) {
					t.Errorf("it shows %q: %s", test.hides, text)
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
		fault sandbox.Fault
		took  time.Duration
		kind  simTold
		says  []string
	}{
		"temporarily_unavailable": {
			fault: sandbox.RefuseToken("temporarily_unavailable", "Try later."), kind: toldUnavailable,
			says: []string{
				"Try later.", "502 Bad Gateway (temporarily_unavailable)",
			},
		},
		"temporarily_unavailable with 400": {
			fault: plainly(400, `{"error":"temporarily_unavailable","error_description":"Try later."}`), kind: toldUnavailable,
			says: []string{"Try later.", "400 Bad Request (temporarily_unavailable)"},
		},
		"500": {
			fault: plainly(500, `{"error":"server_error","error_description":"It broke."}`), kind: toldUnavailable,
			says: []string{"It broke.", "500 Internal Server Error (server_error)"},
		},
		"503 with HTML": {
			fault: plainly(503, "<html><title>Closed</title></html>"), kind: toldUnavailable,
			says: []string{"titled Closed", "503 Service Unavailable"},
		},
		"408": {fault: plainly(408, ""), kind: toldUnavailable, says: []string{"408 Request Timeout"}},
		"dropped": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Reset}, kind: toldNetwork,
			says: []string{"POST http://localhost/v1/auth/token"},
		},
		"hanging": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang},
			took:  30 * sec, kind: toldTimeout,
			says: []string{"POST http://localhost/v1/auth/token: no whole answer within 30s"},
		},
		"cut by length": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.CutLength}, kind: toldNetwork,
			says: []string{"POST http://localhost/v1/auth/token"},
		},
		"cut inside the JSON": {
			fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.CutJSON}, kind: toldNetwork,
			says: []string{"POST http://localhost/v1/auth/token"},
		},
	} {
		t.Run(name+", twice", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 20))
				fault := test.fault
				fault.Times = 2
				service.Inject(fault)
				c := connect(t, service)
				expectAllRead(t, readAll(t, c, 20, eachGroup(0, 20)))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 3, sandbox.RouteGroup: 20})
				expectWaits(t, arrivals(service, sandbox.RouteToken), after(test.took, backOffs(1*sec, 2*sec)))
			})
		})
		t.Run(name+", always", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 20))
				remove := service.Inject(test.fault)
				c := connect(t, service)
				answers := readAll(t, c, 20, eachGroup(0, 20))
				expectAllTold(t, answers, test.kind, append([]string{"gave up after 5 attempts"}, test.says...)...)
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 5})
				expectWaits(t, arrivals(service, sandbox.RouteToken), after(test.took, backOffs(1*sec, 2*sec, 4*sec, 8*sec)))

				// It may have passed: it is no latch.
				remove()
				expectAllRead(t, readAll(t, c, 20, eachGroup(0, 20)))
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
		c := connect(t, service, maxRetries(0))
		expectAllRead(t, readAll(t, c, 20, eachGroup(0, 20)))
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
				c := connect(t, service)
				group(mainGroup).mustRead(t, c)
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
			})
		})
	}
}
