package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// The sentinels that an *APIError matches through errors.Is. The HTTP status decides, or the code if a status has
// several meanings (INTERFACE.md, Errors). An unknown code counts as its status.
var (
	ErrInvalidRequest       = errors.New("the service rejected the request")
	ErrOrganisationDisabled = errors.New("the organisation is disabled")
	ErrNotFound             = errors.New("not found or not accessible")
	ErrRateLimited          = errors.New("the request allowance is exceeded")
	ErrUnavailable          = errors.New("the service failed")
)

// Issue is one rejected field of a VALIDATION_FAILED answer.
type Issue struct {
	Field    string
	Messages []string
}

// Endpoint is the address of a request.
type Endpoint struct {
	Method string
	Origin string // scheme and host, such as https://catalogue.example.com
	Path   string // escaped, with the query
	shown  string // the same without credentials
}

// OfToken reports whether it is the token endpoint: every other request is a GET.
func (e Endpoint) OfToken() bool { return e.Method == http.MethodPost }

// String returns the method and the address. It shortens a very long path.
func (e Endpoint) String() string {
	return e.Method + " " + e.Origin + redact.Shorten(cmp.Or(e.shown, e.Path), 200)
}

// aboutEndpoint is an error of this package with the endpoint of its request.
type aboutEndpoint interface {
	error
	OfToken() bool
}

// APIError is a refusal: an answer other than 200, or a success of the token endpoint with an error in its body. The
// service's texts are shortened, and cleaned of control characters and credentials.
type APIError struct {
	Endpoint
	Status     int
	Code       string // as sent, or "" if it is missing or not a string
	ShownCode  string // for people: without credentials, of any type
	Message    string // the service's message, or an excerpt of a body other than an error document
	Issues     []Issue
	Data       string        // data without issues, as compact JSON, abridged, or ""
	Challenge  string        // its WWW-Authenticate, or ""
	RequestID  string        // the service's own id of the request, or ""
	Location   string        // the target of a redirect, without its query
	Asked      bool          // the server has asked for a client certificate
	RetryAfter time.Duration // the wait that the service asked for, or 0
}

