package catalogue

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Exchange is one request and what came back, for a log. No field holds the
// secret or a token.
type Exchange struct {
	Method    string
	Path      string        // escaped, with the query
	Status    int           // 0 where no answer came
	Attempt   int           // from 1, within one read or one request for a token
	Waited    time.Duration // for its admission
	WaitedFor string        // what for, in words, or ""
	Duration  time.Duration // from its admission to the end of the answer
	Size      int64         // bytes of the body that were read
	RequestID string        // the service's own, "" where it sends none
	Problem   string        // why no whole answer came, or ""
}

// requestIDHeaders are where services put the id of a request. interface.md
// names none.
var requestIDHeaders = []string{"X-Request-Id", "X-Correlation-Id", "Request-Id"}

// errorBodyTime is how long the body of an error may take: the status is known
// then, and says what is to be done.
const errorBodyTime = 5 * time.Second

// sender sends one request at a time, of a token or of a read, and turns what
// comes back into an answer or a typed error.
type sender struct {
	base           *url.URL
	transport      http.RoundTripper
	requestTimeout time.Duration
	userAgent      string
	mask           *mask
	observe        func(context.Context, Exchange)
}

func newSender(cfg Config) sender {
	s := sender{
		base: cfg.BaseURL, transport: cfg.Transport, requestTimeout: cfg.RequestTimeout,
		userAgent: cfg.UserAgent, mask: &mask{}, observe: cfg.Observe,
	}
	if s.transport == nil {
		s.transport = newTransport(cfg)
	}
	if s.observe == nil {
		s.observe = func(context.Context, Exchange) {}
	}
	return s
}

// newTransport carries token requests and reads alike.
func newTransport(cfg Config) *http.Transport {
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	// A connection of HTTP/2 that has gone dead ends within one attempt, so that
	// the next attempt uses another.
	ping := min(cfg.RequestTimeout/3, 10*time.Second)
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dial,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted(cfg.CACertificates)},
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: ping, PingTimeout: ping},
		IdleConnTimeout:     90 * time.Second,
		// An engine reads at any parallelism; with the default of 2 it would
		// open a connection for almost every read.
		MaxIdleConnsPerHost: 256,
		// Answers of many megabytes are common; the default is 4 KiB.
		ReadBufferSize: 64 << 10,

		OnProxyConnectResponse: refusedByProxy,
	}
}

// trusted is the system's own certificates and more. No more gives nil, which
// stands for the system's own.
func trusted(more []*x509.Certificate) *x509.CertPool {
	if len(more) == 0 {
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		// A system without certificates of its own still has these.
		pool = x509.NewCertPool()
	}
	for _, certificate := range more {
		pool.AddCert(certificate)
	}
	return pool
}

// outgoing is a request to send.
type outgoing struct {
	method, target string // target is the path and query below the base URL
	header         http.Header
	body           []byte
	limit          int64                 // the largest answer, in bytes
	read           func(*incoming) error // reads the body of a 200
}

// incoming is the body of a 200 while it is read.
type incoming struct {
	io.Reader
	header http.Header
	masked func(credential string) // hides a credential that the body holds
}

// exchange sends a request that was admitted and reads its answer. It follows
// no redirect, which could take the token or the secret to another host. What
// the header says is told to the admission before the body is read.
func (s *sender) exchange(g *grant, out outgoing) error {
	attempt, cancel := context.WithTimeout(g.ctx, s.requestTimeout)
	defer cancel()
	at := Endpoint{
		Method: out.method, Origin: s.base.Scheme + "://" + s.base.Host, Path: s.base.EscapedPath() + out.target,
	}
	request, err := http.NewRequestWithContext(attempt, out.method, s.base.String()+out.target, bytes.NewReader(out.body))
	if err != nil {
		return err
	}
	maps.Copy(request.Header, out.header)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", s.userAgent)

	seen := Exchange{
		Method: out.method, Path: s.mask.clean(at.Path), Attempt: g.attempt, Waited: g.waited, WaitedFor: g.why,
	}
	g.sends(at)
	response, err := s.transport.RoundTrip(request) //nolint:bodyclose // closed in receive
	if err != nil {
		err = s.networkError(attempt, at, err)
	} else {
		seen.Status = response.StatusCode
		g.heard(response)
		seen.Size, err = s.receive(attempt, cancel, at, response, out)
		// Not before the body is read: the header may echo a token that is in it.
		seen.RequestID = requestID(response.Header, s.mask.clean)
	}
	seen.Duration = time.Since(g.sentAt)
	if fault, ok := errors.AsType[*NetworkError](err); ok {
		seen.Problem = s.mask.clean(faultText(fault.Err))
	}
	s.observe(g.ctx, seen)
	return err
}

