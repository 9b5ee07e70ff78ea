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
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// reader reads a service with the user's credentials. It sends them to the
// address that the user gave and to no other.
type reader struct {
	*site
	id, secret, token string
	requests          int
}

// newReader takes the address and the credentials as the provider does: without
// a default, and over https unless the address is a loopback one.
func newReader(address string) (*reader, error) {
	address = strings.TrimRight(cmp.Or(address, os.Getenv("MODELCATALOGUE_BASE_URL")), "/")
	if address == "" {
		return nil, misused("which service? Give -url or set MODELCATALOGUE_BASE_URL; there is no default, because credentials are sent there")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "":
		return nil, misused("the address is %q: one such as https://catalogue.example.com is expected", hideUser(address))
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
		return nil, misused("MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, or MODELCATALOGUE_ACCESS_TOKEN, are not set")
	}
	return r, nil
}

// hideUser hides a password in an address that is no good.
func hideUser(address string) string {
	if at := strings.LastIndex(address, "@"); at >= 0 {
		return "…" + address[at:]
	}
	return address
}

// serviceFlag is for [newReader].
func serviceFlag(flags *flag.FlagSet) *string {
	return flags.String("url", "", "`URL` of the service (default: MODELCATALOGUE_BASE_URL)")
}

// reply is an answer of the service.
type reply struct {
	request string // such as GET /v1/model-group
	status  int
	header  http.Header
	body    []byte
}

// send sends a request, counts it and reads the whole answer.
func (r *reader) send(ctx context.Context, method, path, contentType, body string) (*reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.requests++
	request.Header.Set("Accept", "application/json")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	} else if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	response, err := r.client.Do(request)
	if err != nil {
		next := "Check the address, and HTTPS_PROXY if this network needs a proxy."
		if said := err.Error(); strings.Contains(said, "x509") || strings.Contains(said, "certificate") {
			next = "If its certificate is from an authority of your own, set MODELCATALOGUE_CA_CERTIFICATE_PEM."
		}
		return nil, fmt.Errorf("no answer comes from %s (%w). %s", r.base, reasonOf(err), next)
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	const most = 256 << 20
	text, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return nil, fmt.Errorf("the answer to %s %s breaks off (%w). Run again", method, path, reasonOf(err))
	}
	return &reply{method + " " + path, response.StatusCode, response.Header, text}, nil
}

// authenticate asks for a token with a form, and once more with JSON if the
// answer does not show that the form was understood. With an error it returns
// the refusal too, if there is one.
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
	for _, body := range [][2]string{{"application/x-www-form-urlencoded", form.Encode()}, {"application/json", string(asJSON)}} {
		if a, err = r.send(ctx, http.MethodPost, sandbox.RouteToken.Pattern(), body[0], body[1]); err != nil {
			return nil, err
		}
		var said struct {
			Token      string `json:"access_token"`
			CamelToken string `json:"accessToken"`
			Error      string `json:"error"`
		}
		_ = json.Unmarshal(a.body, &said) // another shape has no token
		if a.status == http.StatusOK {
			r.token = cmp.Or(said.Token, said.CamelToken)
		}
		if r.token != "" {
			return a, nil
		}
		if a.status/100 != 4 || a.status == http.StatusTooManyRequests || said.Error == "invalid_client" {
			break
		}
	}
	return a, r.failure(a)
}

// failure says what the service said, and the next step.
func (r *reader) failure(a *reply) error {
	var refusal struct {
		Code        string `json:"code"`
		Message     string `json:"message"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(a.body, &refusal) // another shape says nothing
	said := strings.Trim(cmp.Or(refusal.Code, refusal.Error)+": "+cmp.Or(refusal.Message, refusal.Description), ": ")
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
	case a.status >= http.StatusInternalServerError, a.status == http.StatusRequestTimeout, a.status == http.StatusTooManyRequests:
		next = "Run again later."
	case a.isPage():
		next = "It comes from a web site, a login or a proxy: give the address of the interface itself."
	case a.status == http.StatusUnauthorized && isToken:
		next = "Check MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET."
	case a.status == http.StatusUnauthorized:
		next = "The token may be over, or of another issuer."
	case a.status == http.StatusForbidden:
		next = "Ask whoever runs the service to permit your organisation."
	case a.status == http.StatusOK && isToken:
		next = "It has no access_token: check that the address is the service's."
	}
	return fmt.Errorf("%s is answered with status %d%s. %s", a.request, a.status, said, next)
}

func (a *reply) isPage() bool {
	return strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("<"))
}

// quote quotes a stranger's text, without the credentials and abridged.
func (r *reader) quote(text string) string {
	for _, secret := range []string{r.secret, r.token} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "(hidden)")
		}
	}
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%+q", text)
}

// nextPage is the path of the page after this one, or "".
func (r *reader) nextPage(a *reply) (string, error) {
	for _, link := range strings.Split(strings.Join(a.header.Values("Link"), ","), ",") {
		target, parameters, ok := strings.Cut(strings.TrimSpace(link), ">")
		rel := strings.ReplaceAll(strings.ReplaceAll(parameters, " ", ""), `"`, "")
		if !ok || !strings.HasPrefix(target, "<") || !strings.Contains(rel+";", ";rel=next;") {
			continue
		}
		_, path, _ := strings.Cut(a.request, " ")
		from, err := url.Parse(r.base + path)
		if err != nil {
			return "", err
		}
		next, err := from.Parse(target[1:])
		if err == nil && (next.Scheme != from.Scheme || next.Host != from.Host || !strings.HasPrefix(next.String(), r.base+"/")) {
			err = errors.New("it is not below the address")
		}
		if err != nil {
			return "", fmt.Errorf("the next page of %s is not read: its address %s is no good (%w)", a.request, r.quote(target[1:]), err)
		}
		return strings.TrimPrefix(next.String(), r.base), nil
	}
	return "", nil
}
