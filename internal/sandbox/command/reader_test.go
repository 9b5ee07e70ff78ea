package command

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const secret = "northwind-sandbox-secret"

func withCredentials(t *testing.T) {
	t.Helper()
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "northwind")
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", secret)
}

// TestAddresses has the addresses that credentials are sent to, or why they are not.
func TestAddresses(t *testing.T) {
	withCredentials(t)
	for address, want := range map[string]string{
		"":                              "Give -url or set MODELCATALOGUE_BASE_URL. There is no default",
		"catalogue.example":             "one such as https://catalogue.example.com is expected",
		"ftp://catalogue.example":       "one such as https://catalogue.example.com is expected",
		"https://u:pass@c.example":      `the address is "c.example": one such as`,
		"https://c.example?x=1":         "one such as",
		"https://c.example/v1/":         "leave /v1 out",
		"http://catalogue.example":      "http would send the credentials in clear text. Write https",
		"http://localhost.evil.example": "clear text",
		"http://0.0.0.0":                "clear text",
		"http://127.0.0.1:80":           "",
		"http://localhost:1/prefix/":    "",
		"http://[::1]":                  "",
		"https://c.example":             "",
	} {
		_, err := newReader(address)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", "")
	_, err := newReader("https://c.example")
	if err == nil || !strings.Contains(err.Error(), "credentials are missing: set MODELCATALOGUE_CLIENT_ID and") {
		t.Errorf("without credentials: %v", err)
	}
}

// TestClearTextIsNotSent to 0.0.0.0, which is this machine but no loopback address.
func TestClearTextIsNotSent(t *testing.T) {
	withCredentials(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan bool)
	go func() { _, err := listener.Accept(); heard <- err == nil }()
	for _, command := range []string{"compare", "record"} {
		_, said, status := commanded(t, command, "-url=http://"+listener.Addr().String())
		if status != 2 || !strings.Contains(said, "clear text") {
			t.Errorf("%s: %d, %s", command, status, said)
		}
	}
	listener.Close()
	if <-heard {
		t.Error("it was asked")
	}
}

// replaced returns a fault that replaces a text in the answers.
func replaced(route sandbox.Route, was, is string) sandbox.Fault {
	return sandbox.Fault{Route: route, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		return status, header, bytes.ReplaceAll(body, []byte(was), []byte(is))
	}}
}

// paged returns a fault that adds a header to the list of groups.
func paged(name, value string) sandbox.Fault {
	return sandbox.Fault{Route: sandbox.RouteGroups, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		if status == http.StatusOK {
			header.Set(name, value)
		}
		return status, header, body
	}}
}

// answers returns a fault that answers with a header, such as "Retry-After: 9".
func answers(route sandbox.Route, status int, body, header string) sandbox.Fault {
	f := sandbox.Fault{Route: route, Status: status, Body: body, Header: http.Header{}}
	if name, value, ok := strings.Cut(header, ": "); ok {
		f.Header.Set(name, value)
	}
	return f
}

