package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

const (
	checkBaseURL = "Check base_url: it is the part of the service's address that comes before /v1."
	reportIt     = "Please report this to the provider's developers."
	// askedNoMore is added to a failure that ends every read of the process.
	askedNoMore = "Every other read with these credentials fails, with a short error that points here."
)

// diagnose turns an error of the client into a diagnostic with all its parts.
func diagnose(err error, about subject) diag.Diagnostic { return explain(err, about).whole() }

// explain says what failed, what the service said, and what to do next.
func explain(err error, about subject) *message {
	m := &message{about: about}
	var (
		api      *catalogue.APIError
		network  *catalogue.NetworkError
		gaveUp   *catalogue.GaveUpError
		tooLong  *catalogue.WaitTooLongError
		ceiling  *catalogue.CeilingError
		rejected *catalogue.RejectedError
		unusable *catalogue.UnusableAnswerError
		tooLarge *catalogue.TooLargeError
	)
	if errors.As(err, &api) {
		m.quote(api)
	}
	switch {
	case errors.As(err, &rejected):
		m.rejected(rejected, api)
	case errors.As(err, &tooLong):
		m.waitTooLong(tooLong, api)
	case errors.As(err, &ceiling):
		m.summary = summaryTimeout
		m.cause = fmt.Sprintf("With max_requests at %v, the turn of this read comes after its read_timeout.", ceiling.Ceiling)
		m.next = "Raise max_requests, or read_timeout."
	case errors.As(err, &gaveUp):
		m.gaveUp(gaveUp, api)
	case api != nil:
		m.answered(api)
	case errors.As(err, &network):
		m.network(network)
	case errors.As(err, &unusable):
		m.unusable(unusable)
	case errors.As(err, &tooLarge):
		m.tooLarge(tooLarge)
	case errors.Is(err, context.Canceled):
		m.interrupted(err)
	default:
		m.summary = summaryNotRead
		m.cause = sentence(err.Error())
		m.next = reportIt
	}
	return m
}

// concernsAll marks a cause that every read of the process shares.
func (m *message) concernsAll(api *catalogue.APIError) {
	m.shared = sharedCause{summary: m.summary}
	if api != nil {
		m.shared.status, m.shared.code = api.Status, api.Code
	}
}

// answered is a final answer other than 200.
func (m *message) answered(api *catalogue.APIError) {
	about := m.about
	switch {
	case errors.Is(api, catalogue.ErrNotFound) && about.missing != "":
		m.summary, m.onArgument = about.missing, true
		m.cause = fmt.Sprintf(about.missingCause, abridged(about.value))
		m.next = about.missingNext
		if api.Code == "" {
			m.next = joined("The answer has no code of the catalogue, so something else may have sent it: check base_url first.",
				about.missingNext)
		}
	case errors.Is(api, catalogue.ErrNotFound):
		m.summary = summaryNotAnswered
		m.cause = "The service has no such path."
		m.next = checkBaseURL
	case errors.Is(api, catalogue.ErrInvalidRequest) && about.rejected != "":
		m.summary, m.onArgument = about.rejected, true
		m.cause = fmt.Sprintf("The service does not accept the %s %q.", about.name, abridged(about.value))
		m.next = about.rejectedNext
	case errors.Is(api, catalogue.ErrInvalidRequest):
		m.summary = summaryInvalidRequest
		m.cause = "The service calls the request invalid."
		m.next = "Act on what the service said. If the configuration is right, report this to the provider's developers."
	case errors.Is(api, catalogue.ErrOrganisationDisabled):
		m.summary = summaryOrganisationDisabled
		m.cause = "The organisation of these credentials is disabled, so the service answers none of its requests."
		m.add(askedNoMore)
		m.next = "Have the organisation enabled again; the service's message carries the reason."
		m.concernsAll(api)
	case errors.Is(api, catalogue.ErrForbidden):
		m.forbidden(api)
	case api.Status >= 300 && api.Status < 400:
		m.redirected(api)
	case api.Status < 300:
		m.summary = summaryUnexpected
		m.cause = notAsPromised
		m.next = checkWhoAnswers
	default:
		m.summary = summaryNotAnswered
		m.cause = "The service refused the request, and asking again will not help."
		m.next = actOrShow
	}
}