func (e *APIError) Error() string {
	text := fmt.Sprintf("%s: %d %s", e.Endpoint, e.Status, http.StatusText(e.Status))
	if e.ShownCode != "" {
		text += ", code " + e.ShownCode
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Is matches the sentinels of this package.
func (e *APIError) Is(target error) bool {
	switch target {
	case ErrInvalidRequest:
		return e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
	case ErrOrganisationDisabled:
		return e.Status == http.StatusForbidden && e.Code == "ORGANISATION_DISABLED"
	case ErrNotFound:
		return e.Status == http.StatusNotFound
	case ErrRateLimited:
		return e.Status == http.StatusTooManyRequests
	case ErrUnavailable:
		return classify(e) == transient
	}
	return false
}

// SaysNotFound reports whether the catalogue itself does not find a record, or hides it from these credentials. A 404
// with a different code, or without one, may come from a gateway.
func (e *APIError) SaysNotFound() bool {
	return e.Status == http.StatusNotFound && e.Code == "NOT_FOUND"
}

// HasCode reports whether a refusal has a code in the service's form (INTERFACE.md, Errors), known or not: a word in
// capitals, or an OAuth error of the token endpoint.
func (e *APIError) HasCode() bool {
	isWord := strings.ContainsFunc(e.Code, unicode.IsLetter)
	return isWord && (e.OfToken() || e.Code == strings.ToUpper(e.Code))
}

// MayBeOfGateway reports whether a refusal may come from something in front of the service. Transient refusals and
// those of a missing path have rules of their own.
func (e *APIError) MayBeOfGateway() bool {
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return e.Status/100 == 4 && !e.HasCode()
	}
}

// apiError returns the refusal in an error.
func apiError(err error) (*APIError, bool) { return errors.AsType[*APIError](err) }

// UnusableAnswerError is a success whose body is not JSON of the shape in INTERFACE.md. Place locates the problem by
// the service's field names, such as models[3].revision; it is empty for the whole body.
type UnusableAnswerError struct {
	Endpoint
	Status      int
	ContentType string
	Place       string
	Problem     string
	IsPart      bool   // the body is a partial list, and the client reads whole ones only
	IsPage      bool   // the body is a page of HTML or a document of XML
	Asked       bool   // as in APIError
	RequestID   string // the service's own id of the request, or ""
}

func (e *UnusableAnswerError) Error() string {
	text := e.Problem
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	return fmt.Sprintf("%s: unusable answer: %s", e.Endpoint, text)
}

// TooLargeError is an answer over the client's limit. Limit and Size are in bytes; Size is 0 if the service did not
// announce it.
type TooLargeError struct {
	Endpoint
	Limit, Size int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s: larger than %d bytes", e.Endpoint, e.Limit)
}

// RejectedError is the failure to get an accepted token: Err is the final answer of the token endpoint, or the 401 to a
// new token. It ends every further read of the client, unless it is Alone.
type RejectedError struct {
	Given  bool // Config.AccessToken was rejected, so nothing else can be tried
	Issued bool // the token endpoint accepted the credentials, and its tokens were rejected
	Alone  bool // one read has renewed its token too often; other reads go on
	Err    error
}

func (e *RejectedError) Error() string { return "no token that the service accepts: " + e.Err.Error() }

// Unwrap returns the answer of the service.
func (e *RejectedError) Unwrap() error { return e.Err }

// Cause is why a read ended without an answer.
type Cause int

// The causes of a [GaveUpError].
const (
	RetriesUsedUp   Cause = iota // Config.MaxRetries further attempts failed
	FaultStays                   // a fault that is likely to last came again a second later
	ServiceDown                  // one attempt failed, and another read had used up its retries
	AllowanceUsedUp              // the one attempt met a 429 or its pause, and another read gave up because of 429s
	WaitTooLong                  // a pause, a gap, a Retry-After or a back-off ends after the read's time
	CeilingTooLow                // Config.Ceiling allows a request only after the read's time
	TimeOver                     // the read's time was over during a request, or while it waited for one
)

// GaveUpError is a read without an answer, though another attempt might have had one.
type GaveUpError struct {
	Cause      Cause
	Attempts   int           // made for the question, or for a token if Err is of the token endpoint
	Elapsed    time.Duration // since the caller asked
	Remaining  time.Duration // what was left of the caller's time
	Wait       time.Duration // the wait too long for Remaining, or 0
	WaitingFor string        // in words, such as "the requests before it", "" if a request was under way
	Err        error         // the failure behind it, or nil
}

func (e *GaveUpError) Error() string {
	text := fmt.Sprintf("gave up in %s (attempts: %d)", rounded(e.Elapsed), e.Attempts)
	if e.Err == nil {
		return text + ", waiting for " + e.WaitingFor
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the failure behind it.
func (e *GaveUpError) Unwrap() error { return e.Err }

// InterruptedError is a read that its caller's context ended, and the wait it was in. Err is the context's error.
type InterruptedError struct {
	Attempts   int           // as in GaveUpError
	Last       error         // the failure behind that wait, or nil
	WaitingFor string        // as in GaveUpError
	Remaining  time.Duration // the rest of that wait, or 0 if unknown
	Err        error
}

func (e *InterruptedError) Error() string { return "interrupted: " + e.Err.Error() }

// Unwrap returns the error of the context.
func (e *InterruptedError) Unwrap() error { return e.Err }

// NetworkError is an attempt without a complete answer. TimedOut marks one that exceeded the time-out of an attempt, or
// the rest of the read's time.
type NetworkError struct {
	Endpoint
	TimedOut bool
	Limit    time.Duration // the time-out of one attempt, if that was over
	Fault    Fault
	Asked    bool     // the server has asked for a client certificate
	Answered bool     // it has answered a request (since then, if it asked)
	Issuer   string   // of the certificate of an UnknownAuthority, or "" if self-signed
	Names    []string // the hosts of the certificate of an OtherHost

	ProxyStatus int    // the status that the proxy answered, or 0
	ProxyAsks   string // its Proxy-Authenticate, or ""
	Problem     string // in the words of net/http, cleaned like a text of the service
	Err         error
}

func (e *NetworkError) Error() string { return e.String() + ": " + e.Problem }

// Unwrap returns the fault as net/http reported it.
func (e *NetworkError) Unwrap() error { return e.Err }

// tooSlow returns the error of a request still under way at the end of the read's time, with the stage it had reached.
func tooSlow(to Endpoint, stage Fault) error {
	const problem = "no whole answer before the read's time was over"
	return &NetworkError{Endpoint: to, Fault: stage, TimedOut: true, Problem: problem, Err: context.DeadlineExceeded}
}
