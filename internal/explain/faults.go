package explain

import (
	"cmp"
	"crypto/tls"
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

// unserved explains an attempt without a complete answer.
func (m *message) unserved(network *catalogue.NetworkError) {
	m.fact = fmt.Sprintf("The fault: %s, for %s", network.Problem, network.Endpoint)
	m.fault = fmt.Sprint(network.Fault)
	of, summary := m.by.adviceOn(network), summaryOf(network)
	length := cmp.Or(network.Limit, m.readTimeout)
	if network.TimedOut && length < time.Second && summary == SummaryUnreachable && !network.Fault.OfProxy() {
		of.next = "Raise {timeout}: few connections are made in so short a time."
	}
	filled := m.filling(network)
	m.say(summary, filled.Replace(of.cause), filled.Replace(of.next))
	if network.ProxyAsks != "" {
		m.said = append(m.said, "Proxy-Authenticate: "+network.ProxyAsks)
	}
	if through := m.by.Proxy; through != nil && !network.Fault.OfProxy() { // or else the advice names it
		m.add("The request went through the proxy %s, which %s names.", through.Address, through.Variable)
	}
}

// summaryOf returns the summary of a fault.
func summaryOf(network *catalogue.NetworkError) string {
	switch {
	case network.Fault.OfProxy():
		return SummaryUnreachable
	case network.TimedOut && network.Fault == catalogue.Broken:
		return SummaryTimeout
	case network.Fault == catalogue.NotHTTP:
		return SummaryUnexpected
	case network.Fault.Permanent(), endedAfterAsking(network), isAlert(network):
		return SummaryUntrusted
	}
	return SummaryUnreachable
}

// endedAfterAsking reports whether a server ended the connection because of the client certificate it had asked for,
// with or without an alert.
func endedAfterAsking(network *catalogue.NetworkError) bool {
	isEnd := network.Fault == catalogue.Handshake || network.Fault == catalogue.Broken
	return network.Fault == catalogue.CertificateWanted ||
		isEnd && network.Asked && !network.Answered && !network.TimedOut
}

// isAlert reports whether the server ended a handshake with a reason.
func isAlert(network *catalogue.NetworkError) bool {
	alert, is := errors.AsType[*net.OpError](network.Err)
	return network.Fault == catalogue.Handshake && is && alert.Op == "remote error"
}

// advice is the cause of a fault and the next step. filling replaces the words in braces.
type advice struct{ cause, next string }

// advices are about faults between this side and the service, transient ones first.
var advices = map[catalogue.Fault]advice{
	catalogue.Unreachable: {
		"A connection to the service could not be made{within}.",
		"Check base_url and the network.{hint}",
	},
	catalogue.UnknownHost: {
		"The host of base_url, {host}, could not be found.{letter}",
		"Check the host in base_url. If it is right, check that this machine can look it up: a name of a private " +
			"network is known only there.{hint}",
	},
	catalogue.NobodyListens: {
		"Nothing on this machine listens at {address}.",
		"Start the service there, such as the sandbox, or check the port in base_url.",
	},
	catalogue.Broken: {
		"The connection ended before the answer was complete.",
		"{scheme}Try again later. If it lasts, show this to the operator of the service, or of a proxy in front of it.",
	},
	catalogue.StreamRefused: {
		"The service refused to serve the request on its connection (HTTP/2).",
		"Try again later, or start fewer runs at once. If it lasts, show this to the service's operator.",
	},
	catalogue.NotHTTP: {
		"The answer is not valid HTTP.",
		"{scheme}Check the host and port of base_url. If they are right, show this to the operator of the service, " +
			"or of a proxy in front of it.",
	},
	catalogue.Handshake: {
		"A connection was made, but its TLS handshake was not completed{within}.",
		"Check the host and port of base_url. If they are right, a firewall may stop the handshake: some drop its " +
			"first message, which post-quantum keys make large. GODEBUG=tlsmlkem=0 in the environment leaves them " +
			"out.{hint}",
	},
	catalogue.NoTLS: {
		"The server does not speak TLS, which https requires.",
		"Check the host and port of base_url. For a server without TLS on this machine, write http:// in place of " +
			"https://; the provider never sends credentials to another one without TLS.",
	},
	catalogue.UnknownAuthority: {
		"The server's certificate is signed by {issuer}, an authority that this machine does not trust.{given}",
		"Check base_url. If {issuer} is the service's authority, give its certificate in ca_certificate_pem. If it " +
			"is an intermediate one, the server has to send its certificate, too. If a proxy in your network " +
			"intercepts TLS connections, it signs with an authority of its own: give that one's.",
	},
	catalogue.NoAuthorities: {
		"This machine has no root certificates, so it does not trust a public authority.{given}",
		"Install them, such as the package ca-certificates, or give the service's authority in ca_certificate_pem. " +
			"If SSL_CERT_FILE or SSL_CERT_DIR is set, check that it names certificates.",
	},
	catalogue.Expired: {
		"The server's certificate, or that of its authority, is not valid now.",
		"Check the clock of this machine. If it is right, the service's operator has to replace the certificate.",
	},
	catalogue.OtherHost: {
		"The server's certificate is not for {host}, the host of base_url.{names}",
		"Check base_url: use a name that the certificate has, if that is the service's. Otherwise the service's " +
			"operator has to get a certificate for this name.",
	},
	catalogue.Insecure: {
		"The provider does not accept the server's certificate or its TLS. The fault says why.",
		"Check base_url. If it is right, the service's operator has to correct this, or the operator of a proxy that " +
			"opens connections.",
	},
}

// More specific advice, by the details of a fault.
var (
	tooSlow = advice{
		"The service did not answer completely{within}.",
		"Raise {timeout} if the service may need longer to answer. If it answered faster before, try again later, or " +
			"show this to the service's operator.",
	}
	ended = advice{ // no firewall did
		"The server ended the TLS handshake. The fault is the reason that it gave.",
		"Check base_url: some servers do this for a host that they do not serve. If it is right, show this to the " +
			"service's operator: a handshake failure, or a version that is not supported, means most often that the " +
			"server offers neither TLS 1.3 nor TLS 1.2 with ECDHE.",
	}
	signedByItself = advice{
		"The server's certificate is signed by itself, and this machine does not trust it.{given}",
		"Check base_url. If the certificate is the service's, give it in ca_certificate_pem.",
	}
	certificateMissing = advice{askedForNone + " It ended the connection.", giveCertificate}
	certificateRefused = advice{
		"The server asked for a client certificate, got the one in client_certificate_pem, and ended the connection.",
		"Check that it is meant for the server at base_url, has not expired, and is followed by the certificates " +
			"between it and its authority. The server's operator knows which authorities it accepts.",
	}
)

// adviceOn returns the advice about a fault.
func (e *Explainer) adviceOn(network *catalogue.NetworkError) advice {
	switch {
	case network.Fault.OfProxy():
		return e.onProxy(network)
	case endedAfterAsking(network) && e.Gateway.Certificate == "":
		return certificateMissing
	case endedAfterAsking(network):
		return certificateRefused
	case network.TimedOut && network.Fault == catalogue.Broken:
		return tooSlow
	case isAlert(network):
		return ended
	case network.Fault == catalogue.UnknownAuthority && network.Issuer == "":
		return signedByItself
	}
	return advices[network.Fault]
}

const ifTLS = "If the server speaks TLS, write https:// in base_url. "

// filling returns the replacer of the words in braces of an advice.
func (m *message) filling(network *catalogue.NetworkError) *strings.Replacer {
	scheme, address, _ := strings.Cut(network.Origin, "://")
	host := (&url.URL{Host: address}).Hostname()
	through, within, other := cmp.Or(m.by.Proxy, &catalogue.Proxy{}), "", ""
	timeout, length := "request_timeout", cmp.Or(m.by.RequestTimeout, Duration(network.Limit))
	if network.Limit == 0 {
		timeout, length = "read_timeout", m.readTimeoutShown()
	}
	names := ""
	if len(network.Names) > 0 {
		names = " It is for " + Enumerated(network.Names) + "."
	}
	letter := redact.OddCharacter(host, func(r rune) bool { return r > unicode.MaxASCII })
	if letter != "" { // perhaps a look-alike of an ASCII letter
		letter = " Its " + letter + "."
	}
	if network.TimedOut {
		within = fmt.Sprintf(" within %s, which is %s", timeout, length)
	}
	if scheme == "http" && !network.Answered {
		other = ifTLS
	}
	return strings.NewReplacer(
		"{address}", address,
		"{host}", host,
		"{letter}", letter,
		"{hint}", m.by.whyNoProxy(scheme, host),
		"{names}", names,
		"{scheme}", other,
		"{within}", within,
		"{timeout}", timeout,
		"{issuer}", strconv.Quote(network.Issuer),
		"{given}", m.by.authorities(network.Issuer),
		"{proxy}", fmt.Sprintf("The proxy %s, which %s names,", through.Address, through.Variable),
		"{variable}", through.Variable,
		"{answer}", statusText(network.ProxyStatus),
		"{without}", orWithout(through, host),
	)
}

// whyNoProxy returns a sentence about the absence of a proxy, or "".
func (e *Explainer) whyNoProxy(scheme, host string) string {
	switch {
	case host == "localhost", net.ParseIP(host).IsLoopback(): // reached without one
		return ""
	case e.ProxyLeftOut != "":
		return " " + e.ProxyLeftOut
	case scheme == "https" && e.Proxy == nil:
		return " If this network needs a proxy, name it in HTTPS_PROXY."
	}
	return ""
}

// authorities names the owners of the certificates in ca_certificate_pem, or returns "" if it is empty. A certificate
// with the issuer's name may have a different key, or too short a key.
func (e *Explainer) authorities(issuer string) string {
	switch {
	case len(e.Authorities) == 0:
		return ""
	case slices.Contains(e.Authorities, issuer):
		return " ca_certificate_pem has a certificate of that name, which does not verify this one."
	}
	return fmt.Sprintf(" ca_certificate_pem has certificates of %s.", Quoted(e.Authorities...))
}

// InUTC formats a moment to the minute for messages about certificates.
func InUTC(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// onProxy returns the advice about a proxy that did not let the request through.
func (e *Explainer) onProxy(fault *catalogue.NetworkError) advice {
	const escapes = " Special characters in a user name or password are written as %XX, such as %23 for #."
	isLogin := fault.ProxyStatus == http.StatusProxyAuthRequired
	takesPassword := fault.ProxyAsks == "" || strings.Contains(strings.ToLower(fault.ProxyAsks), "basic")
	switch {
	case fault.ProxyStatus == 0:
		return unanswered(fault)
	case isLogin && !takesPassword:
		return advice{
			"{proxy} requires a login that a user name and password in its address cannot answer: {answer}.",
			"Use a proxy that accepts Basic or no login, such as one on this machine that logs in for you{without}",
		}
	case isLogin && e.Proxy.Credential:
		return advice{
			"{proxy} did not accept the user name and password in {variable}: {answer}.",
			"Check them{without}" + escapes,
		}
	case isLogin:
		return advice{
			"{proxy} requires a user name and a password: {answer}.",
			"Write them into {variable} as http://USER:PASSWORD@HOST:PORT{without}" + escapes,
		}
	}
	return advice{
		"{proxy} did not connect to the service: {answer}.",
		"Check base_url and {variable}, have the proxy allow the host{without}",
	}
}

// unanswered returns the advice about a proxy that did not answer in HTTP.
func unanswered(fault *catalogue.NetworkError) advice {
	_, isPlain := errors.AsType[tls.RecordHeaderError](fault.Err)
	dial, dialled := errors.AsType[*net.OpError](fault.Err)
	switch {
	case isPlain:
		return advice{"{proxy} does not speak TLS.", "Write http:// instead of https:// in {variable}."}
	case fault.Fault == catalogue.ProxyRefused:
		return advice{
			"{proxy} has a certificate that this machine does not accept. The fault says why.",
			"Check {variable}. If an authority of your network signed the certificate, give that one's in " +
				"ca_certificate_pem.",
		}
	case dialled && dial.Op == "proxyconnect":
		return advice{"{proxy} could not be reached.", "Check {variable}{without}"}
	}
	return advice{
		"{proxy} did not connect to the service{within}.",
		"Check the scheme, host and port in {variable}{without}",
	}
}

// orWithout ends a sentence with the offer to bypass the proxy. If NO_PROXY is set, none of its entries matches the
// host.
func orWithout(through *catalogue.Proxy, host string) string {
	if through.Except == "" {
		return ", or name the host of base_url in NO_PROXY to go without it."
	}
	return fmt.Sprintf(", or go without it: %s is set, and none of its entries applies to %s. An entry is a host, "+
		".DOMAIN or ADDRESS/BITS; commas separate them.", through.Except, host)
}
