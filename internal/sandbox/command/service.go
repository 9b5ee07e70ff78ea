package command

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// serviceReader reads a service with the user's credentials, one request at a time, and sends them to no other address.
type serviceReader struct {
	base    string
	client  *http.Client
	id      string
	secret  string // empty if the token is the user's own
	token   string
	mask    redact.Mask      // knows the secret and every token
	words   []*regexp.Regexp // those too short for the mask
	isKnown bool             // whether the service has answered
	say     func(format string, arguments ...any)
}

// question is a request before it is sent.
type question struct {
	method string
	path   string
	kind   string // the content type of the body
	body   string
}

func (q question) String() string { return q.method + " " + q.path }

// isOfToken reports whether it asks for a token.
func (q question) isOfToken() bool { return q.kind != "" }

// received is an answer of the service.
type received struct {
	question
	status int
	header http.Header
	body   []byte
}

// isLater reports whether a further attempt may succeed.
func (a *received) isLater() bool {
	return a.status >= 500 || a.status == http.StatusRequestTimeout || a.status == http.StatusTooManyRequests
}

func (a *received) isRedirect() bool { return a.status/100 == 3 && a.header.Get("Location") != "" }

// get sends a read. If its token is rejected, it asks for another one, once. What it returns of a 200 is JSON without
// credentials, or nothing.
func (r *serviceReader) get(ctx context.Context, path string) (*received, error) {
	for renewed := false; ; renewed = true {
		if r.token == "" {
			if err := r.authenticate(ctx); err != nil {
				return nil, err
			}
		}
		a, err := r.politely(ctx, question{method: http.MethodGet, path: path})
		if err != nil {
			return nil, err
		}
		if a.status == http.StatusOK {
			a.body = r.hide(a.body)
		}
		if a.status != http.StatusUnauthorized || r.secret == "" || renewed {
			return a, nil
		}
		r.token = ""
	}
}

// hide replaces the credentials in the names and values of a JSON text. It returns nil if it cannot.
func (r *serviceReader) hide(text []byte) []byte {
	var hidden bytes.Buffer
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	encoder := jsontext.NewEncoder(&hidden)
	for {
		token, err := decoder.ReadToken()
		if err == io.EOF { //nolint:errorlint // as the decoder says
			return hidden.Bytes()
		}
		if err != nil {
			return nil
		}
		if text := token.String(); r.clean(text) != text {
			token = jsontext.String(r.clean(text))
		}
		if encoder.WriteToken(token) != nil { // two names are one without credentials
			return nil
		}
	}
}

// keepOut keeps a credential out of the file and of messages.
func (r *serviceReader) keepOut(credential string) {
	r.mask.Add(credential)
	if credential == "" || utf8.RuneCountInString(credential) >= redact.Shortest {
		return
	}
	inBase64 := base64.RawStdEncoding.EncodeToString([]byte(credential))
	spelled := regexp.QuoteMeta(credential) + "|" + regexp.QuoteMeta(inBase64)
	r.words = append(r.words, regexp.MustCompile(`(^|[^\pL\pN])(?:`+spelled+`)($|[^\pL\pN])`))
}

// clean returns a text without credentials. The mask leaves short ones alone, because they are parts of other words:
// such a one is hidden if it is a word of the text.
func (r *serviceReader) clean(text string) string {
	const end = "\x01" // keeps a text that only ends as a credential begins
	text = strings.TrimSuffix(r.mask.Clean(text+end), end)
	for _, word := range slices.Concat(r.words, r.words) { // twice: two matches cannot share the character between them
		text = word.ReplaceAllString(text, "$1***$2")
	}
	return text
}

// isJudged matches errors of the token endpoint that show that a request was understood.
var isJudged = regexp.MustCompile(`"(invalid_client|unauthorized_client|invalid_scope)"`)

// authenticate asks for a token by a form, and by JSON if the answer leaves open whether the form was understood. The
// interface shows neither the content type, nor the status and the fields of an answer.
func (r *serviceReader) authenticate(ctx context.Context) error {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {r.id}, "client_secret": {r.secret}}
	fields := map[string]string{}
	for name := range form {
		fields[name] = form.Get(name)
	}
	asJSON, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	path := sandbox.RouteToken.Pattern()
	asked := question{http.MethodPost, path, "application/x-www-form-urlencoded", form.Encode()}
	a, err := r.politely(ctx, asked)
	if err == nil && a.status/100 == 4 && !a.isLater() && !isJudged.Match(a.body) {
		a, err = r.politely(ctx, question{http.MethodPost, path, "application/json", string(asJSON)})
	}
	if err != nil {
		return err
	}
	var said struct{ AccessToken string }
	_ = json.Unmarshal(a.body, &said, json.MatchCaseInsensitiveNames(true)) // access_token, too; another shape has none
	if a.status/100 != 2 || said.AccessToken == "" {
		return r.failure(a)
	}
	r.token = said.AccessToken
	r.keepOut(r.token)
	return nil
}

