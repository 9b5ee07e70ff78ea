package sandbox

import (
	"crypto/rand"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// grant is what a token stands for.
type grant struct {
	organisation *Organisation
	expires      time.Time // zero: never
}

// DropTokens makes the sandbox refuse every token issued so far.
func (s *Sandbox) DropTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// issueToken is POST /v1/auth/token: RFC 6749 §4.4 with the errors of
// interface.md "Token endpoint errors". A disabled or forbidden organisation
// gets a token too: the interface refuses its authenticated requests.
func (s *Sandbox) issueToken(x *exchange) *answer {
	if x.request.Method != http.MethodPost {
		return refuseToken(http.StatusMethodNotAllowed, "invalid_request", "Only POST is allowed here.").
			with("Allow", http.MethodPost)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The limit has no OAuth error: interface.md "Limits" names one code for
	// every request.
	if refusal := s.limit(); refusal != nil {
		return unstored(refusal)
	}
	form, refusal := tokenForm(x)
	if refusal != nil {
		return refusal
	}
	of := func(o *Organisation) bool {
		return o.ClientID == form.Get("client_id") && o.ClientSecret == form.Get("client_secret")
	}
	i := slices.IndexFunc(s.organisations, of)
	if i < 0 {
		return badToken("invalid_client", "The client id or the client secret is wrong.")
	}
	token, issued := rand.Text(), grant{organisation: s.organisations[i]}
	if s.tokenLife > 0 {
		issued.expires = time.Now().Add(s.tokenLife)
	}
	s.tokens[token] = issued

	body := object{{"access_token", quote(token)}, {"token_type", json.RawMessage(`"Bearer"`)}}
	if life := s.expiresIn(); life != nil {
		body = append(body, member{"expires_in", life})
	}
	return unstored(respond(http.StatusOK, body.json()))
}

func badToken(code, description string) *answer {
	return refuseToken(oauthStatuses[code], code, description)
}

// tokenForm returns the three fields, each sent once and in the body.
func tokenForm(x *exchange) (url.Values, *answer) {
	r := x.request
	malformed := func(description string) (url.Values, *answer) {
		return nil, badToken("invalid_request", description)
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/x-www-form-urlencoded" {
		return malformed("The content type must be application/x-www-form-urlencoded.")
	}
	// RFC 6749 §2.3.1 keeps credentials out of the URI, §2.3 allows one way of
	// sending them, and interface.md documents the body's.
	if r.URL.RawQuery != "" {
		return malformed("Parameters belong into the body, not into the query.")
	}
	if len(r.Header.Values("Authorization")) > 0 {
		return malformed("Credentials belong into the body, not into the Authorization header.")
	}
	form, err := url.ParseQuery(string(x.body))
	if err != nil {
		return malformed("The body is no valid form.")
	}
	for name, values := range form {
		switch {
		case name != "grant_type" && name != "client_id" && name != "client_secret":
			// The RFC would have it ignored; a client that sends what the
			// interface does not document should hear of it here.
			return malformed("The field " + strconv.Quote(name) + " is not known.")
		case len(values) > 1:
			return malformed("The field " + name + " is sent more than once.")
		}
	}
	if form.Get("grant_type") != "client_credentials" {
		return nil, badToken("unsupported_grant_type", "grant_type must be client_credentials.")
	}
	for _, name := range []string{"client_id", "client_secret"} {
		if form.Get(name) == "" {
			return malformed("The field " + name + " is missing.")
		}
	}
	return form, nil
}

// authenticate returns the caller, or the refusal: 401, 429 and 403, in this
// order, as the limit counts authenticated requests.
func (s *Sandbox) authenticate(r *http.Request) (organisation string, refusal *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.tokens[bearer(r)]
	if !ok || !held.expires.IsZero() && !time.Now().Before(held.expires) {
		return "", deny("UNAUTHORIZED", "The bearer token is missing, invalid or expired.").
			with("WWW-Authenticate", "Bearer")
	}
	if refusal := s.limit(); refusal != nil {
		return "", refusal
	}
	switch caller := held.organisation; {
	case caller.Disabled != "":
		return "", deny("ORGANISATION_DISABLED", caller.Disabled)
	case caller.Forbidden:
		return "", deny("FORBIDDEN", "The organisation is not permitted to perform this request.")
	default:
		return caller.Name, nil
	}
}

// bearer returns the token of the Authorization header; its scheme is
// case-insensitive (RFC 9110 §11.1).
func bearer(r *http.Request) string {
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// limit refuses what exceeds the allowance. The caller holds s.mu.
func (s *Sandbox) limit() *answer {
	wait, ok := s.allowance.admit(time.Now())
	if ok {
		return nil
	}
	return deny("RATE_LIMITED", "The request allowance is exceeded.").
		with("Retry-After", strconv.Itoa(wait))
}
