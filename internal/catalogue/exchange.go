package catalogue

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Exchange describes a request and its answer, for a log. No field holds the secret or a token.
type Exchange struct {
	Method    string
	Path      string // escaped, with the query
	Status    int    // 0 if no answer came
	Attempt   int    // from 1, among those for one question, or for one token
	SentAt    time.Time
	Waited    time.Duration // until it was sent
	WaitedFor string        // the reason, in words, or ""
	Duration  time.Duration // from when it was sent to the end of the answer
	Size      int64         // bytes of the body that were read
	RequestID string        // the service's own, or ""
	Problem   string        // why no whole answer came, or ""
}

// to returns the endpoint of a request. route is the path and query below the base URL, with {} for an escaped value.
func (c *Client) to(method, route, value string) Endpoint {
	base := c.cfg.BaseURL
	before, after, _ := strings.Cut(base.EscapedPath()+route, "{}")
	return Endpoint{
		Method: method,
		Origin: base.Scheme + "://" + base.Host,
		Path:   before + value + after,
		shown:  before + c.mask.Clean(value) + after,
	}
}

// incoming is a successful answer while its body is read.
type incoming struct {
	*http.Response
	at    Endpoint
	token *token // of its request
	mask  *redact.Mask
	body  *bodyReader
	text  *jsontext.Decoder // of body
	list  string            // the name of a list in errors
	asked bool              // as in APIError
}

// unusable returns the error of a malformed body or a malformed part of one. It omits the place in an answer of the
// token endpoint, because the name of a member may be a token.
func (in *incoming) unusable(shape *shapeError) *UnusableAnswerError {
	if in.at.OfToken() {
		shape.at = ""
	}
	return &UnusableAnswerError{
		Endpoint:    in.at,
		Status:      in.StatusCode,
		ContentType: in.mask.Tidy(in.Header.Get("Content-Type"), maxWord),
		Place:       redact.Fit(shape.place(in.list, in.mask.Clean), maxExcerpt),
		Problem:     redact.Fit(in.mask.CleanQuotes(shape.problem), maxExcerpt),
		IsPart:      shape.isPart,
		IsPage:      shape.isPage,
		Asked:       in.asked,
		RequestID:   requestID(in.mask, in.Header),
	}
}

// exchange sends an admitted request, and reads its answer. It follows no redirect, because one could take the token or
// the secret to another host. It reports the header to the scheduler before it reads the body.
func (c *Client) exchange(ctx context.Context, sent *attempt) (value any, err error) {
	at := sent.to()
	timed, cancel := context.WithTimeout(ctx, c.cfg.RequestTimeout)
	defer cancel()
	seen := sent.seen
	seen.Method, seen.Path = at.Method, at.shown
	response, err := c.send(timed, sent)
	if err == nil {
		seen.Status = response.StatusCode
	}
	var failure error
	if seen.Status == http.StatusTooManyRequests {
		failure = c.apiError(at, response, nil) // its message comes with the body
	}
	c.reads.headerReceived(sent, seen.Status, failure)
	if err == nil {
		value, seen.Size, err = c.receive(timed, sent, response)
		// The id is read after the body: the header may repeat a token, and the mask knows it only from the body.
		seen.RequestID = requestID(c.mask, response.Header)
	}
	seen.Duration = time.Since(seen.SentAt)
	if fault, ok := errors.AsType[*NetworkError](err); ok {
		seen.Problem = fault.Problem
	}
	if c.cfg.Observe != nil {
		c.cfg.Observe(ctx, seen)
	}
	return value, err
}

// request builds the request of an attempt, with its header and body.
func (c *Client) request(ctx context.Context, sent *attempt) (*http.Request, error) {
	header := http.Header{
		"Accept":     {"application/json"},
		"User-Agent": {c.cfg.UserAgent},
	}
	for name, value := range c.cfg.Headers {
		header[name] = []string{value} // its case as it was written
	}
	at := sent.to()
	if at.OfToken() {
		header.Set("Content-Type", sent.body.contentType)
	} else {
		header.Set("Authorization", "Bearer "+sent.token.bearer)
		header.Set("Cache-Control", "no-cache") // for the latest revision, and not a gateway's copy
	}
	base := c.cfg.BaseURL
	origin := url.URL{Scheme: base.Scheme, Host: base.Host} // at.Origin has the host as it was written
	request, err := http.NewRequestWithContext(ctx, at.Method, origin.String()+at.Path, bytes.NewReader(sent.body.text))
	if err == nil {
		request.Header = header
	}
	return request, err
}

// send sends a request and returns the header of its answer. It reports each stage of the request to the scheduler.
func (c *Client) send(ctx context.Context, sent *attempt) (*http.Response, error) {
	given := connections{reached: func(stage Fault) { c.reads.reached(sent, stage) }}
	if c.cfg.Proxy != nil {
		given.reach(ProxyFailed) // until it has connected to the service
	}
	request, err := c.request(given.bound(ctx), sent)
	if err != nil {
		return nil, err
	}
	response, err := c.cfg.Transport.RoundTrip(request)
	if err == nil {
		c.answered.Store(true)
		return response, nil
	}
	kind, cause := given.faultOf(err, c.asked.Load() && !c.answered.Load())
	fault := c.networkError(ctx, sent.to(), cause, kind)
	// If one connection is dead, the idle ones are likely dead too.
	if fault.TimedOut || cause != err { //nolint:errorlint // not what it is, but whether it was replaced
		(&http.Client{Transport: c.cfg.Transport}).CloseIdleConnections()
	}
	return nil, fault
}

