package explain

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// network explains an attempt without a whole answer.
func (m *message) network(network *catalogue.NetworkError) {
	through := network.Proxy
	timeout, length := m.timeout(network)
	switch {
	case network.Fault.OfProxy():
		m.proxy(network)
		through = nil
	case network.TimedOut && network.Fault == catalogue.Broken:
		m.say(SummaryTimeout,
			fmt.Sprintf("The service did not answer completely within %s, which is %s.", timeout, Duration(length)),
			"Raise "+timeout+" if the service may need longer to answer. If it answered faster before, try again "+
				"later, or show this to the service's operator.")
		m.fact = fmt.Sprintf("The request: %s", network.Endpoint)
	case network.Fault.Permanent():
		m.insecure(network)
	default:
		m.unreached(network)
	}
	if through != nil {
		m.add("The request went through the proxy %s, which %s names.", through.Address, through.Variable)
	}
}

// timeout names the argument that ended an attempt, and its value.
func (m *message) timeout(network *catalogue.NetworkError) (string, time.Duration) {
	if network.Limit > 0 {
		return "request_timeout", network.Limit
	}
	return "read_timeout", m.readTimeout
}

// unreached explains a fault that may pass: no connection, or one that broke.
func (m *message) unreached(network *catalogue.NetworkError) {
	scheme, host, _ := strings.Cut(network.Origin, "://")
	proxy := m.by.whyNoProxy(scheme, network.Proxy)
	timeout, length := m.timeout(network)
	cause, within := "The service could not be reached.", ""
	if network.TimedOut {
		within = fmt.Sprintf(" within %s, which is %s.", timeout, Duration(length))
		cause = "No connection to the service was made" + within
	}
	switch network.Fault {
	case catalogue.NobodyListens:
		m.say(SummaryUnreachable, fmt.Sprintf("Nothing on this machine listens at %s.", host),
			"Start the service there, such as the sandbox, or check the port in base_url.")
	case catalogue.UnknownHost:
		m.say(SummaryUnreachable,
			fmt.Sprintf("The host of base_url, %s, could not be found.%s", host, beyondASCII(host)),
			"Check the host in base_url. If it is right, check that this machine can look it up: a name of a private "+
				"network is known only there."+proxy)
	case catalogue.StreamRefused:
		m.say(SummaryUnreachable, "The service refused to serve the request on its connection (HTTP/2).",
			"Try again later, or start fewer runs at once. If it lasts, show this to the service's operator.")
	case catalogue.Handshake:
		m.say(SummaryUnreachable, "A connection was made, but its TLS handshake was not completed"+cmp.Or(within, "."),
			afterHandshake(network.Err, proxy))
	case catalogue.Broken:
		m.say(SummaryUnreachable, "The connection ended before the answer was complete.",
			"Try again later. If it lasts, show this to the operator of the service, or of a proxy in front of it.")
		// The first request of a process, which a service cannot read if it requires TLS.
		if scheme == "http" && network.OfToken() {
			m.next += " If the server speaks TLS, write https:// in base_url."
		}
	default:
		m.say(SummaryUnreachable, cause, "Check base_url and the network."+proxy)
	}
	if network.TimedOut && length < time.Second {
		m.next = fmt.Sprintf("Raise %s: few connections are made in so short a time.", timeout)
	}
}

// afterHandshake returns the next step after a handshake that ended early. A firewall is not to blame if the server
// itself ended it with an alert.
func afterHandshake(err error, proxy string) string {
	if said, isAlert := errors.AsType[*net.OpError](err); isAlert && said.Op == "remote error" {
		return "Try again later. If it lasts, show this to the service's operator."
	}
	return "Check the host and port of base_url. If they are right, a firewall may stop the handshake: some drop its " +
		"first message, which post-quantum keys make large. GODEBUG=tlsmlkem=0 in the environment leaves them " +
		"out." + proxy
}

// beyondASCII names the first letter of a host that may only look like one of ASCII, or returns "".
func beyondASCII(host string) string {
	odd := redact.OddCharacter(host, func(r rune) bool { return r > unicode.MaxASCII })
	if odd == "" {
		return ""
	}
	return " Its " + odd + "."
}

// whyNoProxy says why a request went through no proxy, or returns "".
func (e *Explainer) whyNoProxy(scheme string, proxy *catalogue.Proxy) string {
	switch {
	case e.ProxyLeftOut != "":
		return " " + e.ProxyLeftOut
	case scheme == "https" && proxy == nil:
		return " If this network needs a proxy, name it in HTTPS_PROXY."
	}
	return ""
}

