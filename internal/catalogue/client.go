package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	modelGroupsPath = "/v1/model-group"
	tokenPath       = "/v1/auth/token" //nolint:gosec // a path, no credential
)

// Config is what a Client needs. Durations and counts of zero mean what they
// say: set them all.
type Config struct {
	BaseURL      string // as ParseBaseURL takes it
	ClientID     string
	ClientSecret string

	CACertificatePEM     string        // trusted beside the system's own; "" for none
	RequestTimeout       time.Duration // of one attempt, the body included
	ReadTimeout          time.Duration // of one call, every wait and retry included
	MaxRetries           int           // further attempts after the first, for failures that may pass
	MaxRequestsPerSecond float64       // 0 for no ceiling
	Snapshot             bool          // ask each question once; else every call asks afresh

	UserAgent   string
	Observe     func(context.Context, Exchange)                                   // told of each exchange; nil for nobody
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error) // nil for the network
}

// Client reads the catalogue. It is safe for concurrent use, and one Client is
// meant to serve a whole process: the token, the pace and the answers it knows
// are its own.
type Client struct {
	base           *url.URL
	requestTimeout time.Duration
	readTimeout    time.Duration
	maxRetries     int
	maxBody        int64

	http      *http.Client
	tokenHTTP *http.Client
	mask      *mask
	pace      *pace
	tokens    *tokens

	groupLists snapshot[[]*ModelGroup]
	groups     snapshot[*ModelGroup]
	modelLists snapshot[[]*Model]
	models     snapshot[*Model]
}

// New makes a client. It sends nothing: the first read asks for the first
// token. An error is one of ParseBaseURL or CheckCACertificate.
func New(cfg Config) (*Client, error) {
	base, err := ParseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	transport, err := newTransport(cfg)
	if err != nil {
		return nil, fmt.Errorf("CA certificate: %w", err)
	}
	c := &Client{
		base:           base,
		requestTimeout: cfg.RequestTimeout,
		readTimeout:    cfg.ReadTimeout,
		maxRetries:     cfg.MaxRetries,
		maxBody:        MaxBody,
		mask:           &mask{},
		pace:           newPace(cfg.MaxRequestsPerSecond),
	}
	c.mask.add(cfg.ClientSecret)
	observe := cfg.Observe
	if observe == nil {
		observe = func(context.Context, Exchange) {}
	}
	observed := &observer{next: transport, userAgent: cfg.UserAgent, clean: c.mask.clean, observe: observe}
	// A redirect could take the token or the secret to another host.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &http.Client{Transport: observed, CheckRedirect: stay}
	c.tokenHTTP = &http.Client{Transport: wholeAnswers{next: observed, mask: c.mask}, CheckRedirect: stay}
	c.tokens = newTokens(c, cfg, base)
	c.groupLists.off, c.groups.off = !cfg.Snapshot, !cfg.Snapshot
	c.modelLists.off, c.models.off = !cfg.Snapshot, !cfg.Snapshot
	return c, nil
}