// receive reads the body of an answer and closes it. It returns the bytes that
// were read.
func (s *sender) receive(
	attempt context.Context, cancel context.CancelFunc, at Endpoint, response *http.Response, out outgoing,
) (size int64, err error) {
	defer func() { _ = response.Body.Close() }()
	body := &boundedReader{reader: response.Body, limit: out.limit}
	if response.StatusCode != http.StatusOK {
		defer time.AfterFunc(errorBodyTime, cancel).Stop()
		// Where the body is cut, the status and what has come say enough.
		text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		return body.size, s.apiError(at, response, text)
	}
	if response.ContentLength > out.limit {
		return 0, &TooLargeError{Endpoint: at, Limit: out.limit, Size: response.ContentLength}
	}
	in := &incoming{Reader: body, header: response.Header, masked: s.mask.add}
	if err := out.read(in); err != nil {
		return body.size, s.bodyError(attempt, at, response, body.head, err)
	}
	return body.size, nil
}

// boundedReader counts the bytes of a body, and refuses more than limit of
// them, where io.LimitReader would let the body look complete.
type boundedReader struct {
	reader      io.Reader
	size, limit int64
	head        []byte // the first maxHead bytes
}

// maxHead is how much of a body is kept to tell what it is, in bytes.
const maxHead = 1 << 10

func (r *boundedReader) Read(p []byte) (int, error) {
	if room := r.limit - r.size + 1; int64(len(p)) > room {
		p = p[:max(room, 0)]
	}
	n, err := r.reader.Read(p)
	r.size += int64(n)
	r.head = append(r.head, p[:min(n, maxHead-len(r.head))]...)
	if r.size > r.limit {
		return n, &TooLargeError{Limit: r.limit}
	}
	return n, err
}

// requestID finds the service's id of a request, "" where it sends none.
func requestID(header http.Header, clean func(string) string) string {
	for _, name := range requestIDHeaders {
		if id := header.Get(name); id != "" {
			return shorten(clean(printable(clean(id))), maxWord)
		}
	}
	return ""
}

// tidy makes a text of others fit for a message of ours.
func (s *sender) tidy(text string, limit int) string {
	return shorten(s.mask.clean(printable(s.mask.clean(text))), limit)
}

// apiError describes an answer other than 200.
func (s *sender) apiError(at Endpoint, response *http.Response, body []byte) *APIError {
	api := &APIError{
		Endpoint:  at,
		Status:    response.StatusCode,
		RequestID: requestID(response.Header, s.mask.clean),
		Location:  s.tidy(response.Header.Get("Location"), maxExcerpt),
	}
	api.readErrorBody(body, response.Header.Get("Content-Type"), s.mask.clean, s.tidy)
	return api
}

// networkError describes an attempt without a whole answer.
func (s *sender) networkError(attempt context.Context, at Endpoint, err error) error {
	fault := &NetworkError{
		Endpoint: at, Problem: s.tidy(faultText(err), maxExcerpt), Permanent: permanent(err),
		Certificate: s.certificateFault(err), Proxy: s.proxyFault(err), Err: err,
	}
	if errors.Is(attempt.Err(), context.DeadlineExceeded) {
		fault.TimedOut, fault.Limit = true, s.requestTimeout
		fault.Problem = fmt.Sprintf("no whole answer within %s", s.requestTimeout)
	}
	return fault
}

// faultText is what net/http says of a fault, without what it quotes of an
// answer that is no HTTP: the quoted part may be a part of a credential.
func faultText(err error) string {
	text := err.Error()
	if strings.Contains(text, "transport connection broken") || strings.Contains(text, "malformed HTTP") {
		text, _, _ = strings.Cut(text, `"`)
	}
	return strings.TrimRight(text, " :")
}

// bodyError describes a 200 that could not be used: its body was cut short, is
// too large, or is not of the right shape.
func (s *sender) bodyError(
	attempt context.Context, at Endpoint, response *http.Response, head []byte, err error,
) error {
	unusable := func(place, problem string) error {
		return &UnusableAnswerError{
			Endpoint: at, ContentType: s.tidy(response.Header.Get("Content-Type"), maxWord), Place: place,
			Problem: s.tidy(problem, maxExcerpt), RequestID: requestID(response.Header, s.mask.clean),
		}
	}
	var shape *shapeError
	var size *TooLargeError
	var token *TokenError
	var oauth *oauthError
	var deflate flate.CorruptInputError
	switch {
	case errors.As(err, &token):
		token.Endpoint, token.RequestID = at, requestID(response.Header, s.mask.clean)
		return token
	case errors.As(err, &oauth):
		return s.apiError(at, response, oauth.body)
	case errors.As(err, &shape):
		page := excerpt(s.mask.clean(string(head)), response.Header.Get("Content-Type"))
		if shape.place == "" && strings.HasPrefix(page, htmlPage) {
			return unusable("", "the body is "+page)
		}
		return unusable(shape.place, shape.problem)
	case errors.As(err, &size):
		size.Endpoint = at
		return size
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &deflate):
		return unusable("", "the body is labelled as gzip and is none")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &NetworkError{Endpoint: at, Problem: "the answer was cut short", Err: err}
	default:
		return s.networkError(attempt, at, err)
	}
}
