package command

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// comparison is what a service's answers depart in from the interface.
type comparison struct {
	*reader
	departures []string
}

// compare is for whoever wants to know whether a service still speaks the
// interface. Its exit status is 1 if it does not, and 2 if that is unknown.
func (p *program) compare(flags *flag.FlagSet) run {
	base := serviceFlag(flags)
	return func(ctx context.Context, _ []string) error {
		r, err := newReader(*base)
		if err != nil {
			return err
		}
		c := &comparison{reader: r}
		if err := c.read(ctx); err != nil {
			return &statusError{2, fmt.Errorf("the service could not be compared: %w", err)}
		}
		for _, line := range c.departures {
			fmt.Fprintln(p.stdout, line)
		}
		if len(c.departures) > 0 {
			return &statusError{1, nil}
		}
		_, err = fmt.Fprintf(p.stdout, "%s answers %d requests as the interface has it.\n", r.base, r.requests)
		return err
	}
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
		a, err := c.authenticate(ctx)
		if err != nil {
			return err
		}
		c.add("POST "+sandbox.RouteToken.Pattern(), sandbox.Departures(sandbox.RouteToken, a.status, a.header, a.body))
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
	_ = json.Unmarshal(listed.body, &groups) // another shape is reported already
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

// get sends a read and adds its departures.
func (c *comparison) get(ctx context.Context, want expectation) (*reply, error) {
	path := strings.Replace(want.route.Pattern(), "{id}", url.PathEscape(want.id), 1) + want.query
	a, err := c.send(ctx, http.MethodGet, path, "", "")
	if err != nil {
		return nil, err
	}
	if a.status != want.status && c.token != "" && isFinal(a.status) || a.status/100 == 3 || a.status >= 500 || a.isPage() {
		return nil, c.failure(a)
	}
	departures := sandbox.Departures(want.route, a.status, a.header, a.body)
	var refusal struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(a.body, &refusal) // the schema reports another shape
	switch {
	case a.status != want.status:
		departures = append(departures, fmt.Sprintf("status: %d, code %s; the interface has %d", a.status, c.quote(refusal.Code), want.status))
	case want.code != "" && refusal.Code != want.code:
		departures = append(departures, "code: "+c.quote(refusal.Code)+"; the interface has "+want.code)
	}
	c.add("GET "+want.route.Pattern()+want.what, departures)
	return a, nil
}

// isFinal reports whether a status says nothing of the interface: the service
// does not let these credentials read.
func isFinal(status int) bool {
	return slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}, status)
}

func (c *comparison) add(request string, departures []string) {
	for _, departure := range departures {
		c.departures = append(c.departures, request+": "+departure)
	}
}