// advice is the cause of a fault and the next step.
type advice struct{ cause, next string }

// untrusted is the advice about faults of TLS and of certificates. insecure fills in the words in braces.
var untrusted = map[catalogue.Fault]advice{
	catalogue.NoTLS: {"The server does not speak TLS, which https needs.", "Check the host and port of base_url."},
	catalogue.PlainHTTP: {
		"The server answers in HTTP without TLS, and https needs TLS.",
		"Check the host and port of base_url. The provider sends credentials without TLS to loopback hosts only.",
	},
	catalogue.OldTLS: {
		"The server does not support TLS 1.2 or later.",
		"The service's operator has to enable TLS 1.2 or later. Check base_url, too.",
	},
	catalogue.NoMethod: {
		"The server found no TLS method that it has in common with the provider, and ended the handshake.",
		"Check base_url: some servers say this for a host that they do not serve. If it is right, the service's " +
			"operator has to enable TLS 1.3, or TLS 1.2 with ECDHE.",
	},
	catalogue.CertificateWanted: {
		"The server asked for a certificate of the client, and none is configured.",
		"Give one that the server accepts in client_certificate_pem, and its key in client_key_pem.",
	},
	catalogue.CertificateRefused: {
		"The server did not accept the certificate in client_certificate_pem.",
		"Check that it is meant for the server at base_url, has not expired, and is followed by the certificates " +
			"between it and its authority. The server's operator knows which authorities it accepts.",
	},
	catalogue.WeakSignature: {
		"{whose} is signed with {method}, which is not secure and no longer accepted.",
		"The service's operator has to replace the certificate. A proxy in your network that opens connections signs " +
			"with an authority of its own: then it is the proxy's.",
	},
	catalogue.UnknownAuthority: {
		"The server's certificate is signed by {issuer}, an authority that this machine does not trust.{alone}{given}",
		"Check base_url. If {issuer} is the service's authority, give its certificate in ca_certificate_pem. A proxy " +
			"in your network that opens connections signs with an authority of its own.",
	},
	catalogue.InvalidCertificate: {
		"{whose} was valid until {until}; this machine's clock says {now}.",
		"Check the clock of this machine. If it is right, the service's operator has to replace the certificate.",
	},
	catalogue.OtherHost: {
		"The server's certificate is for {names}, and base_url asks for {host}.",
		"Check base_url: use a name that the certificate has, if that is the service's. Otherwise the service's " +
			"operator has to get a certificate for this name.",
	},
	catalogue.NoHost: {
		"The server's certificate does not name a host: only subject alternative names count, not its common name.",
		"The service's operator has to get a certificate that names {host}.",
	},
	catalogue.WrongUse: {
		"The server's certificate is not meant for servers: its extended key usage does not name server " +
			"authentication.",
		"The service's operator has to get a certificate for a server.",
	},
	catalogue.Alert: {
		"The server ended the TLS handshake, and the fault is the reason that it gave.",
		"Check base_url. If it is right, show this to the service's operator.",
	},
	catalogue.Insecure: {
		"The provider does not accept the server's certificate or its TLS. The fault says why.",
		"Check base_url. If it is right, the service's operator has to correct this, or the operator of a proxy that " +
			"opens connections.",
	},
}

// The advice if more is known of a fault.
var (
	notValidYet = advice{
		"{whose} is not valid before {from}; this machine's clock says {now}.",
		untrusted[catalogue.InvalidCertificate].next,
	}
	signedByItself = advice{
		"The server's certificate is signed by itself, and this machine does not trust it.{given}",
		"Check base_url. If the certificate is the service's, give it in ca_certificate_pem.",
	}
	plainHTTPHere = advice{
		untrusted[catalogue.PlainHTTP].cause,
		"Write http:// in place of https:// in base_url.",
	}
)

// adviceOn returns the advice about a fault of TLS or of a certificate.
func adviceOn(network *catalogue.NetworkError, host string) advice {
	certificate := network.Certificate
	switch {
	case network.Fault == catalogue.InvalidCertificate && certificate.Seen.Before(certificate.From):
		return notValidYet
	case network.Fault == catalogue.UnknownAuthority && certificate.SelfSigned:
		return signedByItself
	case network.Fault == catalogue.PlainHTTP && (host == "localhost" || net.ParseIP(host).IsLoopback()):
		return plainHTTPHere
	}
	if known, ok := untrusted[network.Fault]; ok {
		return known
	}
	return untrusted[catalogue.Insecure]
}

