package sandbox

import (
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// grant is what a token stands for.
type grant struct {
	organisation *Organisation
	expires      time.Time // zero: never
}

func (g grant) isOver(now time.Time) bool { return !g.expires.IsZero() && !now.Before(g.expires) }

// forgetTokens forgets, once in a life, those that are over. The caller holds
// s.mu.
func (s *Sandbox) forgetTokens() {
	now := time.Now()
	if now.Before(s.sweep) {
		return
	}
	s.sweep = now.Add(s.settings.tokenLife)
	maps.DeleteFunc(s.tokens, func(_ string, g grant) bool { return g.isOver(now) })
}

// DropTokens makes the sandbox refuse every token issued so far.
func (s *Sandbox) DropTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// issueToken is POST /v1/auth/token: RFC 6749 §4.4 with the errors of
// INTERFACE.md, Token endpoint errors. A disabled or forbidden organisation
// gets a token too: the interface refuses its authenticated requests.
func (s *Sandbox) issueToken(x *exchange) *answer {
	if x.request.Method != http.MethodPost {
		return refuseToken(http.StatusMethodNotAllowed, "invalid_request", "Only POST is allowed here.").
			with("Allow", http.MethodPost)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The limit has no OAuth error: INTERFACE.md, Limits, names one code for
	// every request.
	if refusal := s.limit(s.knownClient(x.record.Form.Get("client_id"))); refusal != nil {
		return unstored(refusal)
	}
	fields, refusal := s.tokenFields(x)
	if refusal != nil {
		return refusal
	}
	of := func(o *Organisation) bool {
		return o.ClientID == fields.Get("client_id") && o.ClientSecret == fields.Get("client_secret")
	}
	i := slices.IndexFunc(s.organisations, of)
	if i < 0 {
		return badToken("invalid_client", "The client id or the client secret is wrong.")
	}
	token, issued := "sandbox-"+rand.Text(), grant{organisation: s.organisations[i]}
	if life := s.settings.tokenLife; life > 0 {
		issued.expires = time.Now().Add(life)
		s.forgetTokens()
	}
	s.tokens[token] = issued

	body := object{{"access_token", encode(token)}, {"token_type", jsontext.Value(`"Bearer"`)}}
	if life := s.settings.expiresIn(); life != nil {
		body = append(body, member{"expires_in", life})
	}
	return unstored(respond(http.StatusOK, encode(body)))
}

func badToken(code, description string) *answer {
	return refuseToken(oauthStatuses[code], code, description)
}

// authenticate returns the caller, or the refusal: 401, 429 and 403, in this
// order, as the limit counts authenticated requests.
func (s *Sandbox) authenticate(r *http.Request) (organisation string, refusal *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.tokens[bearer(r)]
	if !ok || held.isOver(time.Now()) {
		return "", deny("UNAUTHORIZED", "The bearer token is missing, invalid or expired.").
			with("WWW-Authenticate", "Bearer")
	}
	if refusal := s.limit(held.organisation.ClientID); refusal != nil {
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

// knownClient returns the client id, or nothing where there is none such.
func (s *Sandbox) knownClient(id string) string {
	if slices.ContainsFunc(s.organisations, func(o *Organisation) bool { return o.ClientID == id }) {
		return id
	}
	return ""
}

// limit refuses what exceeds the client's allowance. The caller holds s.mu.
func (s *Sandbox) limit(clientID string) *answer {
	if !s.settings.allowance.limited() {
		return nil
	}
	if s.counters[clientID] == nil {
		s.counters[clientID] = s.settings.allowance.counter()
	}
	wait := s.counters[clientID](time.Now())
	if wait == 0 {
		return nil
	}
	return deny("RATE_LIMITED", "The request allowance is exceeded.").
		with("Retry-After", strconv.Itoa(retryAfter(wait)))
}
