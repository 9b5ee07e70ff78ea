package provider

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// network is an attempt without a whole answer.
func (m *message) network(network *catalogue.NetworkError) {
	var plain tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	m.fact = fmt.Sprintf("The fault: %s, for %s", network.Problem, network.Endpoint)
	switch {
	case network.Proxy != nil:
		m.proxy(network.Proxy)
	case network.Certificate != nil:
		m.certificate(network.Certificate)
	case errors.As(network.Err, &plain), errors.Is(network.Err, http.ErrSchemeMismatch):
		m.summary = summaryUntrusted
		m.cause = "What answers at base_url speaks no TLS, which https needs."
		m.next = "Check the host and the port of base_url."
	case errors.As(network.Err, &unknown):
		m.summary = summaryUntrusted
		m.cause = "The certificate of what answers is signed by an authority that this machine does not trust."
		m.next = "Check base_url. Where the service's certificate comes from a private authority, give that " +
			"authority's certificate in ca_certificate_pem."
	case network.Permanent:
		m.summary = summaryUntrusted
		m.cause = "No secure connection to the catalogue could be made."
		m.next = "Check base_url and the certificate of what answers there."
	case network.TimedOut:
		m.tooSlow(network)
	default:
		m.summary = summaryUnreachable
		m.cause = "The catalogue could not be reached, or the connection broke before the answer was whole."
		m.next = "Check base_url and the network. HTTPS_PROXY and NO_PROXY are honoured."
	}
	m.concernsAll(nil)
}

// certificate is a certificate that is not valid now, or not for the host.
func (m *message) certificate(fault *catalogue.CertificateFault) {
	const clock = "2006-01-02 15:04 MST"
	now := fault.Now.UTC().Format(clock)
	m.summary = summaryUntrusted
	const setClock = "Check the clock of this machine. If it is right, those who run the service have to renew the " +
		"certificate."
	switch {
	case fault.Asked != "":
		m.cause = fmt.Sprintf("The certificate of what answers is for %s, and base_url asks for %s.",
			namesOf(fault.Names), fault.Asked)
		m.next = "Check base_url: use a name that the certificate has, if that is the service's. Else those who run " +
			"the service have to get a certificate for this name."
	case fault.Now.Before(fault.NotBefore):
		m.cause = fmt.Sprintf("The service's certificate is valid from %s on, and the clock of this machine says %s.",
			fault.NotBefore.UTC().Format(clock), now)
		m.next = setClock
	default:
		m.cause = fmt.Sprintf("The service's certificate was valid until %s, and the clock of this machine says %s.",
			fault.NotAfter.UTC().Format(clock), now)
		m.next = setClock
	}
}

func namesOf(names []string) string {
	if len(names) == 0 {
		return "no host"
	}
	return strings.Join(names, ", ")
}

// proxy is a proxy that did not let the request through.
func (m *message) proxy(fault *catalogue.ProxyFault) {
	m.summary = summaryUnreachable
	const goWithout = "or name the host of base_url in NO_PROXY to go without it."
	switch fault.Status {
	case 0:
		m.cause = fmt.Sprintf("The proxy %s, which %s names, could not be reached.", fault.Proxy, fault.Variable)
		m.next = fmt.Sprintf("Check %s, %s", fault.Variable, goWithout)
	case http.StatusProxyAuthRequired:
		m.cause = fmt.Sprintf("The proxy %s, which %s names, wants a user name and a password: %s.",
			fault.Proxy, fault.Variable, statusText(fault.Status))
		m.next = fmt.Sprintf("Write them into %s as http://USER:PASSWORD@HOST:PORT, %s", fault.Variable, goWithout)
	default:
		m.cause = fmt.Sprintf("The proxy %s, which %s names, did not connect to the catalogue: %s.",
			fault.Proxy, fault.Variable, statusText(fault.Status))
		m.next = fmt.Sprintf("Check base_url and %s, have the proxy allow the host, %s", fault.Variable, goWithout)
	}
}

// statusText is a status with its reason phrase, where it has one.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
