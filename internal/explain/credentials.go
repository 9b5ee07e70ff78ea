package explain

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// Credential is what may be told of a client id, a client secret or an access
// token: never its value, because a user may have swapped two of them.
type Credential struct {
	Argument string
	Origin   Origin
	Oddities []string // what looks wrong with the value, such as "has quotes around it"
}

// Origin is where the value of an argument comes from. The zero Origin is a default.
type Origin struct {
	Block    bool   // the provider block sets it
	Variable string // the environment variable that has it, or that names a file with it
	File     bool
	Over     []string // variables that are set as well, and that it goes before
}

// String names the origin, such as MODELCATALOGUE_CLIENT_ID.
func (o Origin) String() string {
	switch {
	case o.Block:
		return "the provider block"
	case o.File:
		return "the file that " + o.Variable + " names"
	}
	return o.Variable
}

// clause says the same behind the name of the argument.
func (o Origin) clause() string {
	if o.Block {
		return "which the provider block sets"
	}
	return "which comes from " + o.String()
}

// rejected is a process that gets no token, or none that the service accepts.
func (m *message) rejected(rejected *catalogue.RejectedError, api *catalogue.APIError) {
	check := "" // beside the credentials, where they are at fault
	switch {
	case api == nil:
		m.withoutToken(rejected.Err)
	case isRedirect(api):
		m.redirected(api)
	case errors.Is(api, catalogue.ErrOrganisationDisabled):
		m.answered(api)
		return
	case rejected.Given:
		m.short = "The service refuses the access token."
		m.say(SummaryTokenRejected, "The service refused the access token.", "")
		check = "that it is meant for the service at base_url. Tokens expire: get a new one. The provider cannot renew a " +
			"token that it is given, so for runs that take longer than a token lives give client_id and client_secret in " +
			"its place."
	case rejected.Issued:
		m.short = "The service refuses fresh tokens."
		m.say(SummaryRejected,
			"The service gave tokens for client_id and client_secret, and then refused them, a fresh one as well.",
			"The credentials themselves were accepted. Show this to those who run the service; a gateway that does not know "+
				"the tokens may answer at base_url.")
	case api.Code == "invalid_client", api.Status == http.StatusUnauthorized:
		m.say(SummaryRejected, "The service gave no token for client_id and client_secret.", "")
		check = "that both are meant for the service at base_url."
	case errors.Is(api, catalogue.ErrNotFound), api.Status == http.StatusMethodNotAllowed:
		m.say(SummaryNoToken, "The service has no token endpoint where the provider asked for a token.", checkBaseURL)
	case api.Status > http.StatusOK && api.Status < 300:
		m.say(SummaryNoToken, noUsableToken, notTheService)
	default:
		m.say(SummaryNoToken,
			"The service refused the request for a token, and does not say that the credentials are wrong.",
			actOrShow+" Check base_url too: something else may answer there.")
	}
	m.add(endsAllReads)
	if check != "" {
		m.blame(check)
	}
	m.concernsAll(api)
}

const (
	noUsableToken = "The service answered the request for a token without one that can be used."
	notTheService = "Check base_url: what answers there may not be the service."
)

// withoutToken is an answer to the request for a token that cannot be used.
func (m *message) withoutToken(err error) {
	m.say(SummaryNoToken, Sentence(err.Error()), reportIt)
	if answer, ok := errors.AsType[*catalogue.TokenError](err); ok {
		m.say(SummaryNoToken, noUsableToken, notTheService)
		m.fact = fmt.Sprintf("The fault: %s, for %s", answer.Problem, answer.Endpoint)
		m.requestID = answer.RequestID
		if answer.Page {
			m.next = "Check base_url: what answers there may not be the service but a proxy or a login page."
		}
	}
}

// blame says which credentials were refused: where each comes from, what looks
// wrong with it, and what was passed over for it. check is what else to look at.
func (m *message) blame(check string) {
	used := m.by.Credentials
	for _, c := range used {
		for _, oddity := range c.Oddities {
			m.add("The value of %s %s. That may be the reason.", c.Argument, oddity)
		}
	}
	for _, c := range used {
		switch set := c.Origin.Over; len(set) {
		case 0:
		case 1:
			m.add("%s is set as well, and %s goes before it.", set[0], c.Origin)
		default:
			m.add("%s are set as well, and %s goes before them.", Enumerated(set), c.Origin)
		}
	}
	m.next = fmt.Sprintf("Check %s, and %s", namedWithOrigin(used), check)
}

// namedWithOrigin names credentials, each with where it comes from.
func namedWithOrigin(used []Credential) string {
	switch {
	case len(used) == 1:
		return used[0].Argument + ", " + used[0].Origin.clause()
	case len(used) != 2:
		return "the credentials"
	case used[0].Origin.Block && used[1].Origin.Block:
		return fmt.Sprintf("%s and %s, %s", used[0].Argument, used[1].Argument, used[0].Origin.clause())
	}
	return fmt.Sprintf("%s, %s, and %s, %s",
		used[0].Argument, used[0].Origin.clause(), used[1].Argument, used[1].Origin.clause())
}