func TestCompare(t *testing.T) {
	withCredentials(t)
	const groups, aGroup, models, token = sandbox.RouteGroups, sandbox.RouteGroup, sandbox.RouteModels, sandbox.RouteToken
	// The first request for the groups has no token.
	second := func(f sandbox.Fault) sandbox.Fault { f.Skip = 1; return f }
	tests := map[string]struct {
		status int
		want   string
		fault  sandbox.Fault
		option sandbox.Option
	}{
		"the sandbox": {want: " answers 8 requests as the interface has it.\n"},
		"JSON tokens": {want: " answers 9 requests as", option: sandbox.WithTokenFormat(sandbox.TokenJSON)},

		"fields": {
			1, "GET /v1/model-group/{id}/models: [].dockerImage: the field is missing\n" +
				"GET /v1/model-group/{id}/models: [].docker_image: there is no such field; did you mean dockerImage?\n",
			replaced(models, `"dockerImage"`, `"docker_image"`), nil,
		},
		"a terminal's escape": {
			1, `GET /v1/model-group/{id}: "\x1b]0;x\a": there is no such field` + "\n",
			replaced(aGroup, `{"axes"`, `{"\u001b]0;x\u0007":1,"axes"`), nil,
		},
		"a code": {1, `code: "\x1b[2J"; the interface has UNAUTHORIZED` + "\n", replaced(groups, "UNAUTHORIZED", `\u001b[2J`), nil},
		"a status": {
			1, `GET /v1/model-group/{id}, unknown id: status: 410, code "GONE"; the interface has 404` + "\n",
			answers(aGroup, 410, `{"code": "GONE", "message": "m"}`, ""), nil,
		},
		"an envelope": {1, "GET /v1/model-group/{id}/models: the answer is not JSON\n", replaced(models, "[", "{"), nil},

		"a web page": {2, "status 200 and a page of HTML. It comes from a web site, a login or a proxy", answers(groups, 200, "<p>", ""), nil},
		"a 404 page": {2, "status 404 and a page of HTML. It comes from", answers(aGroup, 404, "", "Content-Type: text/html"), nil},
		"a redirect": {2, `302. It redirects to "https://\u00e9": give that address`, answers(groups, 302, "", "Location: https://é"), nil},
		"a gateway":  {2, "status 502 and a page of HTML. Run again later.", answers(groups, 502, "<html>", ""), nil},
		"a pause":    {2, `status 503. Run again after Retry-After: "30".`, answers(groups, 503, "", "Retry-After: 30"), nil},
		"a limit": {
			2, `says "RATE_LIMITED". Run again after Retry-After: "9".`,
			second(answers(groups, 429, `{"code":"RATE_LIMITED"}`, "Retry-After: 9")), nil,
		},
		"a limit without a time": {2, "status 429. Run again later.", second(answers(groups, 429, "", "")), nil},
		"a secret": {
			2, `status 401 and says "invalid_client: No: (hidden)". Check MODELCATALOGUE_CLIENT_ID and`,
			sandbox.RefuseToken("invalid_client", "No: "+secret), nil,
		},
		"another request": {
			2, `status 400 and says "invalid_request: What?". Check the address`, sandbox.RefuseToken("invalid_request", "What?"), nil,
		},
		"no token":     {2, "status 200. It has no access_token", answers(token, 200, `{"token": "x"}`, ""), nil},
		"a token page": {2, "status 200 and a page of HTML. It comes from", answers(token, 200, "<p>", ""), nil},
		"an issuer": {
			2, `"UNAUTHORIZED: m". The token may have expired, or be from another issuer: get a new one`,
			second(sandbox.Refuse(groups, "UNAUTHORIZED", "m")), nil,
		},
		"forbidden": {2, `says "FORBIDDEN: m". Ask whoever runs the service`, second(sandbox.Refuse(groups, "FORBIDDEN", "m")), nil},
		"dropped": {
			2, "Check the address, and HTTPS_PROXY if this network needs a proxy.", sandbox.Fault{Kind: sandbox.Reset}, nil,
		},
		"cut": {2, "(unexpected EOF). The answer breaks off: run again.", sandbox.Fault{Kind: sandbox.CutLength}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var options []sandbox.Option
			if test.option != nil {
				options = append(options, test.option)
			}
			service := sandbox.New(sandbox.Default(), options...)
			service.Inject(test.fault)
			stdout, stderr, status := commanded(t, "compare", "-url="+sandboxtest.Start(t, service))
			said, nothing := stdout, stderr
			if test.status == 2 {
				said, nothing = stderr, stdout
			}
			if status != test.status || !strings.Contains(said, test.want) || nothing != "" || strings.Contains(said, secret) {
				t.Errorf("status %d\n%s%s\nwant %d %s", status, stdout, stderr, test.status, test.want)
			}
			if service.Count(sandbox.RouteAny) > 10 || name == "a secret" && service.Count(token) != 1 {
				t.Errorf("it sends %d requests, %d of them for a token", service.Count(sandbox.RouteAny), service.Count(token))
			}
		})
	}
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	if _, said, _ := commanded(t, "compare", "-url="+server.URL); !strings.Contains(said, "set MODELCATALOGUE_CA_CERTIFICATE_PEM") {
		t.Errorf("without its authority: %s", said)
	}
}

// recordAs records a service over connections in memory.
func recordAs(t *testing.T, service http.Handler, clientID string, groups ...string) (string, error) {
	t.Helper()
	dial, closeAll := sandboxtest.Pipe(service)
	transport := &http.Transport{DialContext: dial}
	defer closeAll()
	defer transport.CloseIdleConnections()
	r := &reader{
		site: &site{base: "http://127.0.0.1", client: &http.Client{Transport: transport}},
		id:   clientID, secret: clientID + "-sandbox-secret",
	}
	text, err := (&program{stderr: new(bytes.Buffer)}).recorded(t.Context(), r, groups)
	return string(text), err
}

