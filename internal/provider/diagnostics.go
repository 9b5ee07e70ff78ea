package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// subject is what a read was about: the argument at fault where the service
// rejects or misses it.
type subject struct {
	path          path.Path // the zero path where no argument can be at fault
	name, value   string
	rejected      string // summary where the service calls the argument invalid
	missing       string // summary where nothing is found
	missingDetail string // format of the first sentence then, for the value
}

// groupSubject is a read below one model group.
func groupSubject(at path.Path, id string) subject {
	return subject{
		path: at, name: "model group id", value: id,
		rejected:      summaryInvalidID,
		missing:       summaryGroupNotFound,
		missingDetail: "The catalogue has no model group %q, or these credentials cannot see it: the service does not tell these apart.",
	}
}

// diagnose turns an error of the client into what a user is told: what failed,
// what the service said, and what to do next.
func diagnose(err error, about subject) diag.Diagnostic {
	m := message{about: about}
	var (
		api       *catalogue.APIError
		network   *catalogue.NetworkError
		gaveUp    *catalogue.GaveUpError
		tooLong   *catalogue.WaitTooLongError
		rejected  *catalogue.RejectedError
		noToken   *catalogue.TokenError
		unusable  *catalogue.UnusableAnswerError
		tooLarge  *catalogue.TooLargeError
		cancelled = errors.Is(err, context.Canceled)
	)
	if errors.As(err, &api) {
		m.said(api)
	}
	switch {
	case errors.As(err, &rejected):
		m.rejected(api, errors.As(err, &noToken), err)
	case errors.As(err, &tooLong):
		m.waitTooLong(tooLong)
	case errors.As(err, &gaveUp):
		m.gaveUp(gaveUp, api, errors.As(err, &network), network)
	case api != nil:
		m.answered(api)
	case errors.As(err, &network):
		m.network(network)
	case errors.As(err, &unusable):
		m.unusable(unusable)
	case errors.As(err, &tooLarge):
		m.summary = summaryTooLarge
		m.add("%s", tooLargeDetail(tooLarge.Path, tooLarge.Size, tooLarge.Limit))
	case cancelled:
		m.summary = summaryInterrupted
		m.add("The run was interrupted while the catalogue was being read.")
		m.next = "Run it again to read what is missing."
	default:
		m.summary = summaryNotRead
		m.add("%s", sentence(err.Error()))
		m.next = "Please report this to the provider's developers."
	}
	return m.diagnostic()
}

// message is a diagnostic in the making, its paragraphs in order.
type message struct {
	about      subject
	summary    string
	onArgument bool
	paragraphs []string
	service    []string // what the service said, put before the next step
	next       string
}

func (m *message) add(format string, args ...any) {
	m.paragraphs = append(m.paragraphs, fmt.Sprintf(format, args...))
}

func (m *message) diagnostic() diag.Diagnostic {
	detail := strings.Join(m.paragraphs, "\n\n")
	if len(m.service) > 0 {
		detail += "\n\n" + strings.Join(m.service, "\n")
	}
	if m.next != "" {
		detail += "\n\n" + m.next
	}
	if m.onArgument && !m.about.path.Equal(path.Empty()) {
		return diag.NewAttributeErrorDiagnostic(m.about.path, m.summary, detail)
	}
	return diag.NewErrorDiagnostic(m.summary, detail)
}

// said records the service's own words.
func (m *message) said(api *catalogue.APIError) {
	status := strings.TrimSpace(fmt.Sprintf("%d %s", api.Status, http.StatusText(api.Status)))
	if api.Message != "" {
		m.service = append(m.service, "The service said: "+api.Message)
	}
	for _, issue := range api.Issues {
		m.service = append(m.service, fmt.Sprintf("  - %s: %s", issue.Field, strings.Join(issue.Messages, "; ")))
	}
	if api.Code != "" {
		status += ", code " + api.Code
	}
	m.service = append(m.service, fmt.Sprintf("Status %s, for %s %s", status, api.Method, api.Path))
	if api.RequestID != "" {
		m.service = append(m.service, "Request id "+api.RequestID)
	}
}

