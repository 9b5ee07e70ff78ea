package command

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const secret = "northwind-sandbox-secret"

func withCredentials(t *testing.T) {
	t.Helper()
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "northwind")
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", secret)
}

// Credentials go to the address that was given, and only over https unless it is a loopback one.
func TestAddresses(t *testing.T) {
	withCredentials(t)
	for address, want := range map[string]string{
		"":                              "Give -url or set MODELCATALOGUE_BASE_URL; there is no default",
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
	if _, err := newReader("https://c.example"); err == nil || !strings.Contains(err.Error(), "CLIENT_SECRET, or MODELCATALOGUE_ACCESS_TOKEN, are not set") {
		t.Errorf("without credentials: %v", err)
	}
}

// 0.0.0.0 is this machine, and no loopback address.
func TestClearTextIsNotSent(t *testing.T) {
	withCredentials(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan bool)
	go func() { _, err := listener.Accept(); heard <- err == nil }()
	for _, command := range []string{"compare", "record"} {
		if _, said, status := commanded(t, command, "-url=http://"+listener.Addr().String()); status != 2 || !strings.Contains(said, "clear text") {
			t.Errorf("%s: %d, %s", command, status, said)
		}
	}
	listener.Close()
	if <-heard {
		t.Error("it was asked")
	}
}

func replaced(route sandbox.Route, was, is string) sandbox.Fault {
	return sandbox.Fault{Route: route, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		return status, header, []byte(strings.ReplaceAll(string(body), was, is))
	}}
}

// paged answers a list with that header.
func paged(name, value string) sandbox.Fault {
	return sandbox.Fault{Route: sandbox.RouteGroups, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		if status == http.StatusOK {
			header.Set(name, value)
		}
		return status, header, body
	}}
}

func TestCompare(t *testing.T) {
	withCredentials(t)
	tests := map[string]struct {
		options []sandbox.Option
		faults  []sandbox.Fault
		want    string
	}{
		"the sandbox": {want: " answers 8 requests as the interface has it.\n"},
		"JSON tokens": {options: []sandbox.Option{sandbox.WithTokenFormat(sandbox.TokenJSON)}, want: " answers 9 requests as"},
		"fields": {faults: []sandbox.Fault{replaced(sandbox.RouteModels, `"dockerImage"`, `"docker_image"`)}, want: "" +
			"GET /v1/model-group/{id}/models: [].dockerImage: the field is missing\n" +
			"GET /v1/model-group/{id}/models: [].docker_image: there is no such field; did you mean dockerImage?\n"},
		"a terminal's escape": {
			faults: []sandbox.Fault{replaced(sandbox.RouteGroup, `{"axes"`, `{"\u001b]0;x\u0007":1,"axes"`)},
			want:   `GET /v1/model-group/{id}: "\x1b]0;x\a": there is no such field` + "\n",
		},
		"a code": {
			faults: []sandbox.Fault{replaced(sandbox.RouteGroups, "UNAUTHORIZED", `\u001b[2J`)},
			want:   `code: "\x1b[2J"; the interface has UNAUTHORIZED` + "\n",
		},
		"another status": {
			faults: []sandbox.Fault{{Route: sandbox.RouteGroup, Status: 410, Body: `{"code": "GONE", "message": "m"}`, Times: 1}},
			want:   `GET /v1/model-group/{id}, unknown id: status: 410, code "GONE"; the interface has 404` + "\n",
		},
		"pages":       {options: []sandbox.Option{sandbox.WithPageSize(3)}, want: "GET /v1/model-group: the answer: it comes in pages, and"},
		"a count":     {faults: []sandbox.Fault{paged("X-Total-Count", "9")}, want: `its header X-Total-Count counts "9", and it has 8` + "\n"},
		"an envelope": {faults: []sandbox.Fault{replaced(sandbox.RouteModels, "[", "{")}, want: "GET /v1/model-group/{id}/models: the answer is not JSON\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			service := sandbox.New(sandbox.Default(), test.options...)
			for _, fault := range test.faults {
				service.Inject(fault)
			}
			stdout, stderr, status := commanded(t, "compare", "-url="+sandboxtest.Start(t, service))
			isSame := strings.Contains(test.want, "as the interface has it") || strings.Contains(test.want, "requests as")
			if !strings.Contains(stdout, test.want) || stderr != "" || (status == 0) != isSame || status > 1 || service.Count(sandbox.RouteAny) > 10 {
				t.Errorf("status %d\n%s%s\nwant %s", status, stdout, stderr, test.want)
			}
		})
	}
}