// forbidden is a 403. Only its code says that permission is what is missing
// (interface.md, Errors): gateways answer 403 for paths and addresses as well.
func (m *message) forbidden(api *catalogue.APIError) {
	m.summary = summaryForbidden
	m.cause = "The request is forbidden, and the provider does not know why."
	m.next = actOrShow
	switch api.Code {
	case "FORBIDDEN":
		m.cause = "The organisation of these credentials is not permitted to make this request."
		m.next = "Use other credentials, or have this organisation permitted."
	case "":
		m.next = "Act on what the service said. The answer has no code of the service, so a gateway or a firewall in " +
			"front of it may have sent it: check that this machine's network is allowed there, and check base_url."
	}
}

// redirected is a redirect, which the provider does not follow.
func (m *message) redirected(api *catalogue.APIError) {
	m.summary = summaryRedirect
	m.cause = fmt.Sprintf("The service answered with a redirect to %s.", api.Location)
	if api.Location == "" {
		m.cause = "The service answered with a redirect that does not say where to."
	}
	m.add("The provider does not follow it, so that neither the secret nor a token reaches another host.")
	m.next = "Set base_url to the service's own address. A redirect to a login page comes from a proxy or a gateway " +
		"in between."
	moved, route, found := strings.Cut(api.Location, "/v1/")
	switch {
	case rewritten(api):
		m.next = "Show this to those who run the service: a proxy or a gateway rewrites its addresses."
	case found && strings.Contains(moved, "://") && strings.HasSuffix(api.Path, "/v1/"+route):
		m.next = fmt.Sprintf("If that is the service's own address, set base_url to %q.", moved)
	}
	m.concernsAll(api)
}

// rewritten tells whether a redirect leads to the address that was asked for, with
// a slash more or less at its end. No base_url can correct that.
func rewritten(api *catalogue.APIError) bool {
	asked, err := url.Parse(api.Origin + api.Path)
	if err != nil || api.Location == "" {
		return false
	}
	target, err := asked.Parse(api.Location)
	return err == nil && target.Scheme == asked.Scheme && target.Host == asked.Host &&
		strings.TrimRight(target.EscapedPath(), "/") == strings.TrimRight(asked.EscapedPath(), "/")
}

// rejected is a process that gets no token, or none that the service accepts.
func (m *message) rejected(rejected *catalogue.RejectedError, api *catalogue.APIError) {
	var unusable *catalogue.TokenError
	switch {
	case errors.As(rejected, &unusable):
		m.summary = summaryNoToken
		m.cause = "The service answered the request for a token without one that can be used."
		m.fact = fmt.Sprintf("The fault: %s, for %s", unusable.Problem, unusable.Endpoint)
		m.requestID = unusable.RequestID
		m.next = "Check base_url: what answers there may not be the service."
		if unusable.Page {
			m.next = "Check base_url: what answers there may not be the service but a proxy or a login page."
		}
	case api == nil:
		m.summary = summaryNoToken
		m.cause = sentence(rejected.Err.Error())
		m.next = reportIt
	case api.Status >= 300 && api.Status < 400:
		m.redirected(api)
	case errors.Is(api, catalogue.ErrOrganisationDisabled):
		m.answered(api)
		return
	case rejected.Given:
		m.summary, m.blamed = summaryTokenRejected, true
		m.cause = "The service refused the access token."
		m.short = "The service refuses the access token."
	case rejected.Issued:
		m.summary = summaryRejected
		m.cause = "The service gave tokens for client_id and client_secret, and then refused them, a fresh one as well."
		m.short = "The service refuses fresh tokens."
		m.next = "The credentials themselves were accepted. Show this to those who run the service; a gateway that does " +
			"not know the tokens may answer at base_url."
	case api.Code == "invalid_client", api.Status == http.StatusUnauthorized:
		m.summary, m.blamed = summaryRejected, true
		m.cause = "The service gave no token for client_id and client_secret."
	case errors.Is(api, catalogue.ErrNotFound), api.Status == http.StatusMethodNotAllowed:
		m.summary = summaryNoToken
		m.cause = "The service has no token endpoint where the provider asked for a token."
		m.next = checkBaseURL
	case api.Status > http.StatusOK && api.Status < 300:
		m.summary = summaryNoToken
		m.cause = "The service answered the request for a token without one that can be used."
		m.next = "Check base_url: what answers there may not be the service."
	default:
		m.summary = summaryNoToken
		m.cause = "The service refused the request for a token, and does not say that the credentials are wrong."
		m.next = actOrShow + " Check base_url too: something else may answer there."
	}
	m.add(askedNoMore)
	m.concernsAll(api)
}

