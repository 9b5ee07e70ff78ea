package explain

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// network explains an attempt without a whole answer.
func (m *message) network(network *catalogue.NetworkError) {
	m.fact = fmt.Sprintf("The fault: %s, for %s", network.Problem, network.Endpoint)
	through := network.Proxy
	switch {
	case through != nil && through.Failed:
		m.proxy(through)
		through = nil
	case network.TimedOut:
		// Of read_timeout gaveUp knows how long it is.
		limit := "read_timeout"
		if network.Limit > 0 {
			limit = "request_timeout"
		}
		m.say(SummaryTimeout,
			fmt.Sprintf("The service did not answer completely within %s, which is %s.", limit, network.Limit),
			"Raise "+limit+" if the service may need longer to answer. If it answered faster before, try again later, or "+
				"show this to those who run the service.")
		m.fact = fmt.Sprintf("The request: %s", network.Endpoint)
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

// unreached explains a fault that may pass: no connection, or one that broke.
func (m *message) unreached(network *catalogue.NetworkError) {
	scheme, host, _ := strings.Cut(network.Origin, "://")
	proxy := ""
	if scheme == "https" && network.Proxy == nil {
		proxy = " If this network needs a proxy, name it in HTTPS_PROXY."
	}
	switch network.Fault {
	case catalogue.NobodyListens:
		m.say(SummaryUnreachable, fmt.Sprintf("Nothing on this machine listens at %s.", host),
			"Start the service there, such as the sandbox, or check the port in base_url.")
	case catalogue.UnknownHost:
		m.say(SummaryUnreachable, fmt.Sprintf("The host of base_url, %s, could not be found.", host),
			"Check the host in base_url. If it is right, check that this machine can look it up: a name of a private "+
				"network is known only there."+proxy)
	case catalogue.StreamRefused:
		m.say(SummaryUnreachable, "The service refused to serve the request on its connection (HTTP/2).",
			"Try again later, or start fewer runs at once. If it lasts, show this to those who run the service.")
	case catalogue.Broken:
		m.say(SummaryUnreachable, "The connection broke before the answer was complete.",
			"Try again later. If it lasts, the service or a proxy in front of it ends answers early: show this to those "+
				"who run it.")
		// The first request of a process, which a service that wants TLS cannot read.
		if scheme == "http" && network.Method == http.MethodPost {
			m.next += " If what listens there speaks TLS, write https in base_url."
		}
	default:
		m.say(SummaryUnreachable, "The service could not be reached.", "Check base_url and the network."+proxy)
	}
}

// insecure explains a fault of TLS or of a certificate, which no further attempt can change. The fault
// itself names the hosts, the dates or the authority.
func (m *message) insecure(network *catalogue.NetworkError) {
	cause, next := "No secure connection to the service could be made.",
		"TLS 1.2 or later is needed, and the provider has no certificate of its own to give. Check base_url and what "+
			"answers there."
	switch network.Fault {
	case catalogue.NoTLS:
		cause = "What answers at base_url does not speak TLS, which https needs."
		next = "Check the host and port of base_url."
	case catalogue.UnknownAuthority:
		cause = "The certificate of what answers is signed by an authority that this machine does not trust."
		next = "Check base_url. If the certificate is the service's, give that of its authority in ca_certificate_pem. " +
			"A proxy in your network that opens connections signs with an authority of its own."
	case catalogue.OtherHost:
		cause = "The certificate of what answers is for another host than base_url names."
		next = "Check base_url: use a name that the certificate has, if that is the service's. Otherwise those who run " +
			"the service have to get a certificate for this name."
	case catalogue.InvalidCertificate:
		cause = "The certificate of what answers has expired or is not valid yet, by the clock of this machine."
		next = "Check the clock of this machine. If it is right, those who run the service have to renew the certificate."
	}
	m.say(SummaryUntrusted, cause, next)
}

// proxy explains a proxy that did not let the request through.
func (m *message) proxy(fault *catalogue.Proxy) {
	said, next := "could not be reached.", "Check "+fault.Variable
	switch {
	case fault.NoTLS:
		said, next = "does not speak TLS.", "Write http:// instead of https:// in "+fault.Variable
	case fault.Status == 0:
	case fault.Status == http.StatusProxyAuthRequired && fault.Credential:
		said, next = "did not accept the user name and password in "+fault.Variable, "Check them"
	case fault.Status == http.StatusProxyAuthRequired:
		said = "wants a user name and a password"
		next = "Write them into " + fault.Variable + " as http://USER:PASSWORD@HOST:PORT"
	default:
		said, next = "did not connect to the service", "Check base_url and "+fault.Variable+", have the proxy allow the host"
	}
	if fault.NoTLS {
		next += "."
	} else {
		next += ", or name the host of base_url in NO_PROXY to go without it."
	}
	if fault.Status != 0 {
		said += ": " + statusText(fault.Status) + "."
	}
	if fault.Status == http.StatusProxyAuthRequired {
		next += " Special characters in a user name or password are written as %XX, such as %23 for #."
	}
	m.say(SummaryUnreachable, fmt.Sprintf("The proxy %s, which %s names, %s", fault.Address, fault.Variable, said), next)
}
