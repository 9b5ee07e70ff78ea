package sandbox

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Option changes how a [Sandbox] behaves.
type Option func(*Sandbox)

// WithTokenLife sets for how long a token is valid, one hour unless told. With
// 0 tokens do not expire, and their answer has no expires_in. The interface
// leaves the lifetime open (interface.md "Authentication" 5).
func WithTokenLife(life time.Duration) Option {
	return func(s *Sandbox) { s.tokenLife = life }
}

// WithExpiresIn sets the expires_in of token answers to any JSON value,
// whatever the tokens' life: nil leaves the field out, JSON text in a
// [jsontext.Value] or a json.RawMessage is sent as it is, anything else is
// encoded. Unless told it is the life in whole seconds (RFC 6749 §5.1). It
// panics on what JSON cannot express.
func WithExpiresIn(value any) Option {
	var text jsontext.Value
	if value != nil {
		text = encode(value)
	}
	return func(s *Sandbox) { s.expiresIn = func() jsontext.Value { return text } }
}

// WithRateLimit is [WithAllowance] of n requests in any window of that length.
func WithRateLimit(n int, window time.Duration) Option {
	return WithAllowance(Allowance{Kind: SlidingWindow, Requests: n, Per: window})
}

// WithAllowance permits each client id so many requests, its token requests
// and its authenticated ones together; the rest is refused with RATE_LIMITED
// and not counted (interface.md "Limits"). Token requests with a client id
// that the sandbox does not know are counted together.
func WithAllowance(a Allowance) Option {
	return func(s *Sandbox) { s.allowance = a }
}

// WithArchivedUnlisted leaves archived revisions out of
// /v1/model-group/:id/models. The interface says that this list has every
// revision and that /v1/model has no archived ones unless they are asked for;
// a service may well treat both alike. The latest model may be archived still.
func WithArchivedUnlisted() Option {
	return func(s *Sandbox) { s.unlisted = true }
}

func (s *Sandbox) wholeSeconds() jsontext.Value {
	if s.tokenLife <= 0 {
		return nil
	}
	return encode(int64(s.tokenLife / time.Second))
}