// answered is a final answer other than 200.
func (m *message) answered(api *catalogue.APIError) {
	switch {
	case errors.Is(api, catalogue.ErrNotFound) && m.about.missing != "":
		m.summary, m.onArgument = m.about.missing, true
		m.add(m.about.missingDetail, m.about.value)
		m.next = "Check the id, and that the credentials belong to an organisation that may see the group. The data source modelcatalogue_model_groups lists those it may see."
	case errors.Is(api, catalogue.ErrNotFound):
		m.summary = summaryNotAnswered
		m.add("The service knows no such path.")
		m.next = "Check base_url: it is the part of the service's address that comes before /v1."
	case errors.Is(api, catalogue.ErrInvalidRequest) && m.about.rejected != "":
		m.summary, m.onArgument = m.about.rejected, true
		m.add("The catalogue does not accept the %s %q.", m.about.name, m.about.value)
		m.next = "Change the value; asking again with the same one will not help."
	case errors.Is(api, catalogue.ErrInvalidRequest):
		m.summary = summaryInvalidRequest
		m.add("The catalogue rejected the request as invalid.")
		m.next = "If the configuration is right, please report this to the provider's developers."
	case errors.Is(api, catalogue.ErrOrganisationDisabled):
		m.summary = summaryOrganisationDisabled
		m.add("The organisation of these credentials is disabled, so the catalogue answers none of its requests.")
		m.next = "Have the organisation enabled again; the service's message carries the reason."
	case errors.Is(api, catalogue.ErrForbidden):
		m.summary = summaryForbidden
		m.add("The organisation of these credentials is not permitted to make this request.")
		m.next = "Use credentials of an organisation that is, or have it permitted."
	case api.Status >= 300 && api.Status < 400:
		m.summary = summaryRedirect
		m.add("The catalogue answered with a redirect. The provider follows none, so that neither the secret nor a token reaches another host.")
		m.next = "Set base_url to the service's own address."
		if api.Location != "" {
			m.add("The redirect leads to %s", api.Location)
		}
	default:
		m.summary = summaryNotAnswered
		m.add("The catalogue refused the request, and asking again will not help.")
		m.next = "Act on what the service said, or show it to those who run the service."
	}
}

// rejected is the end of the credentials for this process.
func (m *message) rejected(api *catalogue.APIError, noToken bool, err error) {
	const once = "The provider asks no further in this run, so every other read fails with these same words."
	switch {
	case noToken:
		m.summary = summaryNoToken
		m.add("The service answered the request for a token without one that can be used: %s", sentence(rootCause(err)))
		m.add(once)
		m.next = "Check base_url: what answers there may not be the catalogue but a proxy or a login page."
	case api == nil || errors.Is(api, catalogue.ErrNotFound) || api.Status == http.StatusMethodNotAllowed || api.Status < 400:
		m.summary = summaryNoToken
		m.add("The service has no token endpoint where the provider asked for a token.")
		m.add(once)
		m.next = "Check base_url: it is the part of the service's address that comes before /v1."
	default:
		m.summary = summaryRejected
		if api.Method == http.MethodPost {
			m.add("The service gave no token for client_id and client_secret.")
		} else {
			m.add("The service refused a token, and refused the fresh one that the provider then asked for.")
		}
		m.add(once)
		m.next = "Check client_id and client_secret, or MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, and that they are meant for the service at base_url."
	}
}

