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
	if err := p.parse(flags, arguments, usage); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return misused("unexpected argument %q", flags.Arg(0))
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
	id     string
	query  string
	status int
	code   string
}

func (c *comparison) read(ctx context.Context) error {
	const nobody = "00000000-0000-0000-0000-000000000000"
	token := c.token
	c.token = ""
	if _, err := c.get(ctx, expectation{route: sandbox.RouteGroups, status: 401, code: "UNAUTHORIZED"}); err != nil {
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
		{route: sandbox.RouteGroups, query: "?timeHorizon=" + nobody, status: 400, code: "BAD_REQUEST"},
		{route: sandbox.RouteGroup, id: nobody, status: 404, code: "NOT_FOUND"},
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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	status, body, err := c.send(request)
	if err != nil {
		return nil, err
	}
	if c.token != "" && status != want.status && (status == http.StatusUnauthorized || status == http.StatusForbidden ||
		status == http.StatusTooManyRequests || status >= http.StatusInternalServerError) {
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
	for _, departure := range departures {
		c.told = append(c.told, fmt.Sprintf("GET %s%s: %s", want.route.Pattern(), wordsOf(want), departure))
	}
	return body, nil
}

// wordsOf tells apart the reads of one route.
func wordsOf(want expectation) string {
	switch want.status {
	case http.StatusBadRequest:
		return ", unknown time horizon"
	case http.StatusUnauthorized:
		return ", without a token"
	case http.StatusNotFound:
		return ", unknown id"
	}
	return ""
}

// authenticate asks for a token with a form, and once more with JSON where the
// service takes no forms.
func (c *comparison) authenticate(ctx context.Context) error {
	id, secret := os.Getenv("MODELCATALOGUE_CLIENT_ID"), os.Getenv("MODELCATALOGUE_CLIENT_SECRET")
	if id == "" || secret == "" {
		return errors.New("MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, or MODELCATALOGUE_ACCESS_TOKEN, " +
			"are not set")
	}
	fields := map[string]string{"grant_type": "client_credentials", "client_id": id, "client_secret": secret}
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	asJSON, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	for _, attempt := range []struct{ contentType, body string }{
		{"application/x-www-form-urlencoded", form.Encode()}, {"application/json", string(asJSON)},
	} {
		address, body := c.base+sandbox.RouteToken.Pattern(), strings.NewReader(attempt.body)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", attempt.contentType)
		status, text, err := c.send(request)
		var answer struct {
			Token string `json:"access_token"`
			Error string `json:"error"`
		}
		switch {
		case err != nil:
			return err
		case json.Unmarshal(text, &answer) == nil && status == http.StatusOK && answer.Token != "":
			c.token = answer.Token
			for _, departure := range sandbox.Departures(sandbox.RouteToken, status, text) {
				c.told = append(c.told, fmt.Sprintf("POST %s: %s", sandbox.RouteToken.Pattern(), departure))
			}
			return nil
		case status == http.StatusUnsupportedMediaType,
			answer.Error == "invalid_request", answer.Error == "unsupported_grant_type":
		default:
			return fmt.Errorf("the token request is answered with status %d, and no token", status)
		}
	}
	return errors.New("the token request is refused as a form and as JSON")
}

// send counts the request, and reads the whole answer.
func (c *comparison) send(request *http.Request) (status int, body []byte, err error) {
	c.requests++
	request.Header.Set("Accept", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, reasonOf(err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	body, err = io.ReadAll(io.LimitReader(response.Body, 256<<20))
	return response.StatusCode, body, err
}