// ParseBaseURL checks the service's address: an absolute https URL, with a path
// prefix or not, http to a loopback host alone, and nothing else in it. The
// result has no trailing slash. An error quotes no part of text, which may hold
// a password.
func ParseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		if strings.Contains(text, "@") {
			return nil, errors.New("it cannot be parsed as a URL")
		}
		return nil, fmt.Errorf("it cannot be parsed as a URL: %w", err)
	}
	port := u.Port()
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "":
		return nil, errors.New("it must be an absolute URL that starts with https://")
	case u.Hostname() == "":
		return nil, errors.New("it names no host")
	case u.User != nil:
		return nil, errors.New("it must not hold a user name or password")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("it must not have a query (the part from ? on)")
	case strings.Contains(text, "#"):
		return nil, errors.New("it must not have a fragment (the part from # on)")
	case strings.HasSuffix(u.Host, ":") || len(port) > 5 || len(port) == 5 && port > "65535" || port == "0":
		return nil, errors.New("its port is no number from 1 to 65535")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, errors.New("http would send the secret unencrypted; it is accepted for a loopback host alone, use https")
	}
	for element := range strings.SplitSeq(u.Path, "/") {
		if element == "." || element == ".." {
			return nil, errors.New("its path must not have . or .. in it")
		}
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// CheckID says why text cannot be the id of anything: it would name another
// path than /v1/model-group/:id once a client or proxy has cleaned it.
func CheckID(text string) error {
	switch {
	case text == "":
		return errors.New("it is empty")
	case text == "." || text == "..":
		return fmt.Errorf("%q is not an id but a relative path", text)
	case !utf8.ValidString(text):
		return errors.New("it is no valid UTF-8")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("it has control characters in it, such as a line break or a tab")
	}
	return nil
}

// readByID reads below one model group. what is a format for its id.
func readByID[T any](ctx context.Context, c *Client, answers *snapshot[T], id, suffix string, decode decoder[T], what string) (T, error) {
	what = fmt.Sprintf(what, id)
	if err := CheckID(id); err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return read(ctx, c, answers, modelGroupsPath+"/"+url.PathEscape(id)+suffix, decode, what)
}

// read asks one question, within the time of one read: target is the path and
// query below the base URL. Its error is wrapped here and nowhere else.
func read[T any](ctx context.Context, c *Client, answers *snapshot[T], target string, decode decoder[T], what string) (T, error) {
	var none T
	ctx, cancel := context.WithTimeout(ctx, c.readTimeout)
	defer cancel()
	start := time.Now()
	if _, err := c.tokens.known(); err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	answer, err := answers.answer(ctx, target, func(ctx context.Context) (T, error) {
		var got T
		err := c.persist(ctx, func(ctx context.Context) error {
			var err error
			got, err = get(ctx, c, target, decode)
			return err
		})
		return got, err
	})
	var gaveUp *GaveUpError
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &gaveUp) {
		err = &GaveUpError{Elapsed: time.Since(start), Timeout: true, Err: err}
	}
	if err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return answer, nil
}

// get asks once, and once more with a new token where the first is refused
// (interface.md, Authentication 3).
func get[T any](ctx context.Context, c *Client, target string, decode decoder[T]) (T, error) {
	for renewed := false; ; renewed = true {
		answer, bearer, err := ask(ctx, c, target, decode)
		if bearer == nil || judge(err) != refused {
			return answer, err
		}
		c.tokens.refused(bearer)
		if renewed {
			return answer, c.tokens.latch(err)
		}
	}
}

// ask asks once, when the pace allows it. The token is the one that was sent,
// nil where nothing was.
func ask[T any](ctx context.Context, c *Client, target string, decode decoder[T]) (T, *token, error) {
	var none T
	bearer, err := c.tokens.get(ctx)
	if err != nil {
		return none, nil, err
	}
	if err := c.pace.enter(ctx); err != nil {
		return none, nil, err
	}
	defer c.pace.leave()
	turn, err := c.pace.turn(ctx)
	if err != nil {
		return none, nil, err
	}
	if !bearer.fresh(time.Now()) {
		// It ended while this read waited for its turn.
		if bearer, err = c.tokens.get(ctx); err != nil {
			return none, nil, err
		}
	}
	answer, err := exchange(ctx, c, target, bearer.bearer, turn, decode)
	return answer, bearer, err
}