// gaveUp is the end of attempts at what might have passed.
func (m *message) gaveUp(gaveUp *catalogue.GaveUpError, api *catalogue.APIError, isNetwork bool, network *catalogue.NetworkError) {
	ended := "max_retries allows no more"
	m.next = "Try again later. If it lasts, show this to those who run the service; max_retries and read_timeout say how long the provider goes on asking."
	switch {
	case api != nil && api.Status == http.StatusTooManyRequests:
		m.rateLimited()
		m.add("The read's time was over before a request was let through.")
	case api != nil:
		m.summary = summaryUnavailable
		m.add("The catalogue failed to handle the request, and went on failing.")
	case isNetwork:
		m.network(network)
	default:
		m.summary = summaryTimeout
		m.add("The read's time was over before the catalogue was asked or had answered.")
		m.next = "Raise read_timeout, or raise max_requests_per_second where it is set."
	}
	if gaveUp.Timeout {
		ended = "read_timeout leaves no time for more"
	}
	if gaveUp.Attempts > 0 {
		m.add("The provider gave up after %s in %s: %s.", attempts(gaveUp.Attempts), round(gaveUp.Elapsed), ended)
	}
}

func (m *message) rateLimited() {
	m.summary = summaryRateLimited
	m.add("The process sent more requests than the service allows.")
	m.next = "Run again later, start fewer runs at once, or set max_requests_per_second to a share of the allowance. Where a plan has many blocks, a plural data source reads the same with fewer requests."
}

// waitTooLong is a wait that the service asked for and a read has no time for.
func (m *message) waitTooLong(tooLong *catalogue.WaitTooLongError) {
	m.rateLimited()
	if tooLong.Asked > 0 {
		m.add("The service asked to wait %s, and this read had %s left of its read_timeout.", round(tooLong.Asked), round(tooLong.Left))
	} else {
		m.add("The service named no time to wait, and this read had no more than %s left of its read_timeout.", round(tooLong.Left))
	}
}

// network is an attempt without a whole answer.
func (m *message) network(network *catalogue.NetworkError) {
	m.service = append(m.service, fmt.Sprintf("The fault: %s, for %s %s", network.Problem, network.Method, network.Path))
	switch {
	case network.Permanent:
		m.summary = summaryUntrusted
		m.add("No secure connection to the catalogue could be made.")
		m.next = "Check base_url. Where the service's certificate comes from a private authority, give that authority's certificate in ca_certificate_pem."
	case network.TimedOut:
		m.summary = summaryTimeout
		m.add("The catalogue did not answer in time: request_timeout bounds one attempt, read_timeout the whole read.")
	default:
		m.summary = summaryUnreachable
		m.add("The catalogue could not be reached, or the connection broke before the answer was whole.")
		m.next = "Check base_url and the network. HTTPS_PROXY and NO_PROXY are honoured."
	}
}

// unusable is a 200 whose body is not what the interface promises.
func (m *message) unusable(unusable *catalogue.UnusableAnswerError) {
	m.summary = summaryUnexpected
	where := ""
	if unusable.Place != "" {
		where = unusable.Place + ": "
		if attribute := snakeCase(unusable.Place); attribute != unusable.Place {
			where = fmt.Sprintf("%s (attribute %s): ", unusable.Place, attribute)
		}
	}
	m.add("The catalogue answered with success, but not with what its interface promises.")
	m.service = append(m.service, sentence(where+unusable.Problem), fmt.Sprintf("Status 200 OK, content type %q, for %s %s", unusable.ContentType, unusable.Method, unusable.Path))
	m.next = "Check base_url: what answers there may be a proxy or a login page. If it is the catalogue, report this to those who run it, and look for a newer version of the provider."
}

// tooLargeDetail explains an answer over a limit, with the way out.
func tooLargeDetail(what string, size, limit int64) string {
	seen := fmt.Sprintf("more than %d bytes", limit)
	if size > 0 {
		seen = fmt.Sprintf("%d bytes (%d MiB)", size, size>>20)
	}
	return fmt.Sprintf("The result of %s takes %s. A provider can hand its engine at most %d bytes (%d MiB) at once.\n\n"+
		"Read less at once: give modelcatalogue_model_groups a time_horizon, or read one group or its latest model alone.", what, seen, limit, (limit+1<<20-1)>>20)
}

// rootCause is the innermost error's own text.
func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// snakeCase turns the service's field names into attribute names.
func snakeCase(place string) string {
	var out strings.Builder
	for _, r := range place {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
			r = unicode.ToLower(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}
