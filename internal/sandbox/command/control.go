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
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const defaultAddress = "127.0.0.1:8080"

var wildcard = regexp.MustCompile(`\{\w+\}`)

// argumentsOf are the arguments of a control's command: what stands for {…} in
// its path, and the body.
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

// tell is the command that sends one request to a control route of a sandbox
// that runs.
func tell(c sandbox.Control) func(*program, context.Context, []string) error {
	return func(p *program, ctx context.Context, arguments []string) error {
		flags := flag.NewFlagSet(c.Command, flag.ContinueOnError)
		base := urlFlag(flags)
		names := argumentsOf(c)
		usage := p.usageOf(flags, "[-url URL] "+strings.Join(names, " "), c.Does)
		if err := p.parse(flags, arguments, usage); err != nil {
			return err
		}
		given := flags.Args()
		if problem := misgiven(names, given); problem != "" {
			var text strings.Builder
			usage(&text)
			return misused("%s\n\n%s", problem, strings.TrimSpace(text.String()))
		}
		path, body := c.Path, ""
		for i, argument := range given {
			if name := wildcard.FindString(path); name != "" {
				path = strings.Replace(path, name, url.PathEscape(argument), 1)
			} else if text, err := bodyOf(names[i], argument); err == nil {
				body = text
			} else {
				return err
			}
		}
		where := newSite(*base)
		if err := where.isSandbox(ctx); err != nil {
			return err
		}
		answer, err := where.ask(ctx, c.Method, path, body)
		if err != nil {
			return err
		}
		return printJSON(p.stdout, answer)
	}
}

// usageOf prints the help of one command.
func (p *program) usageOf(flags *flag.FlagSet, arguments, does string) func(io.Writer) {
	return func(w io.Writer) {
		fmt.Fprintf(w, "Usage: %s %s\n\nTo %s.\n\n", p.name, strings.TrimSpace(flags.Name()+" "+arguments), does)
		flags.SetOutput(w)
		flags.PrintDefaults()
	}
}

// misgiven is what is wrong with the arguments.
func misgiven(names, given []string) string {
	for i, name := range names {
		isOptional := strings.HasPrefix(name, "[")
		switch {
		case i >= len(given) && !isOptional:
			return name + " is missing"
		case i < len(given) && name == "REVISION":
			if _, err := strconv.ParseUint(given[i], 10, 63); err != nil {
				return strconv.Quote(given[i]) +
					" is no revision: a whole number from 0 on is expected (GROUP comes before REVISION)"
			}
		}
	}
	if len(given) > len(names) {
		return fmt.Sprintf("unexpected argument %q", given[len(names)])
	}
	return ""
}

// bodyOf is the body that an argument of that name stands for.
func bodyOf(name, argument string) (string, error) {
	switch name {
	case "[REASON]":
		text, err := json.Marshal(map[string]string{"reason": argument})
		return string(text), err
	case "FILE":
		text, err := os.ReadFile(argument) //nolint:gosec // the user's own choice
		return string(text), err
	}
	return argument, nil
}

// urlFlag is for [newSite].
func urlFlag(flags *flag.FlagSet) *string {
	return flags.String("url", "", "`URL` of the sandbox (default: MODELCATALOGUE_BASE_URL, or http://"+defaultAddress+")")
}

// site is where a sandbox, or a service, is.
type site struct {
	base   string
	source string // of base, where nobody gave it as a flag
	client *http.Client
}

// newSite takes the service that the provider's own variables name, unless
// told otherwise.
func newSite(base string) *site {
	s := &site{base: strings.TrimSuffix(base, "/")}
	if base == "" {
		s.base = "http://" + defaultAddress
		if set := os.Getenv("MODELCATALOGUE_BASE_URL"); set != "" {
			s.base, s.source = strings.TrimSuffix(set, "/"), ", which MODELCATALOGUE_BASE_URL names"
		}
	}
	return s.trusting(os.Getenv("MODELCATALOGUE_CA_CERTIFICATE_PEM"))
}

// trusting accepts certificates of that authority too, in PEM. No redirect is
// followed.
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
	s.client = &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: stay}
	return s
}

// isSandbox asks before anything is changed: the address may come from the
// environment, and be a real service's.
func (s *site) isSandbox(ctx context.Context) error {
	_, err := s.ask(ctx, http.MethodGet, "ready", "")
	return err
}

// ask sends a request to a control route and returns the body of its answer.
func (s *site) ask(ctx context.Context, method, path, body string) ([]byte, error) {
	address := s.base + "/control/" + path
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil || request.URL.Host == "" || request.URL.Scheme != "http" && request.URL.Scheme != "https" {
		return nil, misused("-url is %q: an address such as http://%s is expected", s.base, defaultAddress)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no sandbox answers at %s%s (%w). Start one with `modelcatalogue-sandbox`, or name it by -url",
			s.base, s.source, reasonOf(err))
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	if response.Header.Get(sandbox.Header) == "" {
		return nil, fmt.Errorf("%s is no sandbox: its answers have no header %s. Nothing was changed there",
			s.base, sandbox.Header)
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", address, err)
	}
	if response.StatusCode < http.StatusMultipleChoices {
		return answer, nil
	}
	var refusal struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answer, &refusal) != nil {
		refusal.Message = ""
	}
	return nil, errors.New(cmp.Or(refusal.Message, address+" answers "+response.Status))
}

// reasonOf is the cause at the end of a network fault's chain, such as
// "connection refused".
func reasonOf(err error) error {
	for below := errors.Unwrap(err); below != nil; below = errors.Unwrap(err) {
		err = below
	}
	return err
}

// printJSON prints an answer for people and programs alike.
func printJSON(w io.Writer, text jsontext.Value) error {
	if len(text) == 0 {
		return nil
	}
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n", text)
	return err
}

// wait returns when a sandbox that is being started serves, and prints its URL.
func (p *program) wait(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("wait", flag.ContinueOnError)
	base := urlFlag(flags)
	readyFile := flags.String("ready-file", "", "`file` that the sandbox writes, instead of a URL")
	timeout := 30 * time.Second
	flags.Func("timeout", "longest `time` to wait (default 30s)", func(text string) (err error) {
		timeout, err = parseDuration(text)
		return err
	})
	usage := p.usageOf(flags, "[-ready-file FILE]", "wait until a sandbox serves, and print its URL")
	if err := p.parseAll(flags, arguments, usage); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	isTold := false
	for {
		found, err := whereReady(ctx, *base, *readyFile)
		if err == nil {
			_, err = fmt.Fprintln(p.stdout, found)
			return err
		}
		if !isTold {
			fmt.Fprintf(p.stderr, "waiting for %s\n", cmp.Or(*readyFile, newSite(*base).base))
			isTold = true
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("no sandbox is ready after %s: %w", timeout, err)
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
