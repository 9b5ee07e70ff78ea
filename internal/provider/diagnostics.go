package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

const (
	checkBaseURL = "Check base_url: it is the part of the service's address that comes before /v1."
	reportIt     = "Please report this to the provider's developers."
	// askedNoMore is added to a failure that ends every read of the process.
	askedNoMore = "The provider asks no further in this run. Every other read fails too, with a short error that " +
		"points to this one."
)

// diagnose turns an error of the client into a diagnostic with all its parts.
func diagnose(err error, about subject) diag.Diagnostic { return explain(err, about).whole() }

// explain says what failed, what the service said, and what to do next.
func explain(err error, about subject) *message {
	m := &message{about: about}
	var (
		api       *catalogue.APIError
		network   *catalogue.NetworkError
		gaveUp    *catalogue.GaveUpError
		tooLong   *catalogue.WaitTooLongError
		ceiling   *catalogue.CeilingError
		rejected  *catalogue.RejectedError
		unusable  *catalogue.UnusableAnswerError
		tooLarge  *catalogue.TooLargeError
		cancelled = errors.Is(err, context.Canceled)
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
		m.cause = fmt.Sprintf("At %s requests a second, the ceiling of max_requests_per_second, "+
			"the turn of this read comes after its read_timeout.", ceiling.Ceiling)
		m.next = "Raise max_requests_per_second, or read_timeout."
	case errors.As(err, &gaveUp):
		m.gaveUp(gaveUp, api)
	case api != nil:
		m.answered(api)
	case errors.As(err, &network):
		m.network(network)
	case errors.As(err, &unusable):
		m.unusable(unusable)
	case errors.As(err, &tooLarge) && tooLarge.InMemory:
		m.summary = summaryTooLarge
		m.cause = fmt.Sprintf("The answer to %s would take more than %d bytes (%d MiB) of memory, many times its text.",
			tooLarge.Endpoint, tooLarge.Limit, tooLarge.Limit>>20)
		m.next = readLess
	case errors.As(err, &tooLarge):
		m.summary = summaryTooLarge
		m.cause = tooLargeDetail(fmt.Sprint(tooLarge.Endpoint), tooLarge.Size, tooLarge.Limit)
	case cancelled:
		m.summary = summaryInterrupted
		m.cause = "The run was interrupted while the catalogue was being read."
		m.next = "Run it again to read what is missing."
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
		m.cause = fmt.Sprintf(about.missingCause, about.value)
		m.next = about.missingNext
	case errors.Is(api, catalogue.ErrNotFound):
		m.summary = summaryNotAnswered
		m.cause = "The service knows no such path."
		m.next = checkBaseURL
	case errors.Is(api, catalogue.ErrInvalidRequest) && about.rejected != "":
		m.summary, m.onArgument = about.rejected, true
		m.cause = fmt.Sprintf("The catalogue does not accept the %s %q.", about.name, about.value)
		m.next = about.rejectedNext
	case errors.Is(api, catalogue.ErrInvalidRequest):
		m.summary = summaryInvalidRequest
		m.cause = "The catalogue rejected the request as invalid."
		m.next = reportIt
	case errors.Is(api, catalogue.ErrOrganisationDisabled):
		m.summary = summaryOrganisationDisabled
		m.cause = "The organisation of these credentials is disabled, so the catalogue answers none of its requests."
		m.add(askedNoMore)
		m.next = "Have the organisation enabled again; the service's message carries the reason."
		m.concernsAll(api)
	case errors.Is(api, catalogue.ErrForbidden):
		m.summary = summaryForbidden
		m.cause = "The organisation of these credentials is not permitted to make this request."
		m.next = "Use credentials of an organisation that is, or have it permitted."
	case api.Status >= 300 && api.Status < 400:
		m.redirected(api)
	default:
		m.summary = summaryNotAnswered
		m.cause = "The catalogue refused the request, and asking again will not help."
		m.next = "Act on what the service said, or show it to those who run the service."
	}
}

