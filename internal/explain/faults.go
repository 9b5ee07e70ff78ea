package explain

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// network is an attempt without a whole answer.
func (m *message) network(network *catalogue.NetworkError) {
	m.fact = fmt.Sprintf("The fault: %s, for %s", network.Problem, network.Endpoint)
	through := network.Proxy
	switch {
	case through != nil && through.Failed:
		m.proxy(through)
		through = nil
	case network.TimedOut:
		m.tooSlow(network)
	case network.Permanent:
		m.insecure(network)
	default:
		m.unreached(network)
	}
	if through != nil {
		m.add("The request went through the proxy %s, which %s names.", through.Address, through.Variable)
	}
	m.concernsAll(nil)
}

// unreached is a fault that may pass: no connection, or one that broke.
func (m *message) unreached(network *catalogue.NetworkError) {
	scheme, host, _ := strings.Cut(network.Origin, "://")
	switch network.Fault {
	case catalogue.NobodyListens:
		m.say(SummaryUnreachable, fmt.Sprintf("Nothing on this machine listens at %s.", host),
			"Start the service there, such as the sandbox, or check the port in base_url.")
	case catalogue.UnknownHost:
		m.say(SummaryUnreachable, fmt.Sprintf("The host of base_url, %s, could not be found.", host),
			"Check the host in base_url. If it is right, check that this machine can look it up: a name of a private "+
				"network is known only there.")
	case catalogue.Broken:
		m.say(SummaryUnreachable, "The connection broke before the answer was complete.",
			"Try again later. If it lasts, the service or a proxy in front of it ends answers early: show this to those "+
				"who run it.")
		// The first request of a process, which a service that wants TLS cannot read.
		if scheme == "http" && network.Method == http.MethodPost {
			m.next += " If what listens there speaks TLS, write https in base_url."
		}
	default:
		m.say(SummaryUnreachable, "The service could not be reached.", "Check base_url and the network.")
		if scheme == "https" && network.Proxy == nil {
			m.next += " If the network needs a proxy, name it in HTTPS_PROXY."
		}
	}
}

// insecure is a fault of TLS or of a certificate, which no further attempt can change.
func (m *message) insecure(network *catalogue.NetworkError) {
	const runBy = "Those who run the service have to "
	switch fault := network.Certificate; {
	case network.Fault == catalogue.NoTLS:
		m.say(SummaryUntrusted, "What answers at base_url does not speak TLS, which https needs.",
			"Check the host and the port of base_url.")
	case network.Fault == catalogue.OldTLS:
		m.say(SummaryUntrusted, "What answers does not support TLS 1.2 or later, which the provider needs.",
			runBy+"turn it on.")
	case network.Fault == catalogue.WantsCertificate:
		m.say(SummaryUntrusted, "What answers wants a certificate of the client, which the provider cannot give.",
			"Use an address of the service that wants none.")
	case fault == nil:
		m.say(SummaryUntrusted, "No secure connection to the service could be made.",
			"Check base_url and the certificate of what answers there.")
	case network.Fault == catalogue.UnknownAuthority:
		m.untrusted(fault)
	case network.Fault == catalogue.OtherHost && len(fault.Names) == 0:
		m.say(SummaryUntrusted, "The certificate of what answers names no host as subject alternative name. A common name "+
			"does not count.", runBy+"get another certificate.")
	case network.Fault == catalogue.OtherHost:
		m.say(SummaryUntrusted, fmt.Sprintf("The certificate of what answers is for %s, and base_url asks for %s.",
			strings.Join(fault.Names, ", "), fault.Host),
			"Check base_url: use a name that the certificate has, if that is the service's. Otherwise those who run the "+
				"service have to get a certificate for this name.")
	default:
		m.notValidNow(fault)
	}
}

// untrusted is a certificate that no trusted authority signed.
func (m *message) untrusted(fault *catalogue.CertificateFault) {
	given := ""
	switch {
	case fault.Given == 1:
		given = ". It is not the one in ca_certificate_pem"
	case fault.Given > 1:
		given = fmt.Sprintf(". It is none of the %d in ca_certificate_pem", fault.Given)
	}
	if fault.SelfSigned {
		m.say(SummaryUntrusted, "The certificate of what answers is signed by itself"+given+".",
			"Check base_url. If the certificate is the service's, give it in ca_certificate_pem.")
		return
	}
	m.say(SummaryUntrusted,
		fmt.Sprintf("The certificate of what answers is signed by %q, an authority that this machine does not trust%s.",
			fault.Issuer, given),
		fmt.Sprintf("Check base_url. If that is the service's authority, give the certificate of %q in ca_certificate_pem. "+
			"A proxy in your network that opens connections signs with an authority of its own.", fault.Issuer))
}

// notValidNow is a certificate that has expired, or is for later.
func (m *message) notValidNow(fault *catalogue.CertificateFault) {
	const clock = "2006-01-02 15:04 MST"
	valid := "was valid until " + fault.NotAfter.UTC().Format(clock)
	if fault.Now.Before(fault.NotBefore) {
		valid = "is valid from " + fault.NotBefore.UTC().Format(clock) + " on"
	}
	m.say(SummaryUntrusted, fmt.Sprintf("The service's certificate %s, and the clock of this machine says %s.",
		valid, fault.Now.UTC().Format(clock)),
		"Check the clock of this machine. If it is right, those who run the service have to renew the certificate.")
}

// proxy is a proxy that did not let the request through.
func (m *message) proxy(fault *catalogue.Proxy) {
	const (
		goWithout = "or name the host of base_url in NO_PROXY to go without it."
		escaped   = "Special characters in a user name or password are written as %XX, such as %23 for #"
	)
	named := fmt.Sprintf("The proxy %s, which %s names,", fault.Address, fault.Variable)
	var cause, next string
	switch {
	case fault.NoTLS:
		cause, next = named+" does not speak TLS.", fmt.Sprintf("Write http:// in %s.", fault.Variable)
	case fault.Status == 0:
		cause = named + " could not be reached."
		next = fmt.Sprintf("Check %s, %s", fault.Variable, goWithout)
	case fault.Status == http.StatusProxyAuthRequired && fault.Credential:
		cause = fmt.Sprintf("%s did not accept the user name and password in %s: %s.",
			named, fault.Variable, statusText(fault.Status))
		next = fmt.Sprintf("Check them, %s %s.", goWithout, escaped)
	case fault.Status == http.StatusProxyAuthRequired:
		cause = fmt.Sprintf("%s wants a user name and a password: %s.", named, statusText(fault.Status))
		next = fmt.Sprintf("Write them into %s as http://USER:PASSWORD@HOST:PORT, %s %s.",
			fault.Variable, goWithout, escaped)
	default:
		cause = fmt.Sprintf("%s did not connect to the service: %s.", named, statusText(fault.Status))
		next = fmt.Sprintf("Check base_url and %s, have the proxy allow the host, %s", fault.Variable, goWithout)
	}
	m.say(SummaryUnreachable, cause, next)
}
