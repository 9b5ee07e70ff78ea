package catalogue

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Exchange is one request and what came back, for a log. No field holds the
// secret or a token.
type Exchange struct {
	Method    string
	Path      string // escaped, with the query
	Status    int    // 0 where no answer came
	Attempt   int    // from 1, within one read or one request for a token
	Duration  time.Duration
	Size      int64  // bytes of the body that were read
	RequestID string // the service's own, "" where it sends none
	Problem   string // why no whole answer came, or ""
}

// requestIDHeaders are where services put the id of a request. interface.md
// names none.
var requestIDHeaders = []string{"X-Request-Id", "X-Correlation-Id", "Request-Id"}

// newTransport carries token requests and reads alike.
func newTransport(cfg Config) *http.Transport {
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dial,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted(cfg.CACertificates)},
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     90 * time.Second,
		// An engine reads at any parallelism; with the default of 2 it would
		// open a connection for almost every read.
		MaxIdleConnsPerHost: 256,
		// Answers of many megabytes are common; the default is 4 KiB.
		ReadBufferSize: 64 << 10,
	}
}

type attemptKey struct{}

// withAttempt numbers the requests made under ctx, for the log.
func withAttempt(ctx context.Context, attempt int) context.Context {
	return context.WithValue(ctx, attemptKey{}, attempt)
}

// observer is the RoundTripper that names the client to the service and tells
// of each exchange once its body is done with.
type observer struct {
	next      http.RoundTripper
	userAgent string
	clean     func(string) string
	observe   func(context.Context, Exchange)
}

func (o *observer) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	attempt, _ := ctx.Value(attemptKey{}).(int)
	request = request.Clone(ctx)
	request.Header.Set("User-Agent", o.userAgent)
	seen := Exchange{Method: request.Method, Path: o.clean(request.URL.RequestURI()), Attempt: attempt}
	start := time.Now()
	response, err := o.next.RoundTrip(request)
	if err != nil {
		seen.Duration, seen.Problem = time.Since(start), o.clean(faultText(err))
		o.observe(ctx, seen)
		return nil, err
	}
	seen.Status = response.StatusCode
	response.Body = &observedBody{ReadCloser: response.Body, closed: func(size int64, err error) {
		seen.Duration, seen.Size = time.Since(start), size
		// Not before the body is read: the header may echo the token in it.
		seen.RequestID = requestID(response.Header, o.clean)
		if err != nil {
			seen.Problem = o.clean(faultText(err))
		}
		o.observe(ctx, seen)
	}}
	return response, nil
}

// faultText is what net/http says of a fault, without what it quotes of an
// answer that is no HTTP: the quoted part may be a part of a credential.
func faultText(err error) string {
	text := err.Error()
	if strings.Contains(text, "transport connection broken") {
		text, _, _ = strings.Cut(text, `"`)
	}
	return strings.TrimRight(text, " :")
}

// requestID finds the service's id of a request, "" where it sends none.
func requestID(header http.Header, clean func(string) string) string {
	for _, name := range requestIDHeaders {
		if id := header.Get(name); id != "" {
			return shorten(clean(printable(clean(id))), 100)
		}
	}
	return ""
}

// observedBody counts what is read of a body and reports it once.
type observedBody struct {
	io.ReadCloser
	size   int64
	err    error
	once   sync.Once
	closed func(size int64, err error)
}

func (b *observedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.size += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

func (b *observedBody) Close() error {
	b.once.Do(func() { b.closed(b.size, b.err) })
	return b.ReadCloser.Close()
}

// maxTokenBody bounds an answer of the token endpoint, in bytes.
const maxTokenBody = 1 << 20

// wholeAnswers is the RoundTripper of token requests. It reads each answer to
// its end before golang.org/x/oauth2 sees it: that package reports a body that
// was cut short like one that makes no sense, and takes JSON that is labelled
// as plain text for a form.
type wholeAnswers struct {
	next http.RoundTripper
	mask *mask
}

func (t wholeAnswers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxTokenBody))
	// Before it is closed, which is when the exchange is logged.
	t.mask.add(tokenIn(body))
	if closeErr := response.Body.Close(); err == nil {
		err = closeErr
	}
	// The status of an error is worth more than the rest of its body.
	if response.StatusCode == http.StatusOK {
		var document json.RawMessage
		decodeErr := json.NewDecoder(bytes.NewReader(body)).Decode(&document)
		if err == nil && errors.Is(decodeErr, io.ErrUnexpectedEOF) && int64(len(body)) < maxTokenBody {
			err = decodeErr
		}
		if err != nil {
			return nil, err
		}
		body = neededFields(body)
	}
	if strings.HasPrefix(strings.TrimSpace(string(body)), "{") {
		response.Header.Set("Content-Type", "application/json")
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// tokenIn finds a token in an answer, usable or not, "" where there is none.
func tokenIn(body []byte) string {
	var answer struct {
		Token string `json:"access_token"`
	}
	if json.Unmarshal(body, &answer) == nil {
		return answer.Token
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	return form.Get("access_token")
}

// neededFields rewrites an answer that is an object without what is not needed,
// and with the token's life in whole seconds, or without one that is no number:
// such a token serves until it is refused.
func neededFields(body []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	needed := map[string]json.RawMessage{}
	for _, name := range []string{"access_token", "token_type", "error", "error_description"} {
		if value, ok := fields[name]; ok {
			needed[name] = value
		}
	}
	life, err := strconv.ParseFloat(strings.Trim(string(fields["expires_in"]), `"`), 64)
	if err == nil && life >= 1 && life < math.MaxInt32 {
		needed["expires_in"] = strconv.AppendInt(nil, int64(life), 10)
	}
	rewritten, err := json.Marshal(needed)
	if err != nil {
		return body
	}
	return rewritten
}
