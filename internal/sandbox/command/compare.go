package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// comparison reads a service and collects where its answers depart from the interface.
type comparison struct {
	*reader
	departures []string
}

// compare prints where a service departs from the interface. The exit status is then 1, and 2 if that is unknown.
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
	anonymous := expectation{sandbox.RouteGroups, ", without a token", "", "", 401, "UNAUTHORIZED"}
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
		{sandbox.RouteGroups, ", unknown time horizon", "", "?timeHorizon=" + nobody, 400, "BAD_REQUEST"},
		{sandbox.RouteGroup, ", unknown id", nobody, "", 404, "NOT_FOUND"},
	}
	var groups []struct {
		ID     string `json:"id"`
		Models []any  `json:"models"`
	}
	_ = json.Unmarshal(listed.body, &groups) // another shape has been reported
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
	// Rejected credentials, a gateway or another site say nothing about the interface.
	barred := slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}, a.status)
	if barred && c.token != "" || a.status/100 == 3 || a.status >= 500 || a.isPage() {
		return nil, c.failure(a)
	}
	departures := sandbox.Departures(want.route, a.status, a.header, a.body)
	switch code := a.refusal().Code; {
	case a.status != want.status:
		said := fmt.Sprintf("status: %d, code %s; the interface has %d", a.status, c.quote(code), want.status)
		departures = append(departures, said)
	case want.code != "" && code != want.code:
		departures = append(departures, "code: "+c.quote(code)+"; the interface has "+want.code)
	}
	c.add("GET "+want.route.Pattern()+want.what, departures)
	return a, nil
}

func (c *comparison) add(request string, departures []string) {
	for _, departure := range departures {
		c.departures = append(c.departures, request+": "+departure)
	}
}

// reader reads a service with the user's credentials, and sends them to no other address.
type reader struct {
	*site
	id, secret, token string
	tokens            []string // earlier ones
	requests          int
}

// newReader reads the address and the credentials as the provider does. The address has no default, and must be https
// unless it is a loopback one.
func newReader(address string) (*reader, error) {
	address = strings.TrimRight(cmp.Or(address, os.Getenv("MODELCATALOGUE_BASE_URL")), "/")
	if address == "" {
		return nil, misused("which service? Give -url or set MODELCATALOGUE_BASE_URL. There is no default, " +
			"because your credentials are sent there")
	}
	u, err := url.Parse(address)
	shown := address[strings.LastIndex(address, "@")+1:] // without a password
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "":
		return nil, misused("the address is %q: one such as https://catalogue.example.com is expected", shown)
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return nil, misused("the address is %q: http would send the credentials in clear text. Write https; "+
			"http is for a loopback address only", address)
	case strings.HasSuffix(u.Path, "/v1"):
		return nil, misused("the address is %q: leave /v1 out, which the path of every request begins with", address)
	}
	r := &reader{
		site: newSite(address), id: os.Getenv("MODELCATALOGUE_CLIENT_ID"), secret: os.Getenv("MODELCATALOGUE_CLIENT_SECRET"),
		token: os.Getenv("MODELCATALOGUE_ACCESS_TOKEN"),
	}
	if r.token == "" && (r.id == "" || r.secret == "") {
		return nil, misused("credentials are missing: set MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, " +
			"or MODELCATALOGUE_ACCESS_TOKEN")
	}
	return r, nil
}

func serviceFlag(flags *flag.FlagSet) *string {
	return flags.String("url", "", "`URL` of the service (default: MODELCATALOGUE_BASE_URL)")
}

// send sends a request with the credentials, and counts it.
func (r *reader) send(ctx context.Context, method, path, contentType, body string) (*reply, error) {
	r.requests++
	header := http.Header{"Accept": {"application/json"}}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	} else if r.token != "" {
		header.Set("Authorization", "Bearer "+r.token)
	}
	a, err := r.site.send(ctx, method, path, header, body)
	if err == nil {
		return a, nil
	}
	next := "Check the address, and HTTPS_PROXY if this network needs a proxy."
	switch said := err.Error(); {
	case strings.Contains(said, "x509") || strings.Contains(said, "certificate"):
		next = "If its certificate is from an authority of your own, set MODELCATALOGUE_CA_CERTIFICATE_PEM."
	case errors.Is(err, io.ErrUnexpectedEOF):
		next = "The answer breaks off: run again."
	}
	return nil, fmt.Errorf("no answer to %s %s comes from %s (%w). %s", method, path, r.base, reasonOf(err), next)
}