// exchange sends one request, whose turn came at turn, and reads its answer.
func exchange[T any](ctx context.Context, c *Client, target, bearer string, turn time.Time, decode decoder[T]) (T, error) {
	var none T
	attempt, cancel := context.WithTimeout(ctx, c.requestTimeout)
	defer cancel()
	path := c.base.EscapedPath() + target
	request, err := http.NewRequestWithContext(attempt, http.MethodGet, c.base.String()+target, http.NoBody)
	if err != nil {
		return none, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := c.http.Do(request)
	if err != nil {
		return none, c.networkError(ctx, attempt, http.MethodGet, path, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		// Where the body is cut, the status and what has come say enough.
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		api := c.apiError(http.MethodGet, path, response, body)
		if judge(api) == limited {
			c.pace.refused(api, turn, time.Now())
		}
		return none, api
	}
	c.pace.succeeded(time.Now())
	if response.ContentLength > c.maxBody {
		return none, &TooLargeError{Method: http.MethodGet, Path: path, Limit: c.maxBody, Size: response.ContentLength}
	}
	answer, err := decode(&limitReader{reader: response.Body, left: c.maxBody, limit: c.maxBody})
	if err != nil {
		return none, c.bodyError(ctx, attempt, path, response.Header.Get("Content-Type"), err)
	}
	return answer, nil
}

// persist makes attempts until one ends well or for good, the retries are used
// up, or the time of the read is over.
func (c *Client) persist(ctx context.Context, attempt func(context.Context) error) error {
	start := time.Now()
	var last error
	for made, failures := 1, 0; ; made++ {
		err := attempt(withAttempt(ctx, made))
		if err == nil {
			return nil
		}
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
		if ctx.Err() != nil || errors.Is(err, errNoTurn) {
			// What failed before tells more than that the time is over.
			if last == nil {
				last = err
			}
			return &GaveUpError{Attempts: made, Elapsed: time.Since(start), Timeout: true, Err: last}
		}
		switch judge(err) {
		case limited:
			// The pace holds the next attempt back.
		case again:
			failures++
			if failures > c.maxRetries {
				return &GaveUpError{Attempts: made, Elapsed: time.Since(start), Err: err}
			}
			wait := backOff(failures, rand.Float64())
			if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < wait {
				return &GaveUpError{Attempts: made, Elapsed: time.Since(start), Timeout: true, Err: err}
			}
			if sleep(ctx, wait) != nil {
				return ctx.Err()
			}
		default:
			return err
		}
		last = err
	}
}

// tidy makes a text of others fit for a message of ours.
func (c *Client) tidy(text string, limit int) string {
	return shorten(c.mask.clean(printable(c.mask.clean(text))), limit)
}

// maxCredential is the longest spelling of a credential, in bytes, that is
// looked for where a body was cut.
const maxCredential = 16 << 10

// apiError describes an answer other than 200.
func (c *Client) apiError(method, path string, response *http.Response, body []byte) *APIError {
	if len(body) >= maxErrorBody {
		// A part of a credential, which the mask does not know, may stand at
		// the cut.
		body = body[:maxErrorBody-maxCredential]
	}
	api := &APIError{
		Method:     method,
		Path:       path,
		Status:     response.StatusCode,
		RequestID:  requestID(response.Header, c.mask.clean),
		Location:   c.tidy(response.Header.Get("Location"), maxExcerpt),
		retryAfter: response.Header.Get("Retry-After"),
	}
	api.readErrorBody(body, response.Header.Get("Content-Type"), c.mask.clean, c.tidy)
	return api
}

// networkError describes an attempt without an answer. ctx is the read's,
// attempt that of the one request.
func (c *Client) networkError(ctx, attempt context.Context, method, path string, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	fault := &NetworkError{Method: method, Path: path, Problem: c.tidy(faultText(err), maxExcerpt), Permanent: permanent(err), Err: err}
	if errors.Is(attempt.Err(), context.DeadlineExceeded) {
		fault.TimedOut = true
		fault.Problem = fmt.Sprintf("no whole answer within %s", c.requestTimeout)
		if ctx.Err() != nil {
			fault.Problem = "no whole answer before the read's time was over"
		}
	}
	return fault
}

// permanent tells the faults of TLS that no further attempt can change.
func permanent(err error) bool {
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	return errors.As(err, &certificate) || errors.As(err, &unknown) || errors.As(err, &host) ||
		errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch)
}

// bodyError describes a 200 that could not be used: its body was cut short, is
// too large, or is not of the right shape.
func (c *Client) bodyError(ctx, attempt context.Context, path, contentType string, err error) error {
	var shape *shapeError
	var size *TooLargeError
	switch {
	case errors.As(err, &shape):
		return &UnusableAnswerError{
			Method: http.MethodGet, Path: path,
			ContentType: c.tidy(contentType, 100), Place: shape.place, Problem: c.tidy(shape.problem, maxExcerpt),
		}
	case errors.As(err, &size):
		size.Method, size.Path = http.MethodGet, path
		return size
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &NetworkError{Method: http.MethodGet, Path: path, Problem: "the answer was cut short", Err: err}
	default:
		return c.networkError(ctx, attempt, http.MethodGet, path, err)
	}
}
