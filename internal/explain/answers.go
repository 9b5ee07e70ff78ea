package explain

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

const (
	checkBaseURL    = "Check base_url: it is the part of the service's address that comes before /v1."
	checkWhoAnswers = "Check base_url: the server there may be a proxy or a login page. If it is the service, " +
		"report this to its operator, and look for a newer version of the provider."
)

// answered explains an answer other than 200.
func (m *message) answered(api *catalogue.APIError) {
	switch {
	case m.about.of(api):
		m.about.explain(m, api)
	case api.Status == http.StatusNetworkAuthenticationRequired:
		m.say(SummaryUnavailable, "The network asks for a login before it lets requests through.",
			"Log in to the network from this machine, and run again.")
	case errors.Is(api, catalogue.ErrUnavailable):
		m.say(SummaryUnavailable, "The service failed to handle the request.", "Try again "+later(api.RetryAfter)+
			". If it lasts, show this to the service's operator.")
	case errors.Is(api, catalogue.ErrNotFound):
		m.say(SummaryNotAnswered, "The service has no such path.", checkBaseURL)
		if !api.SaysNotFound() {
			m.cause = ofGateway
		}
	case api.MayBeOfGateway():
		m.answeredInFront(api)
	case errors.Is(api, catalogue.ErrInvalidRequest):
		m.say(SummaryInvalidRequest,
			"The service did not accept the request. The provider cannot tell whether an argument of this "+
				"block is the reason.",
			"Act on the service's message. If the configuration is right, report this to the provider's developers.")
	case errors.Is(api, catalogue.ErrOrganisationDisabled):
		m.say(SummaryOrganisationDisabled,
			"The organisation of these credentials is disabled, so the service refuses all of its requests.",
			"Ask for the organisation to be enabled again. The service's message gives the reason.")
	default:
		m.refused(api)
	}
}

// refused explains an answer by its status.
func (m *message) refused(api *catalogue.APIError) {
	switch {
	case api.Code == "FORBIDDEN" && api.Status == http.StatusForbidden:
		m.say(SummaryForbidden, "The organisation of these credentials is not permitted to make this request.",
			"Use other credentials, or ask for this organisation to be permitted.")
	case api.Status == http.StatusForbidden:
		m.say(SummaryForbidden, "The request is forbidden, and the provider does not know why.", m.actOrShow())
	case isRedirect(api):
		m.redirected(api)
	case api.Status < 400: // including a redirect without a Location
		m.say(SummaryUnexpected, fmt.Sprintf("The service answered with status %d instead of 200.", api.Status),
			checkWhoAnswers)
	default:
		m.say(SummaryNotAnswered,
			"The service refused the request. The provider does not retry this status.", m.actOrShow())
	}
}

// actOrShow returns the next step after a refusal, with a message or without one.
func (m *message) actOrShow() string {
	if m.said == nil {
		return "Show this to the service's operator."
	}
	return "Act on the service's message, or show it to the service's operator."
}

func isRedirect(api *catalogue.APIError) bool {
	return api.Status >= 300 && api.Status < 400 && api.Location != ""
}

// redirected explains a redirect, which the provider does not follow.
func (m *message) redirected(api *catalogue.APIError) {
	m.add("The provider does not follow it, so that neither the secret nor a token reaches another host.")
	m.say(SummaryRedirect, fmt.Sprintf("The service answered with a redirect to %s.", api.Location),
		"If the service has moved, set base_url to its new address, without /v1 and anything after it. A redirect to "+
			"a login page, or to the same address with a slash added, comes from a proxy or a gateway in between. "+
			m.checkGateway(api.Asked))
}

// unusable explains a success whose body does not follow the interface. Records wrong in the same field have one
// cause.
func (m *message) unusable(unusable *catalogue.UnusableAnswerError) {
	m.say(SummaryUnexpected, "The service answered with success, but the answer does not follow its interface.",
		checkWhoAnswers)
	problem, form := Sentence(unusable.Problem), ""
	if unusable.IsPart {
		m.next = "Use a newer version of the provider. If this is the newest, show this to the service's operator."
	}
	if unusable.Place != "" {
		problem = fmt.Sprintf("At %s: %s.", unusable.Place, unusable.Problem)
		m.Short = problem
		m.next = "Show this to the service's operator, and look for a newer version of the provider."
	}
	if unusable.IsPage { // of a login, perhaps
		m.next = checkWhoAnswers + " " + m.checkGateway(unusable.Asked)
	}
	if unusable.ContentType != "" {
		form = fmt.Sprintf(", content type %q", unusable.ContentType)
	}
	m.said = append(m.said, problem)
	m.quoteRequest(unusable.Status, form, unusable.Endpoint, unusable.RequestID)
	m.fault = "at " + field(unusable.Place)
}

// TooLarge returns the detail about a result over a limit, with both in bytes and a way out. size is 0 if unknown.
func TooLarge(what string, size, limit int64) string {
	return Paragraphs(overLimit(what, size, limit),
		"Read less at once: name the attributes that you need in attributes. If that is not enough, "+readLess)
}

const readLess = "give modelcatalogue_model_groups a time_horizon, or read one group or its latest model only."

func overLimit(what string, size, limit int64) string {
	seen := fmt.Sprint(size)
	if size == 0 {
		seen = fmt.Sprint("more than ", limit)
	}
	return fmt.Sprintf("The result of %s is %s bytes. A provider can return at most %d bytes (%d MiB) at once.",
		what, seen, limit, limit>>20)
}