// insecure explains a fault of TLS or of a certificate, which no further attempt can change.
func (m *message) insecure(network *catalogue.NetworkError) {
	host := hostOf(network.Origin)
	found, whose := network.Certificate, "The server's certificate"
	if found == nil {
		found = &catalogue.Certificate{}
	}
	if found.Subject != "" {
		whose = fmt.Sprintf("The certificate of the authority %q", found.Subject)
	}
	filled := strings.NewReplacer(
		"{whose}", whose,
		"{host}", host,
		"{names}", Enumerated(found.Names),
		"{issuer}", strconv.Quote(found.Issuer),
		"{from}", InUTC(found.From),
		"{until}", InUTC(found.Until),
		"{now}", InUTC(found.Seen),
		"{method}", found.Method,
		"{alone}", sentAlone(found),
		"{given}", m.by.authorities(found.Issuer),
	)
	of := adviceOn(network, host)
	m.say(SummaryUntrusted, filled.Replace(of.cause), filled.Replace(of.next))
}

// sentAlone says that no certificate of an authority came with the server's own, or returns "".
func sentAlone(found *catalogue.Certificate) string {
	if found.Alone {
		return " The server sent only its own certificate: if that authority is an intermediate one, its certificate " +
			"has to come, too."
	}
	return ""
}

// authorities says whose certificates ca_certificate_pem has, or returns "" if it is empty. A certificate of the
// issuer may have a different key, or one that is too short.
func (e *Explainer) authorities(issuer string) string {
	switch {
	case len(e.Authorities) == 0:
		return ""
	case slices.Contains(e.Authorities, issuer):
		return " ca_certificate_pem has a certificate of that name, which does not verify this one."
	}
	return fmt.Sprintf(" ca_certificate_pem has certificates of %s.", Quoted(e.Authorities...))
}

// InUTC spells a moment to the minute, as messages about certificates do.
func InUTC(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// proxy explains a proxy that did not let the request through.
func (m *message) proxy(fault *catalogue.NetworkError) {
	const escapes = " Special characters in a user name or password are written as %XX, such as %23 for #."
	through := fault.Proxy
	orWithout := m.orWithout(fault)
	said, next := "could not be reached.", "Check "+through.Variable+orWithout
	answered := ": " + statusText(fault.ProxyStatus) + "."
	isLogin := fault.ProxyStatus == http.StatusProxyAuthRequired
	takesPassword := fault.ProxyAsks == "" || strings.Contains(strings.ToLower(fault.ProxyAsks), "basic")
	switch {
	case fault.Fault == catalogue.ProxyNoTLS:
		said = "does not speak TLS."
		next = "Write http:// instead of https:// in " + through.Variable + "."
	case fault.ProxyStatus == 0:
	case isLogin && !takesPassword:
		said = "requires a login that a user name and password in its address cannot answer" + answered
		next = "Use a proxy that accepts Basic or no login, such as one on this machine that logs in for you" +
			orWithout
	case isLogin && through.Credential:
		said = "did not accept the user name and password in " + through.Variable + answered
		next = "Check them" + orWithout + escapes
	case isLogin:
		said = "requires a user name and a password" + answered
		next = "Write them into " + through.Variable + " as http://USER:PASSWORD@HOST:PORT" + orWithout + escapes
	default:
		said = "did not connect to the service" + answered
		next = "Check base_url and " + through.Variable + ", have the proxy allow the host" + orWithout
	}
	cause := fmt.Sprintf("The proxy %s, which %s names, %s", through.Address, through.Variable, said)
	m.say(SummaryUnreachable, cause, next)
	if fault.ProxyAsks != "" {
		m.said = append(m.said, "Proxy-Authenticate: "+fault.ProxyAsks)
	}
}

// orWithout offers to go without the proxy. If NO_PROXY is set, its entries do not match the host.
func (m *message) orWithout(fault *catalogue.NetworkError) string {
	if fault.Proxy.Except == "" {
		return ", or name the host of base_url in NO_PROXY to go without it."
	}
	return fmt.Sprintf(", or go without it: %s is set, and none of its entries applies to %s. An entry is a host, "+
		".DOMAIN or ADDRESS/BITS; commas separate them.", fault.Proxy.Except, hostOf(fault.Origin))
}

// hostOf returns the host of an origin, without its port.
func hostOf(origin string) string {
	base, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return base.Hostname()
}
