package catalogue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Exchange is one request and what came back, for a log. No field holds the secret or a token.
type Exchange struct {
	Method    string
	Path      string // escaped, with the query
	Status    int    // 0 if no answer came
	Attempt   int    // from 1, among those for one question, or for one token
	SentAt    time.Time
	Waited    time.Duration // until it was sent
	WaitedFor string        // what for, in words, or ""
	Duration  time.Duration // from when it was sent to the end of the answer
	Size      int64         // bytes of the body that were read
	RequestID string        // the service's own, "" if it sends none
	Problem   string        // why no whole answer came, or ""
}

// to returns the endpoint of a request. target is the path and query below the base URL.
func (c *Client) to(method, target string) Endpoint {
	base := c.cfg.BaseURL
	return Endpoint{
		Method: method,
		Origin: base.Scheme + "://" + base.Host,
		Path:   base.EscapedPath() + target,
	}
}

// outgoing has the parts of a request beside its endpoint, and the function that reads its answer.
type outgoing struct {
	header http.Header
	body   []byte
	limit  int64                 // the largest answer, in bytes
	read   func(*incoming) error // reads the body of a success
}

// incoming is a success whose body is read.
type incoming struct {
	*http.Response
	at   Endpoint
	mask *redact.Mask
	body []byte
	text *jsontext.Decoder // of body
	list string            // what a body that is a list is called in errors
}

// unusable returns the error of a body, or a part of it, that is not JSON of the right shape.
func (in *incoming) unusable(shape *shapeError) *UnusableAnswerError {
	return &UnusableAnswerError{
		Endpoint:    in.at,
		Status:      in.StatusCode,
		ContentType: in.mask.Tidy(in.Header.Get("Content-Type"), maxWord),
		Place:       in.mask.Tidy(shape.place(in.list), maxExcerpt),
		Problem:     in.mask.Tidy(shape.problem, maxExcerpt),
		IsPart:      shape.isPart,
		RequestID:   requestID(in.mask, in.Header),
	}
}

// exchange sends a request that was admitted, and reads its answer. It does not follow redirects, because one could
// take the token or the secret to another host. The scheduler learns the header before the body is read.
func (c *Client) exchange(ctx context.Context, at Endpoint, sent *attempt, out outgoing) error {
	timed, cancel := context.WithTimeout(ctx, c.cfg.RequestTimeout)
	defer cancel()
	seen := sent.seen
	seen.Method, seen.Path = at.Method, c.mask.Clean(at.Path)
	response, err := c.send(timed, at, out, func(stage Fault) { c.reads.reached(sent, stage) })
	if err == nil {
		seen.Status = response.StatusCode
	}
	var failure error
	if seen.Status == http.StatusTooManyRequests {
		failure = c.apiError(at, response, nil) // its words come with the body
	}
	c.reads.headerReceived(sent, seen.Status, failure)
	if err == nil {
		seen.Size, err = c.receive(timed, at, response, out)
		// Read the id after the body: the header may repeat a token that only the body has made known.
		seen.RequestID = requestID(c.mask, response.Header)
	}
	seen.Duration = time.Since(seen.SentAt)
	if fault, ok := errors.AsType[*NetworkError](err); ok {
		seen.Problem = fault.Problem
	}
	if c.cfg.Observe != nil {
		c.cfg.Observe(ctx, seen)
	}
	return err
}

// send sends a request and returns the header of its answer. It reports each stage that the request reaches.
func (c *Client) send(ctx context.Context, at Endpoint, out outgoing, reached func(Fault)) (*http.Response, error) {
	given := connections{reached: reached}
	base := c.cfg.BaseURL
	origin := url.URL{Scheme: base.Scheme, Host: base.Host} // at.Origin has the host as it was written
	target := origin.String() + at.Path
	request, err := http.NewRequestWithContext(given.bound(ctx), at.Method, target, bytes.NewReader(out.body))
	if err != nil {
		return nil, err
	}
	for name, value := range c.cfg.Headers {
		request.Header[name] = []string{value} // its case as it was written
	}
	maps.Copy(request.Header, out.header)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", c.cfg.UserAgent)
	response, err := c.cfg.Transport.RoundTrip(request)
	if err == nil {
		return response, nil
	}
	kind, cause := given.faultOf(err)
	fault := c.networkError(ctx, at, cause, kind)
	// Connections that are kept beside one that is dead are likely to be dead too.
	kept, ok := c.cfg.Transport.(interface{ CloseIdleConnections() })
	if ok && (fault.TimedOut || cause != err) { //nolint:errorlint // not what it is, but whether it was replaced
		kept.CloseIdleConnections()
	}
	return nil, fault
}

// receive reads the body of an answer, closes it, and returns how many bytes it read. It reads nothing of an answer
// that is neither a success nor an error, such as a redirect. A token may come with any 2xx, an answer with 200 only.
func (c *Client) receive(ctx context.Context, at Endpoint, response *http.Response, out outgoing) (int64, error) {
	defer response.Body.Close() //nolint:errcheck // what was read of it counts
	status := response.StatusCode
	isSuccess := status == http.StatusOK || at.OfToken() && status/100 == 2
	tooLarge := &TooLargeError{Endpoint: at, Limit: out.limit, Size: max(0, response.ContentLength)}
	switch {
	case status >= 400:
		// An error whose body is cut short still has its status.
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return int64(len(body)), c.apiError(at, response, withoutBOM(body))
	case !isSuccess:
		return 0, c.apiError(at, response, nil)
	case tooLarge.Size > out.limit:
		return 0, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, out.limit+1))
	size := int64(len(body))
	if size > out.limit {
		return size, tooLarge
	}
	body = withoutBOM(body)
	in := &incoming{
		Response: response,
		at:       at,
		mask:     c.mask,
		body:     body,
		text:     jsontext.NewDecoder(bytes.NewBuffer(body), lenient),
	}
	if err == nil {
		err = out.read(in)
	}
	if err == nil {
		err = in.end()
	}
	if err != nil {
		err = c.bodyError(ctx, in, err)
	}
	return size, err
}

// requestID finds the service's id of a request, "" if there is none. INTERFACE.md does not name a header for it.
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
		Endpoint:    at,
		Fault:       kind,
		Certificate: c.certificateOf(err),
		Proxy:       c.cfg.Proxy,
		Problem:     c.mask.Tidy(faultText(err), maxExcerpt),
		Err:         err,
	}
	if answer, ok := errors.AsType[*proxyError](err); ok {
		fault.ProxyStatus = answer.status
		fault.ProxyAsks = c.mask.Tidy(strings.Join(answer.schemes, ", "), maxExcerpt)
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

// problemOf says what is wrong with a body. An answer of the token endpoint may contain a token, and is not shown.
func (in *incoming) problemOf(shape *shapeError) string {
	head := bytes.TrimSpace(in.body[:min(len(in.body), maxHead)])
	form := unreadable(head, in.Header)
	isText := len(head) > 0 && jsontext.Value(head).Kind() == jsontext.KindInvalid
	switch {
	case form != "" && (shape.at == "" || in.Header["Content-Encoding"] != nil):
		return "the body is " + form
	case isText && isPage(head, in.Header):
		return "the body is " + pageOf(head, !in.at.OfToken())
	case isText && !in.at.OfToken():
		return fmt.Sprintf("%s; it begins with %q", shape.problem, in.mask.Tidy(string(head), maxWord))
	}
	return shape.problem
}

// bodyError describes a success whose body could not be used, for the reason err.
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
