package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

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
