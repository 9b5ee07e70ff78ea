package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Option changes how a [Sandbox] behaves.
type Option func(*settings)

// settings are what the interface leaves open.
type settings struct {
	tokenLife time.Duration
	expiresIn func() jsontext.Value // nil: the field is left out
	format    TokenFormat
	allowance Allowance
	unlisted  bool // archived revisions are
	pageSize  int  // 0: lists come whole
	hosts     []string
}

// WithTokenLife sets for how long a token is valid, an hour by default. With 0 tokens do not expire, and their
// answer has no expires_in. The interface leaves the lifetime open (INTERFACE.md, Authentication 5).
func WithTokenLife(life time.Duration) Option {
	return func(s *settings) { s.tokenLife = life }
}

// WithExpiresIn sets the expires_in of token answers to any value that JSON can express, whatever the tokens' life:
// nil leaves the field out. By default it is the life in whole seconds (RFC 6749 §5.1).
func WithExpiresIn(value any) Option {
	var text jsontext.Value
	if value != nil {
		text = encode(value)
	}
	return func(s *settings) { s.expiresIn = func() jsontext.Value { return text } }
}

func (s *settings) wholeSeconds() jsontext.Value {
	if s.tokenLife <= 0 {
		return nil
	}
	return encode(int64(s.tokenLife / time.Second))
}

// TokenFormat is the content type that the token endpoint takes. The interface does not show it, and services
// differ: RFC 6749 §4.4 has a form, some take JSON only.
type TokenFormat string

// The formats of token requests.
const (
	TokenForm TokenFormat = "form" // a form, the default; others get 400 and invalid_request
	TokenJSON TokenFormat = "json" // application/json; others get 415
	TokenAny  TokenFormat = "any"  // both
)

// WithTokenFormat sets the content type that the token endpoint takes.
func WithTokenFormat(format TokenFormat) Option {
	if contentTypes[format] == nil {
		panic(fmt.Sprintf("sandbox: there is no token format %q", format))
	}
	return func(s *settings) { s.format = format }
}

// WithAllowance limits the requests of each client id, its token requests and its authenticated ones together; the
// rest is refused with RATE_LIMITED and not counted (INTERFACE.md, Limits). Token requests with a client id that the
// sandbox does not know are counted together.
func WithAllowance(a Allowance) Option {
	return func(s *settings) { s.allowance = a }
}

// WithPageSize sends lists in pages of that many elements: X-Total-Count has the number of all, and Link with
// rel="next" the next page. The interface does not show pages, and services that have them often do it so. With 0
// lists come whole.
func WithPageSize(elements int) Option {
	return func(s *settings) { s.pageSize = elements }
}

// WithArchivedUnlisted leaves archived revisions out of /v1/model-group/:id/models, as /v1/model does. The interface
// says that the list has every revision. The latest model may be archived still.
func WithArchivedUnlisted() Option {
	return func(s *settings) { s.unlisted = true }
}

// WithHosts answers control routes under these host names too. Without it they are answered only under those of the
// loopback address. Case and white space around a name do not count.
func WithHosts(hosts ...string) Option {
	return func(s *settings) {
		for _, host := range hosts {
			s.hosts = append(s.hosts, strings.ToLower(strings.TrimSpace(host)))
		}
	}
}
