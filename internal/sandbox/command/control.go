package command

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

var wildcard = regexp.MustCompile(`\{\w+\}`)

// argumentsOf returns the arguments of a control's command: one for each {…} in its path, and the body.
func argumentsOf(c sandbox.Control) []string {
	var names []string
	for _, name := range wildcard.FindAllString(c.Path, -1) {
		names = append(names, strings.ToUpper(strings.Trim(name, "{}")))
	}
	if c.Body != "" {
		names = append(names, c.Body)
	}
	return names
}

// ask returns the command that sends a control request to a running sandbox.
func ask(c sandbox.Control) func(*program, *flag.FlagSet) run {
	return func(p *program, flags *flag.FlagSet) run {
		base := urlFlag(flags)
		return func(ctx context.Context, given []string) error {
			path, body := c.Path, ""
			for _, argument := range given {
				if name := wildcard.FindString(path); name != "" {
					path = strings.Replace(path, name, url.PathEscape(argument), 1)
				} else {
					body = argument
				}
			}
			target := newSite(*base)
			// The address may be a real service's, so this comes before anything that changes.
			if _, err := target.ask(ctx, http.MethodGet, "ready", ""); err != nil {
				return err
			}
			answer, err := target.ask(ctx, c.Method, path, body)
			if err != nil || len(answer) == 0 {
				return err
			}
			if err := answer.Indent(jsontext.WithIndent("  ")); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.stdout, "%s\n", answer)
			return err
		}
	}
}

func urlFlag(flags *flag.FlagSet) *string {
	return flags.String("url", "", "`URL` of the sandbox (default: MODELCATALOGUE_BASE_URL or http://"+defaultAddress+")")
}

// site is the address of a sandbox or a service.
type site struct {
	base   string
	client *http.Client
}

// newSite returns the site at base, or at the provider's address. It trusts the provider's own authority too, and
// follows no redirects.
func newSite(base string) *site {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	roots.AppendCertsFromPEM([]byte(os.Getenv("MODELCATALOGUE_CA_CERTIFICATE_PEM")))
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	base = cmp.Or(base, os.Getenv("MODELCATALOGUE_BASE_URL"), "http://"+defaultAddress)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &site{
		base:   strings.TrimSuffix(base, "/"),
		client: &http.Client{Transport: transport, Timeout: time.Minute, CheckRedirect: stay},
	}
}

// reply is an answer to a request.
type reply struct {
	request string // such as GET /v1/model-group
	status  int
	header  http.Header
	body    []byte
}

// refusal has the fields of an error, of the interface or of OAuth.
type refusal struct {
	Code        string `json:"code"`
	Message     string `json:"message"`
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

func (a *reply) refusal() (said refusal) {
	_ = json.Unmarshal(a.body, &said) // another shape says nothing
	return said
}

// send sends a request and reads the whole answer.
func (s *site) send(ctx context.Context, method, path string, header http.Header, body string) (*reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	const maxAnswer = 256 << 20
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return &reply{method + " " + path, response.StatusCode, response.Header, text}, err
}

// ask sends a request to a control route and returns the body of its answer.
func (s *site) ask(ctx context.Context, method, path, body string) (jsontext.Value, error) {
	if u, err := url.Parse(s.base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, misused("-url is %q: an address such as http://%s is expected", s.base, defaultAddress)
	}
	a, err := s.send(ctx, method, "/control/"+path, http.Header{}, body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("no sandbox answers at %s (%w). Start one with `modelcatalogue-sandbox`, or name it by -url "+
			"or MODELCATALOGUE_BASE_URL", s.base, reasonOf(err))
	case a.header.Get(sandbox.Header) == "":
		return nil, fmt.Errorf("%s is no sandbox: its answers have no header %s. Nothing was changed there",
			s.base, sandbox.Header)
	case a.status >= http.StatusMultipleChoices:
		return nil, errors.New(cmp.Or(a.refusal().Message, a.request+" is refused"))
	}
	return a.body, nil
}

// reasonOf returns the innermost error, such as "connection refused".
func reasonOf(err error) error {
	for below := errors.Unwrap(err); below != nil; below = errors.Unwrap(err) {
		err = below
	}
	return err
}
