package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const (
	mainGroup    = sandbox.MainGroup
	privateGroup = "300e8055-5890-451a-a300-e618befa8baf"
	emptyGroup   = "233191dc-5464-496a-8502-52b761ba36f7"
	oddGroup     = "emea/power?v=1#β %41"
)

// reply is an answer as it came back.
type reply struct {
	status int
	header http.Header
	body   string
}

// caller sends requests to a sandbox.
type caller struct {
	t      *testing.T
	base   string
	token  string
	client *http.Client
}

func start(t *testing.T, s *sandbox.Sandbox) caller {
	t.Helper()
	return caller{t: t, base: sandboxtest.Start(t, s), client: http.DefaultClient}
}

// direct returns a caller without a socket, for a fake clock and for other addresses.
func direct(t *testing.T, s *sandbox.Sandbox) caller {
	t.Helper()
	return caller{t: t, base: "http://127.0.0.1", client: &http.Client{Transport: handled{s}}}
}

type handled struct{ http.Handler }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w, request := httptest.NewRecorder(), httptest.NewRequest(r.Method, r.URL.String(), r.Body)
	request.Header = r.Header
	h.ServeHTTP(w, request)
	return w.Result(), nil
}

// as returns a caller with a fresh token of the organisation.
func (c caller) as(clientID string) caller {
	c.t.Helper()
	c.token = ""
	return c.bearing(c.form(credentials(clientID)))
}

// asOrganisation is as for an organisation with any secret.
func (c caller) asOrganisation(o sandbox.Organisation) caller {
	c.t.Helper()
	c.token = ""
	return c.bearing(c.form(url.Values{
		"grant_type": {"client_credentials"}, "client_id": {o.ClientID}, "client_secret": {o.ClientSecret},
	}))
}

// bearing returns a caller with the token of an answer. The answer must follow the interface.
func (c caller) bearing(token reply) caller {
	c.t.Helper()
	var answer struct {
		Token string `json:"access_token"`
	}
	token.decode(c.t, &answer)
	if token.status != http.StatusOK || answer.Token == "" {
		c.t.Fatalf("the token is %d %s", token.status, token.body)
	}
	expectNone(c.t, "the token", sandbox.RouteToken, token)
	c.token = answer.Token
	return c
}

func credentials(clientID string) url.Values {
	return url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {clientID},
		"client_secret": {clientID + "-sandbox-secret"},
	}
}

func (c caller) form(form url.Values) reply {
	c.t.Helper()
	return c.do(http.MethodPost, "/v1/auth/token", form.Encode(),
		"Content-Type", "application/x-www-form-urlencoded")
}

func (c caller) get(path string) reply {
	c.t.Helper()
	return c.do(http.MethodGet, path, "")
}

func (c caller) do(method, path, body string, header ...string) reply {
	c.t.Helper()
	got, err := c.try(method, path, body, header...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func (c caller) try(method, path, body string, header ...string) (reply, error) {
	if strings.HasPrefix(path, "/") {
		path = c.base + path
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response, err := c.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{status: response.StatusCode, header: response.Header, body: string(text)}, err
}

func (r reply) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), into); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
}

// codes are the codes by status, if the sandbox has only one for it.
var codes = map[int]string{401: "UNAUTHORIZED", 404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 429: "RATE_LIMITED"}

// wants fails unless the answer has the status and, if code is not empty, that code or OAuth error.
func (r reply) wants(t *testing.T, status int, code string) {
	t.Helper()
	var body struct{ Code, Error string }
	if code != "" {
		r.decode(t, &body)
	}
	if r.status != status || code != "" && body.Code != code && (body.Code != "" || body.Error != code) {
		t.Errorf("got %d %s, want %d %s", r.status, r.body, status, code)
	}
}

// ids returns the ids of a list answer, in its order.
func (r reply) ids(t *testing.T) []string {
	t.Helper()
	var list []struct{ ID string }
	r.decode(t, &list)
	ids := make([]string, len(list))
	for i, element := range list {
		ids[i] = element.ID
	}
	return ids
}

// groupPath returns the path of a group, with the id as one element.
func groupPath(id, tail string) string {
	return "/v1/model-group/" + url.PathEscape(id) + tail
}

// parse reads a catalogue with these groups and the organisations "owner" and "other".
func parse(t *testing.T, groups string) *sandbox.Catalogue {
	t.Helper()
	c, err := sandbox.ParseCatalogue(strings.NewReader(`{
		"organisations": [
			{"name": "Owner", "clientId": "owner", "clientSecret": "owner-sandbox-secret"},
			{"name": "Other", "clientId": "other", "clientSecret": "other-sandbox-secret"}
		],
		"timeHorizons": [{"key": "day_ahead"}],
		"modelGroups": [` + groups + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ordered sorts the members of all objects of a text, as the sandbox's answers do.
func ordered(t *testing.T, text string) string {
	t.Helper()
	value := jsontext.Value(text)
	if err := value.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(true)); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return string(value)
}