// Each failure says what the service said, and the next step.
func TestCompareFailures(t *testing.T) {
	withCredentials(t)
	answer := func(status int, body string, header ...string) sandbox.Fault {
		f := sandbox.Fault{Status: status, Body: body, Header: http.Header{}}
		for i := 0; i < len(header); i += 2 {
			f.Header.Set(header[i], header[i+1])
		}
		return f
	}
	after := func(skip int, f sandbox.Fault) sandbox.Fault { f.Skip = skip; return f }
	only := func(route sandbox.Route, f sandbox.Fault) sandbox.Fault { f.Route = route; return f }
	token := func(f sandbox.Fault) sandbox.Fault { return only(sandbox.RouteToken, f) }
	tests := map[string]struct {
		fault sandbox.Fault
		want  string
	}{
		"a web page":    {answer(200, "<html>", "Content-Type", "text/html"), "status 200 and a page of HTML. It comes from a web site, a login or a proxy"},
		"a 404 page":    {answer(404, "<!doctype html>"), "status 404 and a page of HTML. It comes from"},
		"a redirect":    {answer(302, "", "Location", "https://é"), `status 302. It redirects to "https://\u00e9": give that address`},
		"a gateway":     {answer(502, "<html>"), "status 502 and a page of HTML. Run again later."},
		"a pause":       {answer(503, "", "Retry-After", "30"), `status 503. Run again after Retry-After: "30".`},
		"a limit":       {after(2, answer(429, `{"code":"RATE_LIMITED"}`, "Retry-After", "9")), `says "RATE_LIMITED". Run again after Retry-After: "9".`},
		"a secret":      {token(sandbox.RefuseToken("invalid_client", "No: "+secret)), `status 401 and says "invalid_client: No: (hidden)". Check MODELCATALOGUE_CLIENT_ID and`},
		"refused twice": {token(sandbox.RefuseToken("invalid_request", "What?")), `status 400 and says "invalid_request: What?". Check the address`},
		"no token":      {token(answer(200, `{"token": "x"}`)), "status 200. It has no access_token"},
		"a token page":  {token(answer(200, "<p>")), "status 200 and a page of HTML. It comes from"},
		"an issuer":     {after(1, only(sandbox.RouteGroups, answer(401, `{"code":"UNAUTHORIZED","message":"m"}`))), `"UNAUTHORIZED: m". The token may be over, or of another issuer.`},
		"forbidden":     {after(1, only(sandbox.RouteGroups, answer(403, `{"code":"FORBIDDEN"}`))), `says "FORBIDDEN". Ask whoever runs the service`},
		"dropped":       {sandbox.Fault{Kind: sandbox.Reset}, "Check the address, and HTTPS_PROXY if this network needs a proxy."},
		"cut":           {sandbox.Fault{Kind: sandbox.CutLength}, "(unexpected EOF). The answer breaks off: run again."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			service := sandbox.New(sandbox.Default())
			service.Inject(test.fault)
			stdout, stderr, status := commanded(t, "compare", "-url="+sandboxtest.Start(t, service))
			if status != 2 || stdout != "" || !strings.Contains(stderr, test.want) || strings.Contains(stderr, secret) {
				t.Errorf("status %d\n%s%s\nwant %s", status, stdout, stderr, test.want)
			}
		})
	}
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	if _, said, _ := commanded(t, "compare", "-url="+server.URL); !strings.Contains(said, "set MODELCATALOGUE_CA_CERTIFICATE_PEM") {
		t.Errorf("without its authority: %s", said)
	}
}

// piped reads a sandbox over connections in memory.
func piped(t *testing.T, service http.Handler, clientID string) *reader {
	t.Helper()
	dial, closeAll := sandboxtest.Pipe(service)
	transport := &http.Transport{DialContext: dial}
	t.Cleanup(func() { transport.CloseIdleConnections(); closeAll() })
	return &reader{site: &site{base: "http://127.0.0.1", client: &http.Client{Transport: transport}}, id: clientID, secret: clientID + "-sandbox-secret"}
}