// receive reads and closes the body of an answer. It returns the decoded body, and its size in bytes.
func (c *Client) receive(
	ctx context.Context, sent *attempt, response *http.Response,
) (value any, size int64, err error) {
	defer response.Body.Close() //nolint:errcheck // the part that was read counts
	at, announced := sent.to(), max(0, response.ContentLength)
	limit, isSuccess := c.accepts(at, response.StatusCode)
	if isSuccess && announced > limit || !isSuccess && response.StatusCode < 400 {
		response.Body = http.NoBody // a body that is too large, or of a redirect, is not read
	}
	body := readerOf(response.Body, limit)
	if !isSuccess {
		// An error whose body is cut short still has its status.
		text, _ := io.ReadAll(body)
		return nil, body.size, c.apiError(at, response, text)
	}
	in := &incoming{
		Response: response,
		at:       at,
		token:    sent.token,
		mask:     c.mask,
		asked:    c.asked.Load(),
		body:     body,
		text:     jsontext.NewDecoder(body, lenient),
	}
	value, err = in.decode(sent.of.read)
	switch {
	case max(body.size, announced) > limit:
		return nil, body.size, &TooLargeError{Endpoint: at, Limit: limit, Size: announced}
	case body.err != nil:
		err = body.err // the decoder may take the end of the connection for the end of the text
	}
	if err != nil {
		err = c.bodyError(ctx, in, err)
	}
	return value, body.size, err
}

// accepts reports whether a status is that of a success, and returns the limit of its body in bytes. A token may come
// with any 2xx, an answer with 200 only.
func (c *Client) accepts(at Endpoint, status int) (limit int64, isSuccess bool) {
	isSuccess = status == http.StatusOK || at.OfToken() && status/100 == 2
	if at.OfToken() || !isSuccess {
		return maxErrorBody, isSuccess
	}
	return c.maxBody, isSuccess
}

// requestID returns the service's id of a request, or "". INTERFACE.md does not name a header for it.
func requestID(mask *redact.Mask, header http.Header) string {
	for _, name := range []string{"X-Request-Id", "X-Correlation-Id", "Request-Id"} {
		if id := header.Get(name); id != "" {
			return mask.Tidy(id, maxWord)
		}
	}
	return ""
}

// networkError describes an attempt without a whole answer. ctx is that of the attempt.
func (c *Client) networkError(ctx context.Context, at Endpoint, err error, kind Fault) *NetworkError {
	fault := &NetworkError{
		Endpoint: at,
		Fault:    kind,
		Issuer:   c.mask.Tidy(issuerOf(err), maxWord),
		Asked:    c.asked.Load(),
		Answered: c.answered.Load(),
		Problem:  c.mask.Tidy(faultText(err), maxExcerpt),
		Err:      err,
	}
	if other, ok := errors.AsType[x509.HostnameError](err); ok {
		for _, name := range other.Certificate.DNSNames {
			fault.Names = append(fault.Names, c.mask.Tidy(name, maxWord))
		}
	}
	if answer, ok := errors.AsType[*proxyError](err); ok {
		fault.ProxyStatus = answer.status
		fault.ProxyAsks = c.mask.Tidy(strings.Join(answer.schemes, ", "), maxExcerpt)
	}
	if errors.Is(err, io.EOF) {
		fault.Problem = "the connection was closed before an answer came"
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && kind != StreamRefused {
		fault.TimedOut, fault.Limit = true, c.cfg.RequestTimeout
		fault.Problem = fmt.Sprintf("no whole answer within %s", c.cfg.RequestTimeout)
		if kind == Handshake {
			fault.Problem = fmt.Sprintf("the TLS handshake was not over within %s", c.cfg.RequestTimeout)
		}
	}
	return fault
}

// problemOf describes the fault of a body. It does not quote the body of the token endpoint, which may contain a token.
func (in *incoming) problemOf(shape *shapeError) string {
	head := bytes.TrimSpace(in.body.beginning())
	form := unreadable(head, in.Header)
	isText := len(head) > 0 && jsontext.Value(head).Kind() == jsontext.KindInvalid
	document := documentOf(in.mask, head, in.Header, in.at.OfToken())
	switch {
	case form != "" && (shape.at == "" || in.Header["Content-Encoding"] != nil):
		return "the body is " + form
	case isText && document != "":
		shape.isPage = true
		return "the body is " + document
	case isText && !in.at.OfToken():
		return fmt.Sprintf("%s; it begins with %q", shape.problem, in.mask.Tidy(string(head), maxWord))
	}
	return shape.problem
}

// bodyError returns the error of a success whose body could not be used because of err.
func (c *Client) bodyError(ctx context.Context, in *incoming, err error) error {
	if _, refused := apiError(err); refused {
		return err
	}
	if shape := in.wrongShape(err); shape != nil {
		shape.problem = in.problemOf(shape)
		return in.unusable(shape)
	}
	fault := c.networkError(ctx, in.at, err, Broken)
	if errors.Is(err, io.ErrUnexpectedEOF) && !fault.TimedOut {
		fault.Problem = "the answer was cut short"
	}
	return fault
}
