package explain

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

const (
	checkBaseURL  = "Check base_url: it is the part of the service's address that comes before /v1."
	reportIt      = "Please report this to the provider's developers."
	actOrShow     = "Act on what the service said, or show it to those who run the service."
	notAsPromised = "The service answered with success, but not with what its interface promises."
	// checkWhoAnswers is what to do then.
	checkWhoAnswers = "Check base_url: what answers there may be a proxy or a login page. If it is the service, " +
		"report this to those who run it, and look for a newer version of the provider."
	// endsAllReads is added to a failure that ends every read of the process.
	endsAllReads = "Every other read with these credentials fails, with a short error that points here."
)

// answered is a final answer other than 200.
func (m *message) answered(api *catalogue.APIError) {
	about := m.about
	switch {
	case errors.Is(api, catalogue.ErrNotFound) && about.missing != "":
		m.onArgument = true
		m.say(about.missing, about.missingCause, about.missingNext)
		if api.Code == "" {
			m.next = Paragraphs("The answer has no code of the catalogue, so something else may have sent it: check base_url "+
				"first.", about.missingNext)
		}
	case errors.Is(api, catalogue.ErrNotFound):
		m.say(SummaryNotAnswered, "The service has no such path.", checkBaseURL)
	case errors.Is(api, catalogue.ErrInvalidRequest) && about.rejected != "":
		m.onArgument = true
		m.say(about.rejected, fmt.Sprintf("The service does not accept the %s %q.", about.name, Abridged(about.value)),
			about.rejectedNext)
	case errors.Is(api, catalogue.ErrInvalidRequest):
		m.say(SummaryInvalidRequest, "The service calls the request invalid.",
			"Act on what the service said. If the configuration is right, report this to the provider's developers.")
	case errors.Is(api, catalogue.ErrOrganisationDisabled):
		m.say(SummaryOrganisationDisabled,
			"The organisation of these credentials is disabled, so the service answers none of its requests.",
			"Have the organisation enabled again; the service's message carries the reason.")
		m.add(endsAllReads)
		m.concernsAll(api)
	case errors.Is(api, catalogue.ErrForbidden):
		m.forbidden(api)
	case isRedirect(api):
		m.redirected(api)
	case api.Status < 300:
		m.say(SummaryUnexpected, notAsPromised, checkWhoAnswers)
	default:
		m.say(SummaryNotAnswered, "The service refused the request, and asking again will not help.", actOrShow)
	}
}

// forbidden is a 403. Only its code says that permission is what is missing
// (INTERFACE.md, Errors): gateways answer 403 for paths and addresses as well.
func (m *message) forbidden(api *catalogue.APIError) {
	m.say(SummaryForbidden, "The request is forbidden, and the provider does not know why.", actOrShow)
	switch api.Code {
	case "FORBIDDEN":
		m.cause = "The organisation of these credentials is not permitted to make this request."
		m.next = "Use other credentials, or have this organisation permitted."
	case "":
		m.next = "Act on what the service said. The answer has no code of the service, so a gateway or a firewall in " +
			"front of it may have sent it: check that this machine's network is allowed there, and check base_url."
	}
}

func isRedirect(api *catalogue.APIError) bool { return api.Status >= 300 && api.Status < 400 }

// redirected is a redirect, which the provider does not follow.
func (m *message) redirected(api *catalogue.APIError) {
	m.say(SummaryRedirect, fmt.Sprintf("The service answered with a redirect to %s.", api.Location),
		"Set base_url to the service's own address. A redirect to a login page comes from a proxy or a gateway in between.")
	if api.Location == "" {
		m.cause = "The service answered with a redirect that does not say where to."
	}
	m.add("The provider does not follow it, so that neither the secret nor a token reaches another host.")
	moved, route, found := strings.Cut(api.Location, "/v1/")
	switch {
	case rewritten(api):
		m.next = "Show this to those who run the service: a proxy or a gateway rewrites its addresses."
	case found && strings.Contains(moved, "://") && strings.HasSuffix(api.Path, "/v1/"+route):
		m.next = fmt.Sprintf("If that is the service's own address, set base_url to %q.", moved)
	}
	m.concernsAll(api)
}

// rewritten tells whether a redirect leads to the address that was requested, with
// a slash more or less at its end. No base_url can correct that.
func rewritten(api *catalogue.APIError) bool {
	requested, err := url.Parse(api.Origin + api.Path)
	if err != nil || api.Location == "" {
		return false
	}
	target, err := requested.Parse(api.Location)
	return err == nil && target.Scheme == requested.Scheme && target.Host == requested.Host &&
		strings.TrimRight(target.EscapedPath(), "/") == strings.TrimRight(requested.EscapedPath(), "/")
}

// unusable is a 200 whose body is not what the interface promises.
func (m *message) unusable(unusable *catalogue.UnusableAnswerError) {
	m.say(SummaryUnexpected, notAsPromised, checkWhoAnswers)
	problem := Sentence(unusable.Problem)
	if unusable.Place != "" {
		problem = fmt.Sprintf("At %s: %s.", unusable.Place, unusable.Problem)
		if attribute := SnakeCase(unusable.Place); attribute != unusable.Place {
			problem = fmt.Sprintf("At %s (attribute %s): %s.", unusable.Place, attribute, unusable.Problem)
		}
	}
	m.said = append(m.said, problem)
	m.fact = fmt.Sprintf("Status 200 OK, content type %q, for %s", unusable.ContentType, unusable.Endpoint)
	m.requestID = unusable.RequestID
}

// tooLarge is an answer over a limit of the client.
func (m *message) tooLarge(answer *catalogue.TooLargeError) {
	m.say(SummaryTooLarge, TooLarge(answer.String(), answer.Size, answer.Limit), "")
}

// TooLarge is the detail about what takes so many bytes, 0 where that is not known, and
// is over a limit: how large both are, and the way out.
func TooLarge(what string, size, limit int64) string {
	seen := fmt.Sprintf("more than %d bytes", limit)
	if size > 0 {
		seen = fmt.Sprintf("%d bytes (%d MiB)", size, size>>20)
	}
	return fmt.Sprintf("The result of %s takes %s. A provider can hand its engine at most %d bytes (%d MiB) at once."+
		"\n\n%s", what, seen, limit, (limit+1<<20-1)>>20, readLess)
}

const readLess = "Read less at once: give modelcatalogue_model_groups a time_horizon, or read one group or its " +
	"latest model only."
