package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestOneTokenServesAnyNumberOfBlocks(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 100))
		service.Inject(sandbox.Fault{Route: sandbox.RouteToken, Delay: sec})
		e := inMemory(t, service, nil)
		expectAllRead(t, e.readAll(t, 20, eachGroup(0, 100)))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 100})
	})
}

// TestATokenIsRefusedOnce: all readers are refused with the same token, at once
// or one after another.
func TestATokenIsRefusedOnce(t *testing.T) {
	t.Parallel()
	for name, delay := range map[string]func(i int) time.Duration{
		"together":          func(int) time.Duration { return sec },
		"one after another": func(i int) time.Duration { return time.Duration(i+1) * 100 * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 21))
				for i := range 20 {
					service.Inject(sandbox.Fault{Path: "/v1/model-group/" + groupID(i), Delay: delay(i)})
				}
				e := inMemory(t, service, nil)
				expectAllRead(t, e.readAll(t, 1, eachGroup(20, 21)))
				service.DropTokens()
				expectAllRead(t, e.readAll(t, 20, eachGroup(0, 20)))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 1 + 20 + 20})
			})
		})
	}
}

func TestATokenIsDroppedInTheMiddleOfARun(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		const blocks = 60
		service := sandbox.New(manyGroups(t, blocks))
		var seen atomic.Int32
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Delay: 100 * time.Millisecond, OnRequest: func(*http.Request) {
			if seen.Add(1) == blocks/2 {
				service.DropTokens()
			}
		}})
		e := inMemory(t, service, nil)
		expectAllRead(t, e.readAll(t, 20, eachGroup(0, blocks)))
		refused, sent := 0, map[string]int{}
		for _, r := range service.Requests() {
			if r.Status == http.StatusUnauthorized {
				refused++
			}
			sent[r.Path]++
		}
		// All that are under way when the token is dropped: no more than may be.
		if refused < 1 || refused > 20 {
			t.Errorf("%d reads were refused, want 1 to 20", refused)
		}
		for path, times := range sent {
			if times > 2 {
				t.Errorf("%s was asked for %d times", path, times)
			}
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: blocks + refused})
	})
}

func TestATokenIsRenewedBeforeItsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		life    time.Duration
		options []sandbox.Option
		every   time.Duration
		reads   int
		asked   []int // the reads that ask for a token
		refused int
	}{
		"3600":           {3600 * sec, nil, 60 * sec, 121, []int{0, 60, 120}, 0},
		"3600.9":         {3600 * sec, []sandbox.Option{sandbox.WithExpiresIn(json.RawMessage("3600.9"))}, 60 * sec, 121, []int{0, 60, 120}, 0},
		"3600, a string": {3600 * sec, []sandbox.Option{sandbox.WithExpiresIn("3600")}, 60 * sec, 121, []int{0, 60, 120}, 0},
		// Margins of 1.2 s and 0.8 s: served until 10.8 s and 7.2 s.
		"12":                         {12 * sec, nil, 1 * sec, 30, []int{0, 11, 22}, 0},
		"8":                          {8 * sec, nil, 1 * sec, 30, []int{0, 8, 16, 24}, 0},
		"1":                          {1 * sec, nil, 100 * time.Millisecond, 30, []int{0, 9, 18, 27}, 0},
		"absent, it does not expire": {0, nil, time.Hour, 100, []int{0}, 0},
		"null, it does not expire":   {0, []sandbox.Option{sandbox.WithExpiresIn(json.RawMessage("null"))}, time.Hour, 100, []int{0}, 0},
		"0, it does not expire":      {0, []sandbox.Option{sandbox.WithExpiresIn(0)}, time.Hour, 100, []int{0}, 0},
		"absent, it expires":         {12 * sec, []sandbox.Option{sandbox.WithExpiresIn(nil)}, 1 * sec, 30, []int{0, 12, 24}, 2},
		"longer than it lives":       {12 * sec, []sandbox.Option{sandbox.WithExpiresIn(3600)}, 1 * sec, 30, []int{0, 12, 24}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default(), append([]sandbox.Option{sandbox.WithTokenLife(test.life)}, test.options...)...)
				e := inMemory(t, service, arguments{argSnapshot: false})
				var asked []int
				for i := range test.reads {
					before := service.Count(sandbox.RouteToken)
					e.mustRead(t, "model_group", arguments{"id": mainGroup})
					if service.Count(sandbox.RouteToken) > before {
						asked = append(asked, i)
					}
					time.Sleep(test.every)
				}
				if !slices.Equal(asked, test.asked) {
					t.Errorf("a token was asked for by the reads %v, want %v", asked, test.asked)
				}
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: len(test.asked), sandbox.RouteGroup: test.reads + test.refused})
			})
		})
	}
}

func TestATokenRefusedForGoodEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, parallelism := range map[string]int{"one reader": 1, "20 readers": 20} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 40))
				refusal := sandbox.Refuse(sandbox.RouteGroup, "UNAUTHORIZED", "Your token is no good here.")
				refusal.Delay = sec
				service.Inject(refusal)
				e := inMemory(t, service, nil)
				first := e.readAll(t, parallelism, eachGroup(0, parallelism))
				requests := map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 2 * parallelism}
				expectRequests(t, service, requests)

				began := time.Now()
				later := append(e.readAll(t, 20, eachGroup(20, 40)), e.readAll(t, 1, []reading{{"model_groups", nil}, {"latest_model", arguments{"model_group_id": "x"}}})...)
				if took := time.Since(began); took != 0 {
					t.Errorf("later reads took %s", took)
				}
				expectRequests(t, service, requests)
				expectOneCause(t, append(first, later...), summaryRejected,
					"The service said: Your token is no good here.", "Status 401 Unauthorized, code UNAUTHORIZED, for GET http://localhost/v1/model-group/group-0", "client_id and client_secret", "asks no further")
			})
		})
	}
}

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
			sandbox.Fault{Route: sandbox.RouteToken},
			arguments{argClientSecret: "wrong-secret"},
			summaryRejected,
			[]string{"The service said: The client id or the client secret is wrong.", "Status 401 Unauthorized, code invalid_client, for POST http://localhost/v1/auth/token", "MODELCATALOGUE_CLIENT_SECRET"},
			"wrong-secret",
		},
		"invalid_client": {
			sandbox.RefuseToken("invalid_client", "Revoked in May."), nil, summaryRejected,
			[]string{"The service said: Revoked in May.", "Status 401 Unauthorized, code invalid_client"},
			"",
		},
		"invalid_client with 400": {
			answering(400, json, `{"error":"invalid_client","error_description":"Revoked."}`), nil, summaryRejected,
			[]string{"The service said: Revoked.", "Status 400 Bad Request, code invalid_client"},
			"",
		},
		"invalid_request": {
			sandbox.RefuseToken("invalid_request", "A field is malformed."), nil, summaryNoToken,
			[]string{"The service said: A field is malformed.", "Status 400 Bad Request, code invalid_request"},
			"",
		},
		"unsupported_grant_type": {
			sandbox.RefuseToken("unsupported_grant_type", "Not that."), nil, summaryNoToken,
			[]string{"The service said: Not that.", "Status 400 Bad Request, code unsupported_grant_type"},
			"",
		},
		"an unknown OAuth error": {
			answering(400, json, `{"error":"brand_new","error_description":"Something new."}`), nil, summaryNoToken,
			[]string{"The service said: Something new.", "Status 400 Bad Request, code brand_new"},
			"",
		},
		"an unknown OAuth error with 403": {
			answering(403, json, `{"error":"brand_new","error_description":"Something new."}`), nil, summaryNoToken,
			[]string{"The service said: Something new.", "Status 403 Forbidden, code brand_new"},
			"",
		},
		"401 with HTML": {
			answering(401, html, "<html><title>Who are you?</title></html>"), nil, summaryRejected,
			[]string{"a page of HTML titled Who are you?", "Status 401 Unauthorized, for POST"},
			"",
		},
		"400, empty": {answering(400, json, ""), nil, summaryNoToken, []string{"Status 400 Bad Request, for POST http://localhost/v1/auth/token"}, ""},
		"404": {
			answering(404, html, "<html>nothing</html>"), nil, summaryNoToken,
			[]string{"no token endpoint", "Check base_url", "Status 404 Not Found, for POST http://localhost/v1/auth/token"},
			"",
		},
		"redirect": {
			sandbox.Fault{Route: sandbox.RouteToken, Status: 302, Header: http.Header{"Location": {"https://login.example/"}}},
			nil, summaryRedirect,
			[]string{"a redirect to https://login.example/.", "asks no further", "Status 302 Found, for POST http://localhost/v1/auth/token"},
			"",
		},
		"200 with an OAuth error": {
			answering(200, json, `{"error":"brand_new","error_description":"Something new."}`), nil, summaryNoToken,
			[]string{"The service said: Something new.", "Status 200 OK, code brand_new"},
			"",
		},
		"200 without a token": {
			answering(200, json, `{"accessToken":"abcdefgh","token_type":"Bearer"}`), nil, summaryNoToken,
			[]string{"no bearer token", "asks no further"},
			"abcdefgh",
		},
		"200 with an empty token": {answering(200, json, `{"access_token":"","token_type":"Bearer"}`), nil, summaryNoToken, []string{"no bearer token"}, ""},
		"200, empty":              {answering(200, json, ""), nil, summaryNoToken, []string{"no bearer token"}, ""},
		"200, a list":             {answering(200, json, `["abcdefgh"]`), nil, summaryNoToken, []string{"no bearer token"}, "abcdefgh"},
		"200, a token that is no string": {
			answering(200, json, `{"access_token":["abcdefgh"]}`), nil, summaryNoToken,
			[]string{"no bearer token"},
			"abcdefgh",
		},
		"200, another token type": {
			answering(200, json, `{"access_token":"abcdefgh","token_type":"mac"}`), nil, summaryNoToken,
			[]string{`a token of type "mac", where a bearer token is expected`},
			"abcdefgh",
		},
		"200, a token no header can hold": {
			answering(200, json, `{"access_token":"abcd\r\nefgh","token_type":"Bearer"}`), nil, summaryNoToken,
			[]string{"characters that no bearer token may have"},
			"efgh",
		},
		"200 with HTML": {
			answering(200, html, "<html><title>Sign in</title>abcdefgh</html>"), nil, summaryNoToken,
			[]string{"no bearer token", "a login page", "Check base_url"},
			"abcdefgh",
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
			sandbox.RefuseToken("temporarily_unavailable", "Try later."), 0, summaryUnavailable,
			[]string{"The service said: Try later.", "Status 502 Bad Gateway, code temporarily_unavailable, for POST http://localhost/v1/auth/token"},
		},
		"temporarily_unavailable with 400": {
			plainly(400, `{"error":"temporarily_unavailable","error_description":"Try later."}`), 0, summaryUnavailable,
			[]string{"The service said: Try later.", "Status 400 Bad Request, code temporarily_unavailable"},
		},
		"500": {
			plainly(500, `{"error":"server_error","error_description":"It broke."}`), 0, summaryUnavailable,
			[]string{"The service said: It broke.", "Status 500 Internal Server Error, code server_error"},
		},
		"503 with HTML": {plainly(503, "<html><title>Closed</title></html>"), 0, summaryUnavailable, []string{"titled Closed", "Status 503 Service Unavailable"}},
		"408":           {plainly(408, ""), 0, summaryUnavailable, []string{"Status 408 Request Timeout"}},
		"dropped":       {sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Reset}, 0, summaryUnreachable, []string{"for POST http://localhost/v1/auth/token"}},
		"hanging": {
			sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang},
			30 * sec, summaryTimeout,
			[]string{"no whole answer within 30s, for POST http://localhost/v1/auth/token"},
		},
		"cut by length":       {sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.CutLength}, 0, summaryUnreachable, []string{"for POST http://localhost/v1/auth/token"}},
		"cut inside the JSON": {sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.CutJSON}, 0, summaryUnreachable, []string{"for POST http://localhost/v1/auth/token"}},
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
		"labelled text":            change(func(header http.Header, _ map[string]any) { header.Set("Content-Type", "text/plain; charset=utf-8") }),
		"labelled HTML":            change(func(header http.Header, _ map[string]any) { header.Set("Content-Type", "text/html") }),
		"without a label":          change(func(header http.Header, _ map[string]any) { header.Del("Content-Type") }),
		"a life with a fraction":   change(func(_ http.Header, fields map[string]any) { fields["expires_in"] = json.RawMessage("3600.0") }),
		"a life that is no number": change(func(_ http.Header, fields map[string]any) { fields["expires_in"] = "soon" }),
		"an endless life":          change(func(_ http.Header, fields map[string]any) { fields["expires_in"] = json.RawMessage("1e400") }),
		"a life in a text":         change(func(_ http.Header, fields map[string]any) { fields["expires_in"] = fmt.Sprint(fields["expires_in"]) }),
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