// redirected is a redirect, which the provider does not follow.
func (m *message) redirected(api *catalogue.APIError) {
	m.summary = summaryRedirect
	m.cause = fmt.Sprintf("The catalogue answered with a redirect to %s.", api.Location)
	if api.Location == "" {
		m.cause = "The catalogue answered with a redirect that does not say where to."
	}
	m.add("The provider follows none, so that neither the secret nor a token reaches another host.")
	m.next = "Set base_url to the service's own address. A redirect to a login page comes from a proxy or a gateway " +
		"in between."
	moved, route, found := strings.Cut(api.Location, "/v1/")
	if found && strings.Contains(moved, "://") && strings.HasSuffix(api.Path, "/v1/"+route) {
		m.next = fmt.Sprintf("If that is the catalogue's own address, set base_url to %q.", moved)
	}
	m.concernsAll(api)
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
	case api.Code == "invalid_client", api.Status == http.StatusUnauthorized:
		m.summary = summaryRejected
		m.cause = "The service gave no token for client_id and client_secret."
		if api.Method != http.MethodPost {
			m.cause = "The service refused a token, and refused the fresh one that the provider then asked for."
		}
		m.next = fmt.Sprintf("Check client_id and client_secret, or %s and %s, and that they are meant for the "+
			"service at base_url.",
			variable(argClientID), variable(argClientSecret))
	case errors.Is(api, catalogue.ErrNotFound), api.Status == http.StatusMethodNotAllowed:
		m.summary = summaryNoToken
		m.cause = "The service has no token endpoint where the provider asked for a token."
		m.next = checkBaseURL
	default:
		m.summary = summaryNoToken
		m.cause = "The service refused the request for a token, and does not say that the credentials are wrong."
		m.next = "Act on what the service said, or show it to those who run the service. Check base_url too: " +
			"something else may answer there."
	}
	m.add(askedNoMore)
	m.concernsAll(api)
}

// gaveUp is a failure that might have passed, but did not in time.
func (m *message) gaveUp(gaveUp *catalogue.GaveUpError, api *catalogue.APIError) {
	var network *catalogue.NetworkError
	m.next = "Try again later. If it lasts, show this to those who run the service; max_retries and read_timeout say " +
		"how long the provider goes on asking."
	switch {
	case api != nil && api.Status == http.StatusTooManyRequests:
		m.rateLimited(api)
	case api != nil:
		m.summary = summaryUnavailable
		m.cause = "The catalogue failed to handle the request, and went on failing."
		m.concernsAll(api)
	case errors.As(gaveUp, &network):
		m.network(network)
	default:
		m.summary = summaryTimeout
		m.cause = "The time of this read was over before it was sent."
		m.next = "Raise read_timeout, or raise max_requests_per_second where it is set."
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

func (m *message) rateLimited(api *catalogue.APIError) {
	m.summary = summaryRateLimited
	m.cause = "The run sent more requests than the service allows, and the time of this read was over before a " +
		"request was let through."
	m.next = "Run again later, start fewer runs at once, or set max_requests_per_second to a share of the allowance. " +
		"Where a plan has many blocks, a plural data source reads the same with fewer requests."
	m.concernsAll(api)
}

// waitTooLong is a wait that the service asked for and a read has no time for.
func (m *message) waitTooLong(tooLong *catalogue.WaitTooLongError, api *catalogue.APIError) {
	m.rateLimited(api)
	asked := "named no time to wait"
	if tooLong.Asked > 0 {
		asked = fmt.Sprintf("asked to wait %s", round(tooLong.Asked))
	}
	m.cause = fmt.Sprintf("The run sent more requests than the service allows. The service %s, and this read had %s "+
		"left of its read_timeout.",
		asked, round(tooLong.Remaining))
}

// unusable is a 200 whose body is not what interface.md promises.
func (m *message) unusable(unusable *catalogue.UnusableAnswerError) {
	m.summary = summaryUnexpected
	m.cause = "The catalogue answered with success, but not with what its interface promises."
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
	m.next = "Check base_url: what answers there may be a proxy or a login page. If it is the catalogue, report this " +
		"to those who run it, and look for a newer version of the provider."
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