// gaveUp is a failure that might have passed, but did not in time.
func (m *message) gaveUp(gaveUp *catalogue.GaveUpError, api *catalogue.APIError) {
	var network *catalogue.NetworkError
	switch {
	case api != nil && api.Status == http.StatusTooManyRequests:
		m.rateLimited(api, 0)
	case api != nil:
		m.summary = summaryUnavailable
		m.cause = "The service failed to handle the request."
		m.next = "Try again " + whenAsked(api.RetryAfter)
		if api.RetryAfter > 0 {
			m.next += ", as the service asks"
		}
		m.next += ". If it lasts, show this to those who run the service; max_retries and read_timeout say how long the " +
			"provider goes on asking."
		m.concernsAll(api)
	case errors.As(gaveUp, &network):
		m.network(network)
	default:
		m.summary = summaryTimeout
		m.cause = "The time of this read was over before it was sent."
		if gaveUp.WaitingFor != "" {
			m.cause += fmt.Sprintf(" It was waiting for %s.", gaveUp.WaitingFor)
		}
		m.next = "Raise read_timeout, or raise max_requests where it is set."
	}
	ended := "max_retries allows no more"
	switch {
	case gaveUp.Timeout:
		ended = "read_timeout leaves no time for more"
	case gaveUp.Outage:
		ended = "other reads had used up theirs, so this one made no more"
	}
	if gaveUp.Attempts > 0 {
		m.add("The provider gave up after %s in %s: %s.", attempts(gaveUp.Attempts), round(gaveUp.Elapsed), ended)
	}
}

// unusable is a 200 whose body is not what interface.md promises.
func (m *message) unusable(unusable *catalogue.UnusableAnswerError) {
	m.summary = summaryUnexpected
	m.cause = notAsPromised
	problem := sentence(unusable.Problem)
	if unusable.Place != "" {
		problem = fmt.Sprintf("At %s: %s.", unusable.Place, unusable.Problem)
		if attribute := snakeCase(unusable.Place); attribute != unusable.Place {
			problem = fmt.Sprintf("At %s (attribute %s): %s.", unusable.Place, attribute, unusable.Problem)
		}
	}
	m.said = append(m.said, problem)
	m.fact = fmt.Sprintf("Status 200 OK, content type %q, for %s", unusable.ContentType, unusable.Endpoint)
	m.requestID = unusable.RequestID
	m.next = checkWhoAnswers
}

const (
	actOrShow       = "Act on what the service said, or show it to those who run the service."
	notAsPromised   = "The service answered with success, but not with what its interface promises."
	checkWhoAnswers = "Check base_url: what answers there may be a proxy or a login page. If it is the service, " +
		"report this to those who run it, and look for a newer version of the provider."
)

// tooLarge is an answer over a limit of the client.
func (m *message) tooLarge(answer *catalogue.TooLargeError) {
	m.summary = summaryTooLarge
	m.cause = tooLargeDetail(answer.String(), answer.Size, answer.Limit)
	if answer.InMemory {
		m.cause = fmt.Sprintf("The answer to %s would take more than %d bytes (%d MiB) of memory, many times its text.",
			answer.Endpoint, answer.Limit, answer.Limit>>20)
		m.next = readLess
	}
}

// tooLargeDetail explains an answer over a limit, with the way out.
func tooLargeDetail(what string, size, limit int64) string {
	seen := fmt.Sprintf("more than %d bytes", limit)
	if size > 0 {
		seen = fmt.Sprintf("%d bytes (%d MiB)", size, size>>20)
	}
	return fmt.Sprintf("The result of %s takes %s. "+
		"A provider can hand its engine at most %d bytes (%d MiB) at once.\n\n%s",
		what, seen, limit, (limit+1<<20-1)>>20, readLess)
}

const readLess = "Read less at once: give modelcatalogue_model_groups a time_horizon, or read one group or its " +
	"latest model only."