// TestRecord serves what it has recorded, and records the same from that.
func TestRecord(t *testing.T) {
	minute := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 4, Per: time.Minute}
	tests := map[string]struct {
		option sandbox.Option
		fault  sandbox.Fault
		has    string
		takes  time.Duration // at least
	}{
		"the owner's":       {option: sandbox.WithHosts(), has: `"archived": true`},
		"latest unlisted":   {option: sandbox.WithArchivedUnlisted(), has: "de-lu-day-ahead-price@sha256:e49d63b2"},
		"with an allowance": {option: sandbox.WithAllowance(minute), takes: 2 * time.Minute},
		"short tokens": {
			option: sandbox.WithTokenLife(time.Millisecond),
			fault:  sandbox.Fault{Delay: time.Millisecond, Route: sandbox.RouteModels, Times: 1},
		},
		"a credential that is echoed": {
			option: sandbox.WithHosts(), has: `"echo": "(hidden)"`,
			fault: replaced("", `"archived":`, `"echo":"northwind-\u0073andbox-secret","archived":`),
		},
		"fields of tomorrow": {
			option: sandbox.WithHosts(), has: "12345678901234567890",
			fault: replaced("", `"archived":`, `"tomorrow":[1.50,12345678901234567890],"archived":`),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default(), test.option)
				service.Inject(test.fault)
				if _, err := service.SetArchived(group, 3, true); err != nil {
					t.Fatal(err)
				}
				for who, has := range map[string]string{"northwind": test.has, "contoso-trading": `"isOwner": false`} {
					begun := time.Now()
					text, err := recordAs(t, service, who)
					if err != nil || time.Since(begun) < test.takes || strings.Contains(text, who+"-sandbox-secret") || !strings.Contains(text, has) {
						t.Fatalf("after %s: %v\n%s", time.Since(begun), err, text)
					}
					catalogue, err := sandbox.ReadCatalogue(strings.NewReader(text))
					if err != nil {
						t.Fatal(err)
					}
					if twice, err := recordAs(t, sandbox.New(catalogue), "recorded"); err != nil || twice != text {
						t.Errorf("recorded again it is another one: %v", err)
					}
				}
				limited := 0
				for _, r := range service.Requests() {
					limited += r.Status / http.StatusTooManyRequests
				}
				if limited > 20 {
					t.Errorf("it was limited %d times", limited)
				}
			})
		})
	}
}

// TestRecordFails on what waiting does not change; it tries again what may pass.
func TestRecordFails(t *testing.T) {
	const groups, models = sandbox.RouteGroups, sandbox.RouteModels
	tests := map[string]struct {
		fault sandbox.Fault
		want  string
	}{
		"a short outage": {sandbox.Fault{Status: 503, Times: 3}, ""},
		"a long outage":  {answers(models, 503, "{}", ""), "is answered with status 503. Run again later."},
		"dropped":        {sandbox.Fault{Kind: sandbox.Reset, Times: 2}, "Check the address, and HTTPS_PROXY"},
		"another origin": {
			paged("Link", `<https://elsewhere.example/v1/model-group?page=2>; rel="next"`),
			`its address "https://elsewhere.example/v1/model-group?page=2" is not below http://127.0.0.1`,
		},
		"a loop":           {paged("Link", "</v1/model-group>; rel=next"), "the pages of the list go round"},
		"a wrong count":    {paged("X-Total-Count", "9"), "counts 9 elements, sends 8 and names no next page"},
		"no list":          {answers(groups, 200, "{}", ""), "is no list; `compare` reports how"},
		"no credentials":   {sandbox.RefuseToken("invalid_client", "No."), "Check MODELCATALOGUE_CLIENT_ID"},
		"a rejected token": {sandbox.Refuse(models, "UNAUTHORIZED", "No."), "The token may have expired"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, begun := sandbox.New(sandbox.Default()), time.Now()
				service.Inject(test.fault)
				text, err := recordAs(t, service, "northwind", group)
				if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
					t.Errorf("%v, want %s", err, test.want)
				}
				if err == nil && strings.Count(text, `"owner":`) != 1 {
					t.Errorf("recorded is %s", text)
				}
				if waits := time.Since(begun) > 0; waits != strings.HasSuffix(name, "outage") {
					t.Errorf("it ends after %s", time.Since(begun))
				}
			})
		})
	}
	_, err := recordAs(t, sandbox.New(sandbox.Default()), "northwind", "nope")
	if err == nil || !strings.Contains(err.Error(), `-group is "nope": the service has no such group`) {
		t.Errorf("of an unknown group: %v", err)
	}
}