// authenticate requests a token with a form, and once more with JSON unless the answer shows that the form was
// understood. If there is no token, it returns the answer, if there is one, and an error.
func (r *reader) authenticate(ctx context.Context) (*reply, error) {
	fields := map[string]string{"grant_type": "client_credentials", "client_id": r.id, "client_secret": r.secret}
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	asJSON, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	var a *reply
	for _, body := range [][2]string{{"x-www-form-urlencoded", form.Encode()}, {"json", string(asJSON)}} {
		a, err = r.send(ctx, http.MethodPost, sandbox.RouteToken.Pattern(), "application/"+body[0], body[1])
		if err != nil {
			return nil, err
		}
		var said struct {
			Token      string `json:"access_token"`
			CamelToken string `json:"accessToken"`
		}
		_ = json.Unmarshal(a.body, &said) // another shape has no token
		if a.status == http.StatusOK {
			r.token = cmp.Or(said.Token, said.CamelToken)
		}
		if r.token != "" {
			return a, nil
		}
		if a.status/100 != 4 || a.status == http.StatusTooManyRequests || a.refusal().Error == "invalid_client" {
			break
		}
	}
	return a, r.failure(a)
}

// failure returns an error with what the service said and the next step.
func (r *reader) failure(a *reply) error {
	refused := a.refusal()
	said := strings.Trim(cmp.Or(refused.Code, refused.Error)+": "+cmp.Or(refused.Message, refused.Description), ": ")
	isToken := strings.HasPrefix(a.request, http.MethodPost)
	switch {
	case said != "":
		said = " and says " + r.quote(said)
	case a.isPage():
		said = " and a page of HTML"
	}
	next := "Check the address: this may be another service."
	switch wait := a.header.Get("Retry-After"); {
	case a.status/100 == 3:
		next = "It redirects to " + r.quote(a.header.Get("Location")) + ": give that address, if it is the service's."
	case wait != "":
		next = "Run again after Retry-After: " + r.quote(wait) + "."
	case a.status >= 500, a.status == http.StatusRequestTimeout, a.status == http.StatusTooManyRequests:
		next = "Run again later."
	case a.isPage():
		next = "It comes from a web site, a login or a proxy: give the address of the interface itself."
	case a.status == http.StatusUnauthorized && isToken:
		next = "Check MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET."
	case a.status == http.StatusUnauthorized:
		next = "The token may have expired, or be from another issuer: get a new one for this service."
	case a.status == http.StatusForbidden:
		next = "Ask whoever runs the service to permit your organisation."
	case a.status == http.StatusOK && isToken:
		next = "It has no access_token: check that the address is the service's."
	}
	return fmt.Errorf("%s is answered with status %d%s. %s", a.request, a.status, said, next)
}

func (a *reply) isPage() bool {
	kind, begin := a.header.Get("Content-Type"), bytes.TrimSpace(a.body)
	return strings.HasPrefix(kind, "text/html") || bytes.HasPrefix(begin, []byte("<"))
}

// hide replaces the credentials in an answer, which may echo them.
func (r *reader) hide(text string) string {
	for _, secret := range append(r.tokens, r.token, r.secret) {
		if quoted, _ := json.Marshal(secret); secret != "" {
			text = strings.NewReplacer(secret, "(hidden)", strings.Trim(string(quoted), `"`), "(hidden)").Replace(text)
		}
	}
	return text
}

// quote abridges and quotes a text of the service, without the credentials.
func (r *reader) quote(text string) string {
	text = r.hide(text)
	const maxShown = 200
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return fmt.Sprintf("%+q", text)
}

var nextLink = regexp.MustCompile(`<([^<>]*)>[^<]*;\s*rel="?next"?`)

// nextPage returns the path of the next page, or "".
func (r *reader) nextPage(a *reply) (string, error) {
	link := nextLink.FindStringSubmatch(strings.Join(a.header.Values("Link"), ","))
	if link == nil {
		return "", nil
	}
	_, path, _ := strings.Cut(a.request, " ")
	from, err := url.Parse(r.base + path)
	if err != nil {
		return "", err
	}
	next, err := from.Parse(link[1])
	if err != nil || !strings.HasPrefix(next.String(), r.base+"/") {
		return "", fmt.Errorf("the next page of %s is not read: its address %s is not below %s",
			a.request, r.quote(link[1]), r.base)
	}
	return strings.TrimPrefix(next.String(), r.base), nil
}
