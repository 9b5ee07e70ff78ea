package explain

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// Gateway is what this side sends for a gateway in front of the service.
type Gateway struct {
	Headers     []string // their names, sorted
	HeadersFrom string   // the [Origin] of their values
	Certificate string   // the origin of the client certificate, or "" without one
	Oddities    []string // of the values of headers, a sentence each
}

const (
	askedForNone    = "The server asked for a client certificate, and none is configured."
	giveCertificate = "Give one that it accepts in client_certificate_pem, and its key in client_key_pem."
)

// answeredInFront explains a refusal of a read or of a token request that the service itself may not have sent.
func (m *message) answeredInFront(api *catalogue.APIError) {
	summary := SummaryNotAnswered
	cause := "The answer has no code of the service, so something in front of it, such as a gateway or a firewall, " +
		"may have sent it. If it says why, act on that."
	switch {
	case api.OfToken():
		summary = SummaryNoToken
	case api.Status == http.StatusForbidden:
		summary = SummaryForbidden
	}
	if api.Asked && m.by.Gateway.Certificate == "" {
		cause = askedForNone + " " + cause
	}
	next := m.checkGateway(api.Asked) + " Check base_url too, and whether this machine's network is allowed there."
	if api.Status == http.StatusBadRequest && strings.HasPrefix(api.Origin, "http:") {
		next = ifTLS + next
	}
	m.say(summary, cause, next)
}

// checkGateway lists what was sent to a gateway, and suggests only what was not. If the server asked for a client
// certificate and none is configured, the certificate comes first. It adds the oddities of the headers.
func (m *message) checkGateway(asked bool) string {
	g := m.by.Gateway
	m.more = append(m.more, g.Oddities...)
	var sent []string
	check, noun, header := "", "header", "If it needs a header, set headers."
	if len(g.Headers) > 1 {
		noun = "headers"
	}
	if len(g.Headers) > 0 {
		header, sent = "", append(sent, fmt.Sprintf("the %s %s (from %s)", noun, Enumerated(g.Headers), g.HeadersFrom))
	}
	first, certificate := "", "If it needs a client certificate, set client_certificate_pem."
	switch {
	case g.Certificate == "" && asked:
		first, certificate = giveCertificate, ""
	case g.Certificate != "" && asked:
		certificate = ""
		sent = append(sent, fmt.Sprintf("the certificate in client_certificate_pem (from %s)", g.Certificate))
	case g.Certificate != "":
		certificate = "The server did not ask for the certificate in client_certificate_pem."
	}
	if sent != nil {
		check = "Check what was sent: " + Enumerated(sent) + "."
	}
	return joined(" ", first, check, header, certificate)
}
