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

// argumentsOf are the arguments of a control's command: what stands for {…} in its path, and the body.
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

// ask is the command that sends one request to a control route of a sandbox that runs.
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
			where := newSite(*base)
			if err := where.isSandbox(ctx); err != nil {
				return err
			}
			answer, err := where.ask(ctx, c.Method, path, body)
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

// urlFlag is for [newSite].
func urlFlag(flags *flag.FlagSet) *string {
	return flags.String("url", "", "`URL` of the sandbox (default: MODELCATALOGUE_BASE_URL, or http://"+defaultAddress+")")
}

// site is where a sandbox, or a service, is.
type site struct {
	base   string
	client *http.Client
}

// newSite returns the sandbox at base, or at the provider's own address.
func newSite(base string) *site {
	base = cmp.Or(base, os.Getenv("MODELCATALOGUE_BASE_URL"), "http://"+defaultAddress)
	return (&site{base: strings.TrimSuffix(base, "/")}).trusting(os.Getenv("MODELCATALOGUE_CA_CERTIFICATE_PEM"))
}

// trusting accepts certificates of that authority too, in PEM. No redirect is followed.
func (s *site) trusting(authority string) *site {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	roots.AppendCertsFromPEM([]byte(authority))
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.client = &http.Client{Transport: transport, Timeout: time.Minute, CheckRedirect: stay}
	return s
}

// isSandbox returns an error if the site is no sandbox. It asks before anything
// is changed: the address may be a real service's.
func (s *site) isSandbox(ctx context.Context) error {
	_, err := s.ask(ctx, http.MethodGet, "ready", "")
	return err
}

// ask sends a request to a control route and returns the body of its answer.
func (s *site) ask(ctx context.Context, method, path, body string) (jsontext.Value, error) {
	address := s.base + "/control/" + path
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil || request.URL.Host == "" || request.URL.Scheme != "http" && request.URL.Scheme != "https" {
		return nil, misused("-url is %q: an address such as http://%s is expected", s.base, defaultAddress)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no sandbox answers at %s (%w). Start one with `modelcatalogue-sandbox`, or name it by -url "+
			"or MODELCATALOGUE_BASE_URL", s.base, reasonOf(err))
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	if response.Header.Get(sandbox.Header) == "" {
		return nil, fmt.Errorf("%s is no sandbox: its answers have no header %s. Nothing was changed there", s.base, sandbox.Header)
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode < http.StatusMultipleChoices {
		return answer, err
	}
	var refusal struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(answer, &refusal) // it may be another shape
	return nil, errors.New(cmp.Or(refusal.Message, address+" answers "+response.Status))
}

// reasonOf is the cause at the end of an error's chain, such as "connection refused".
func reasonOf(err error) error {
	for below := errors.Unwrap(err); below != nil; below = errors.Unwrap(err) {
		err = below
	}
	return err
}

// wait returns when a sandbox that is being started serves, and prints its URL.
func (p *program) wait(flags *flag.FlagSet) run {
	base := urlFlag(flags)
	readyFile := flags.String("ready-file", "", "`file` that the sandbox writes, instead of a URL")
	timeout := 30 * time.Second
	flags.Func("timeout", "longest `time` to wait (default 30s)", duration(func(d time.Duration) { timeout = d }))
	return func(ctx context.Context, _ []string) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		for {
			found, err := whereReady(ctx, *base, *readyFile)
			if err == nil {
				_, err = fmt.Fprintln(p.stdout, found)
				return err
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				return fmt.Errorf("no sandbox is ready after %s: %w", timeout, err)
			}
		}
	}
}

func whereReady(ctx context.Context, base, readyFile string) (string, error) {
	where := newSite(base)
	if readyFile != "" {
		text, err := os.ReadFile(readyFile) //nolint:gosec // the user's own choice
		if err != nil {
			return "", err
		}
		var ready readiness
		if err := json.Unmarshal(text, &ready); err != nil {
			return "", fmt.Errorf("%s: %w", readyFile, err)
		}
		where = newSite(ready.URL).trusting(ready.CACertificate)
	}
	return where.base, where.isSandbox(ctx)
}
