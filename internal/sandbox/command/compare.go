package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// comparison reads a service and remembers where it departs from the interface.
type comparison struct {
	*site
	token    string
	requests int
	told     []string
}

// compare is for whoever wants to know whether a service still speaks the
// interface. Its exit status is 1 where it does not, and 2 where that could not
// be told.
func (p *program) compare(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	base := urlFlag(flags)
	usage := func(io.Writer) { _ = p.help(ctx, []string{"compare"}) }
	if err := p.parseAll(flags, arguments, usage); err != nil {
		return err
	}
	c := &comparison{site: newSite(*base), token: os.Getenv("MODELCATALOGUE_ACCESS_TOKEN")}
	if err := c.read(ctx); err != nil {
		return &statusError{2, fmt.Errorf("%s could not be compared: %w", c.base, err)}
	}
	for _, line := range c.told {
		fmt.Fprintln(p.stdout, line)
	}
	if len(c.told) > 0 {
		return &statusError{1, nil}
	}
	_, err := fmt.Fprintf(p.stdout, "%s answers %d requests as the interface has it.\n", c.base, c.requests)
	return err
}

// expectation is one read, and what the interface answers.
type expectation struct {
	route  sandbox.Route
	what   string // tells apart the reads of one route
	id     string
	query  string
	status int
	code   string
}

func (c *comparison) read(ctx context.Context) error {
	const nobody = "00000000-0000-0000-0000-000000000000"
	token := c.token
	c.token = ""
	anonymous := expectation{route: sandbox.RouteGroups, what: ", without a token", status: 401, code: "UNAUTHORIZED"}
	if _, err := c.get(ctx, anonymous); err != nil {
		return err
	}
	if c.token = token; token == "" {
		if err := c.authenticate(ctx); err != nil {
			return err
		}
	}
	listed, err := c.get(ctx, expectation{route: sandbox.RouteGroups, status: 200})
	if err != nil {
		return err
	}
	reads := []expectation{
		{
			route: sandbox.RouteGroups, what: ", unknown time horizon", query: "?timeHorizon=" + nobody,
			status: 400, code: "BAD_REQUEST",
		},
		{route: sandbox.RouteGroup, what: ", unknown id", id: nobody, status: 404, code: "NOT_FOUND"},
	}
	var groups []struct {
		ID     string `json:"id"`
		Models []any  `json:"models"`
	}
	_ = json.Unmarshal(listed, &groups) // another shape was told already
	for _, g := range groups {
		if len(g.Models) > 0 && g.ID != "" {
			for _, route := range []sandbox.Route{sandbox.RouteGroup, sandbox.RouteLatest, sandbox.RouteModels} {
				reads = append(reads, expectation{route: route, id: g.ID, status: 200})
			}
			break
		}
	}
	for _, read := range reads {
		if _, err := c.get(ctx, read); err != nil {
			return err
		}
	}
	return nil
}

// get sends a read and remembers its departures.
func (c *comparison) get(ctx context.Context, want expectation) ([]byte, error) {
	path := strings.Replace(want.route.Pattern(), "{id}", url.PathEscape(want.id), 1) + want.query
	status, body, err := c.send(ctx, http.MethodGet, path, "", "")
	if err != nil {
		return nil, err
	}
	if c.token != "" && status != want.status && isRefusal(status) {
		return nil, fmt.Errorf("GET %s is answered with status %d", want.route.Pattern(), status)
	}
	departures := sandbox.Departures(want.route, status, body)
	var refusal struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(body, &refusal) // another shape is told by the schema
	switch {
	case status != want.status:
		departures = append(departures, fmt.Sprintf("status: %d, where the interface has %d", status, want.status))
	case want.code != "" && refusal.Code != want.code:
		departures = append(departures, "code: another one, where the interface has "+want.code)
	}
	c.tell("GET "+want.route.Pattern()+want.what, departures)
	return body, nil
}

// isRefusal is said of a status that tells nothing of the interface: the service
// is down, or does not let these credentials read.
func isRefusal(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden ||
		status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

func (c *comparison) tell(request string, departures []string) {
	for _, departure := range departures {
		c.told = append(c.told, request+": "+departure)
	}
}

// authenticate asks for a token with a form, and once more with JSON where the
// service takes no forms.
func (c *comparison) authenticate(ctx context.Context) error {
	id, secret := os.Getenv("MODELCATALOGUE_CLIENT_ID"), os.Getenv("MODELCATALOGUE_CLIENT_SECRET")
	if id == "" || secret == "" {
		return errors.New("MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, or MODELCATALOGUE_ACCESS_TOKEN, " +
			"are not set")
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
	fields := map[string]string{}
	for name := range form {
		fields[name] = form.Get(name)
	}
	asJSON, err := json.Marshal(fields)
	if err == nil {
		err = c.askToken(ctx, "application/x-www-form-urlencoded", form.Encode())
	}
	if err == nil && c.token == "" {
		err = c.askToken(ctx, "application/json", string(asJSON))
	}
	if err == nil && c.token == "" {
		err = errors.New("the token request is refused as a form and as JSON")
	}
	return err
}

// askToken leaves the token empty where the service may take another content type.
func (c *comparison) askToken(ctx context.Context, contentType, body string) error {
	status, text, err := c.send(ctx, http.MethodPost, sandbox.RouteToken.Pattern(), contentType, body)
	if err != nil {
		return err
	}
	var answer struct {
		Token string `json:"access_token"`
		Error string `json:"error"`
	}
	isJSON := json.Unmarshal(text, &answer) == nil
	switch {
	case isJSON && status == http.StatusOK && answer.Token != "":
		c.token = answer.Token
		c.tell("POST "+sandbox.RouteToken.Pattern(), sandbox.Departures(sandbox.RouteToken, status, text))
		return nil
	case status == http.StatusUnsupportedMediaType,
		answer.Error == "invalid_request", answer.Error == "unsupported_grant_type":
		return nil
	}
	return fmt.Errorf("the token request is answered with status %d, and no token", status)
}

// send counts the request, and reads the whole answer.
func (c *comparison) send(ctx context.Context, method, path, contentType, body string) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	c.requests++
	request.Header.Set("Accept", "application/json")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, reasonOf(err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(response.Body, 256<<20))
	return response.StatusCode, text, err
}
