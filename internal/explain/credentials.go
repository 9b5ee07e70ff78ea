package explain

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// Credential describes a client id, a client secret or an access token in a message, never by its value: a user may
// have swapped two of them.
type Credential struct {
	Argument string
	Origin   Origin
	Oddities []string // of the value, such as "has quotes around it"
}

// Origin is the source of an argument's value. The zero Origin is a default.
type Origin struct {
	Block    bool   // the provider block sets it
	Variable string // the environment variable of the value, or of the file with it
	File     bool
	Over     []string // variables set as well, but ignored
}

// String names the origin, such as MODELCATALOGUE_CLIENT_ID, or returns "" for a default.
func (o Origin) String() string {
	switch {
	case o.Block:
		return "the provider block"
	case o.File:
		return "the file that " + o.Variable + " names"
	}
	return o.Variable
}

// rejected explains why the process cannot get an accepted token.
func (m *message) rejected(rejected *catalogue.RejectedError) {
	switch api := m.api; {
	case api == nil:
		m.say(SummaryNoToken, "The service's answer to the token request does not contain a usable token.", m.next)
		m.fact = cmp.Or(m.fact, "The fault: "+rejected.Err.Error())
	case isRedirect(api), errors.Is(api, catalogue.ErrOrganisationDisabled): // explained as that
	case api.MayBeOfGateway(): // explained as that
		m.next += m.orRejected(rejected)
	case rejected.Given:
		m.say(SummaryTokenRejected, "The service rejected the access token.", "Check "+m.blamed(rejected))
	case rejected.Issued:
		m.say(SummaryRejected,
			"The service issued tokens for these credentials and then rejected them, including a new one.",
			"The credentials themselves were accepted. Show this to the service's operator.")
	case api.Code == "invalid_client":
		m.say(SummaryRejected, "The service gave no token for client_id and client_secret.",
			"Check "+m.blamed(rejected))
	case errors.Is(api, catalogue.ErrNotFound), api.Status == http.StatusMethodNotAllowed:
		m.say(SummaryNoToken, "The service does not have a token endpoint at the address the provider used.",
			checkBaseURL)
	default:
		check := ""
		if api.Status == http.StatusUnauthorized {
			check = "Check " + m.blamed(rejected) + " "
		}
		m.say(SummaryNoToken,
			"The service refused the request for a token. Its answer does not have the code for wrong credentials, "+
				"invalid_client.",
			check+m.actOrShow()+" The provider sends grant_type, client_id and client_secret only: if the service "+
				"requires more, such as an audience or a scope, get a token in a different way, and give it in "+
				"access_token.")
	}
}

// orRejected adds to the advice on a refusal that may be a gateway's: the service itself may have sent it.
func (m *message) orRejected(rejected *catalogue.RejectedError) string {
	switch {
	case rejected.Issued:
		return " The service did issue tokens for these credentials."
	case m.api.Status == http.StatusUnauthorized:
		return " If the service itself sent it, check " + m.blamed(rejected)
	}
	return ""
}

// insteadOfToken explains how to use client id and secret in place of a token, which the provider cannot renew. They
// may be set in the environment already, but ignored.
func (e *Explainer) insteadOfToken() string {
	for _, c := range e.Credentials {
		others := strings.Join(c.Origin.Over, " ")
		isPair := strings.Contains(others, "_CLIENT_ID") && strings.Contains(others, "_CLIENT_SECRET")
		switch {
		case isPair && c.Origin.Block:
			return "Or remove " + c.Argument + " from the provider block to use client_id and client_secret."
		case isPair:
			return "Or unset " + c.Origin.Variable + " to use them."
		}
	}
	return "The provider cannot renew a given token: if runs take longer than a token lives, give client_id and " +
		"client_secret in its place."
}

// blamed lists the rejected credentials with their origins, and what else to check. It adds their oddities, and the
// variables they override.
func (m *message) blamed(rejected *catalogue.RejectedError) string {
	var named []string
	for _, c := range m.by.Credentials {
		named = append(named, fmt.Sprintf("%s (from %s)", c.Argument, c.Origin))
		for _, oddity := range c.Oddities {
			m.add("The value of %s %s. That may be the reason.", c.Argument, oddity)
		}
		if len(c.Origin.Over) > 0 {
			m.add("Ignored because %s takes precedence: %s.", c.Origin, Enumerated(c.Origin.Over))
		}
	}
	if named == nil {
		named = []string{"the credentials"}
	}
	meant := "that both are meant for the service at base_url."
	if rejected.Given {
		meant = "that it is meant for the service at base_url. Tokens expire: get a new one. " + m.by.insteadOfToken()
	}
	return Enumerated(named) + ", and " + meant
}