const (
	announcedWait = 10 * time.Second
	longestWait   = 10 * time.Minute
	maxFailures   = 4 // of a request that is not limited
	maxAttempts   = 20
)

// politely sends a request, and sends it again as the interface asks (INTERFACE.md, Client handling rules).
func (r *serviceReader) politely(ctx context.Context, q question) (*received, error) {
	var sent attempts
	for {
		a, err := r.send(ctx, q)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil && !a.isLater() {
			r.isKnown = true
			return a, nil
		}
		isMistaken := !r.isKnown && isUnreachable(err) // most likely its address
		if sent.count(a) || isMistaken {
			return a, r.unanswered(q, err)
		}
		if err := r.wait(ctx, q, a, sent.all); err != nil {
			return nil, err
		}
	}
}

// attempts counts those of a request.
type attempts struct{ all, failures int }

// count counts an attempt, and reports whether it was the last. a is nil if there was no answer.
func (n *attempts) count(a *received) (isLast bool) {
	n.all++
	if a == nil || a.status != http.StatusTooManyRequests {
		n.failures++
	}
	return n.failures == maxFailures || n.all == maxAttempts
}

// wait waits as an answer asks, or until a back-off is over.
func (r *serviceReader) wait(ctx context.Context, q question, a *received, attempt int) error {
	wait := min(time.Second<<(attempt-1), 30*time.Second)
	if a != nil {
		asked, _ := contract.RetryAfter(a.header, time.Now())
		wait = max(wait, asked)
	}
	said := q.String() + " is not answered"
	if a != nil {
		said = fmt.Sprintf("%s is answered with status %d", q, a.status)
	}
	if wait > longestWait {
		return fmt.Errorf("%s and Retry-After: %s. Run again then: a wait of more than %s is left to you",
			said, r.quote(a.header.Get("Retry-After")), longestWait)
	}
	if wait > announcedWait {
		r.say("%s: waiting %s", said, wait)
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// longestSilence is for how long a service may send nothing while it is waited for.
const longestSilence = 30 * time.Second

var errSilent = fmt.Errorf("nothing came for %s", longestSilence)

// heard puts off the end of a request whenever a part of its answer arrives.
type heard struct {
	io.Reader
	silence *time.Timer
}

func (h heard) Read(part []byte) (int, error) {
	n, err := h.Reader.Read(part)
	h.silence.Reset(longestSilence)
	return n, err
}

// send sends a request with the credentials, and reads the whole answer. The answer is nil if there is an error.
func (r *serviceReader) send(ctx context.Context, q question) (*received, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	silence := time.AfterFunc(longestSilence, func() { end(errSilent) })
	defer silence.Stop()
	request, err := http.NewRequestWithContext(ctx, q.method, r.base+q.path, strings.NewReader(q.body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if q.isOfToken() {
		request.Header.Set("Content-Type", q.kind)
	} else {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	const maxAnswer = 256 << 20
	text, err := io.ReadAll(io.LimitReader(heard{response.Body, silence}, maxAnswer))
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	return &received{q, response.StatusCode, response.Header, text}, nil
}

// isUnreachable reports whether an error is of the address, the network or a certificate.
func isUnreachable(err error) bool {
	_, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	dial, ok := errors.AsType[*net.OpError](err)
	return isUntrusted || ok && dial.Op == "dial"
}

// unanswered returns the error of a request that had no answer, or nil.
func (r *serviceReader) unanswered(q question, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("no answer to %s comes from %s (%s). Check the address, HTTPS_PROXY if this network needs a "+
		"proxy, and MODELCATALOGUE_CA_CERTIFICATE_PEM if the service has an authority of its own",
		q, r.base, r.quote(reasonOf(err).Error()))
}

// failure returns an error with what the service said and the next step.
func (r *serviceReader) failure(a *received) error {
	said := r.quote(string(a.body))
	if a.isOfToken() && a.status/100 == 2 && !isJudged.Match(a.body) {
		said = "no access_token" // and no more of it: it may have a token under another name
	}
	return fmt.Errorf("%s is answered with status %d and %s. %s", a, a.status, said, r.nextStep(a))
}

func (r *serviceReader) nextStep(a *received) string {
	isRejected := a.status == http.StatusUnauthorized
	switch {
	case a.isRedirect():
		return "It redirects to " + r.quote(a.header.Get("Location")) + ": give that address, if it is the service's."
	case a.isLater():
		return "Run again later."
	case a.isOfToken() && (isRejected || isJudged.Match(a.body)):
		return "Check MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET."
	case isRejected && r.secret == "":
		return "MODELCATALOGUE_ACCESS_TOKEN may have expired, or be from another issuer."
	case isRejected:
		return "The service itself gave this token a moment ago: ask its operator."
	case a.status == http.StatusForbidden:
		return "The service refuses these credentials: ask its operator."
	}
	return "Check the address: this may be another service."
}

// maxShown is how many characters of a text of the service are shown.
const maxShown = 200

// quote abridges a text of the service, without the credentials.
func (r *serviceReader) quote(text string) string {
	return cmp.Or(r.mask.Tidy(text, maxShown), "no words")
}
