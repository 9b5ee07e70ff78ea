package sandbox

import (
	"cmp"
	"crypto/rand"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// grant is the permission behind a token.
type grant struct {
	organisation *Organisation
	expires      time.Time
}

func (g grant) isOver(now time.Time) bool { return !now.Before(g.expires) }

// DropTokens makes every token issued so far invalid.
func (s *Sandbox) DropTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// issueToken answers POST /v1/auth/token (RFC 6749 §4.4). A disabled or forbidden organisation gets a token too: the
// interface refuses its authenticated requests.
func (s *Sandbox) issueToken(x *exchange) *answer {
	if x.request.Method != http.MethodPost {
		return refuseToken(http.StatusMethodNotAllowed, "invalid_request", "Only POST is allowed here.").
			set("Allow", http.MethodPost)
	}
	fields, malformed := url.ParseQuery(string(x.body))
	client := fields.Get("client_id")
	s.mu.Lock()
	defer s.mu.Unlock()
	x.record.Client = client[:min(len(client), 100)]
	organisation, counted := s.organisation(client), client
	if organisation == nil {
		counted = "" // unknown clients share an allowance
	}
	// OAuth has no error for a limit. The code of INTERFACE.md, Limits, is that of every request.
	if refusal := s.limitLocked(x, counted); refusal != nil {
		return unstored(refusal)
	}
	secret := fields.Get("client_secret")
	problem := problemOfTokenRequest(x.request, fields, malformed)
	switch {
	case problem != "":
		return badToken("invalid_request", problem)
	case fields.Get("grant_type") != "client_credentials":
		return badToken("unsupported_grant_type", "grant_type must be client_credentials.")
	case client == "" || secret == "":
		return badToken("invalid_request", "The field client_id or client_secret is missing.")
	case organisation == nil || organisation.ClientSecret != secret:
		return badToken("invalid_client", "The client id or the client secret is wrong.")
	}
	return s.grantLocked(organisation)
}

// organisation returns the organisation of a client id, or nil.
func (s *Sandbox) organisation(clientID string) *Organisation {
	for i, o := range s.catalogue.organisations {
		if o.ClientID == clientID {
			return &s.catalogue.organisations[i]
		}
	}
	return nil
}

// grantLocked answers with a new token.
func (s *Sandbox) grantLocked(to *Organisation) *answer {
	now, life := time.Now(), s.choices.tokenLife
	maps.DeleteFunc(s.tokens, func(_ string, g grant) bool { return g.isOver(now) })
	token := "sandbox-" + rand.Text()
	body := object{"access_token": encode(token), "token_type": jsontext.Value(`"Bearer"`)}
	if life > 0 {
		body["expires_in"] = encode(int64(life / time.Second)) // RFC 6749 §5.1
	}
	const forever = 100 * 365 * 24 * time.Hour
	s.tokens[token] = grant{
		organisation: to,
		expires:      now.Add(cmp.Or(life, forever)),
	}
	return unstored(respond(http.StatusOK, encode(body)))
}

func badToken(code, description string) *answer {
	return refuseToken(oauthStatuses[code], code, description)
}

// problemOfTokenRequest returns the mistake in a request that is not a form or has a duplicate field, or "". RFC 6749
// §2.3 forbids credentials in the URI and in two places. Other fields, such as scope, are ignored (§3.2).
func problemOfTokenRequest(r *http.Request, fields url.Values, malformed error) string {
	const form = "application/x-www-form-urlencoded"
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind != form:
		return "The content type must be " + form + "."
	case malformed != nil:
		return "The body is not a valid form."
	case r.URL.RawQuery != "":
		return "Parameters belong in the body, not in the query."
	case len(r.Header.Values("Authorization")) > 0:
		return "Credentials belong in the body, not in the Authorization header."
	}
	for name, values := range fields {
		if len(values) > 1 {
			return "The field " + name + " is sent more than once."
		}
	}
	return ""
}

// authenticate returns the caller, or answers 401, 429 or 403, in this order, because the limit counts authenticated
// requests.
func (s *Sandbox) authenticate(x *exchange) (organisation string, refusal *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.tokens[bearer(x.request)]
	if !ok || held.isOver(time.Now()) {
		return "", deny("UNAUTHORIZED", "The bearer token is missing, invalid or expired.").
			set("WWW-Authenticate", "Bearer")
	}
	caller := held.organisation
	refusal = s.limitLocked(x, caller.ClientID)
	switch {
	case refusal != nil:
	case caller.Disabled != "":
		refusal = deny("ORGANISATION_DISABLED", caller.Disabled)
	case caller.Forbidden:
		refusal = deny("FORBIDDEN", "The organisation is not permitted to perform this request.")
	}
	return caller.Name, refusal
}

// bearer returns the token of the Authorization header; its scheme is case-insensitive (RFC 9110 §11.1).
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if len(r.Header.Values("Authorization")) != 1 || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// limitLocked counts a request, and returns a 429 if it exceeds the client's allowance.
func (s *Sandbox) limitLocked(x *exchange, clientID string) *answer {
	if s.choices.allowance.Requests == 0 {
		return nil
	}
	counted, ok := s.counters[clientID]
	if !ok {
		counted = s.choices.allowance.Counter()
		s.counters[clientID] = counted
	}
	wait := counted.Take(time.Now())
	if wait == 0 {
		return nil
	}
	x.record.Cause = cmp.Or(x.record.Cause, "allowance")
	return deny("RATE_LIMITED", "The request allowance is exceeded.").
		set("Retry-After", strconv.Itoa(retryAfter(wait)))
}