// A recorded sandbox, served again, answers every read as the first one did.
func TestRecord(t *testing.T) {
	minute := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 4, Per: time.Minute}
	tests := map[string]struct {
		clientID string
		options  []sandbox.Option
		fault    sandbox.Fault
		least    time.Duration
	}{
		"the owner's":       {clientID: "northwind"},
		"with withheld":     {clientID: "contoso-trading"},
		"in pages":          {clientID: "northwind", options: []sandbox.Option{sandbox.WithPageSize(1)}},
		"archived unlisted": {clientID: "northwind", options: []sandbox.Option{sandbox.WithArchivedUnlisted()}},
		"with an allowance": {clientID: "northwind", options: []sandbox.Option{sandbox.WithAllowance(minute)}, least: 2 * time.Minute},
		"short tokens":      {clientID: "northwind", options: []sandbox.Option{sandbox.WithTokenLife(time.Millisecond)}, fault: sandbox.Fault{Delay: time.Millisecond, Route: sandbox.RouteModels, Times: 1}},
		"a credential that is echoed": {clientID: "northwind", fault: sandbox.Fault{
			Mutate: func(status int, h http.Header, body []byte) (int, http.Header, []byte) {
				return status, h, bytes.ReplaceAll(body, []byte(`"archived":`), []byte(`"echo":"northwind-\u0073andbox-secret","archived":`))
			},
		}},
		"fields of tomorrow": {clientID: "northwind", fault: sandbox.Fault{Mutate: func(status int, h http.Header, body []byte) (int, http.Header, []byte) {
			return status, h, bytes.ReplaceAll(body, []byte(`"archived":`), []byte(`"tomorrow":[1.50,12345678901234567890],"archived":`))
		}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default(), test.options...)
				service.Inject(test.fault)
				begun := time.Now()
				p := &program{stderr: new(bytes.Buffer)}
				text, err := p.recorded(t.Context(), piped(t, service, test.clientID), nil)
				if err != nil || time.Since(begun) < test.least || strings.Contains(string(text), test.clientID+"-sandbox-secret") {
					t.Fatalf("after %s: %v\n%s", time.Since(begun), err, text)
				}
				limited := 0
				for _, r := range service.Requests() {
					limited += r.Status / http.StatusTooManyRequests
				}
				if limited > 10 {
					t.Errorf("it was refused %d times", limited)
				}
				catalogue, err := sandbox.ReadCatalogue(bytes.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				again := sandbox.New(catalogue)
				if twice, err := p.recorded(t.Context(), piped(t, again, "recorded"), nil); err != nil || !bytes.Equal(twice, text) {
					t.Errorf("recorded again it is another one: %v", err)
				}
				compared := 0
				first, second := piped(t, service, test.clientID), piped(t, again, "recorded")
				var file recordedFile
				if err := json.Unmarshal(text, &file); err != nil {
					t.Fatal(err)
				}
				for _, g := range file.ModelGroups {
					_ = json.Unmarshal(g.Group, &g.known)
					for _, tail := range []string{"", "/latest-model"} {
						path := "/v1/model-group/" + url.PathEscape(g.known.ID) + tail
						a, err := p.polite(t.Context(), first, path)
						if err != nil {
							t.Fatal(err)
						}
						b, err := p.polite(t.Context(), second, path)
						if err != nil || a.status != b.status || a.status == 200 && ordered(a.body) != ordered(b.body) {
							t.Errorf("%s: %d %s\nthen %d %s", path, a.status, a.body, b.status, b.body)
						}
						compared++
					}
				}
				if compared < 10 {
					t.Errorf("only %d answers were compared", compared)
				}
			})
		})
	}
}

func ordered(text []byte) string {
	value := jsontext.Value(text)
	_ = value.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(true)) // it is JSON, or another one's
	return string(value)
}

// One group, politely: a request at a time, and what may pass is tried again.
func TestRecordFails(t *testing.T) {
	tests := map[string]struct {
		fault sandbox.Fault
		group string
		want  string
	}{
		"one group":       {group: group},
		"a short outage":  {fault: sandbox.Fault{Status: 503, Times: 3}},
		"a long outage":   {fault: sandbox.Fault{Status: 503, Body: "{}", Route: sandbox.RouteModels}, want: "is answered with status 503. Run again later."},
		"an unknown id":   {group: "nope", want: `-group is "nope": the service has no such group`},
		"another origin":  {fault: paged("Link", `<https://elsewhere.example/v1/model-group?page=2>; rel="next"`), want: `its address "https://elsewhere.example/v1/model-group?page=2" is not below http://127.0.0.1`},
		"a loop":          {fault: paged("Link", "</v1/model-group>; rel=next"), want: "the pages of the list go round"},
		"a wrong count":   {fault: paged("X-Total-Count", "9"), want: "counts 9 elements, sends 8 and names no next page"},
		"no list":         {fault: sandbox.Fault{Route: sandbox.RouteGroups, Status: 200, Body: "{}"}, want: "is no list; `compare` reports where"},
		"no credentials":  {fault: sandbox.RefuseToken("invalid_client", "No."), want: "Check MODELCATALOGUE_CLIENT_ID"},
		"a refused token": {fault: sandbox.Refuse(sandbox.RouteModels, "UNAUTHORIZED", "No."), want: "The token may be over"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				if test.fault.Status != 0 || test.fault.Mutate != nil {
					service.Inject(test.fault)
				}
				var wanted []string
				if test.group != "" {
					wanted = []string{test.group}
				}
				text, err := (&program{stderr: new(bytes.Buffer)}).recorded(t.Context(), piped(t, service, "northwind"), wanted)
				if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
					t.Errorf("%v, want %s", err, test.want)
				}
				if err == nil && test.group != "" && strings.Count(string(text), `"owner":`) != 1 {
					t.Errorf("recorded is %s", text)
				}
			})
		})
	}
}
