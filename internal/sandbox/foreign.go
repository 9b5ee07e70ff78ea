package sandbox

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// WithHosts answers control routes under these lower-case host names too, and not only under the loopback address.
func WithHosts(hosts ...string) Option {
	return func(s *settings) { s.hosts = hosts }
}

// WithOwnHostsOnly answers the routes of the interface, too, only under a loopback address and the names of
// [WithHosts]. It is for a sandbox that listens on loopback: a request under another name comes from a web page whose
// owner has pointed that name at this machine.
func WithOwnHostsOnly() Option {
	return func(s *settings) { s.ownHosts = true }
}

// foreignHost is the cause of a refusal in the list of requests.
const foreignHost = "foreign host"

// refuseForeign refuses a request that comes from somebody else's web page.
func (s *Sandbox) refuseForeign(x *exchange) *answer {
	host := strings.ToLower((&url.URL{Host: x.request.Host}).Hostname())
	if (x.own || s.settings.ownHosts) && !s.isOwn(host) {
		s.mu.Lock()
		x.record.Cause = foreignHost
		s.mu.Unlock()
		return deny("FORBIDDEN", fmt.Sprintf("The sandbox answers under a loopback address or a name of -host, "+
			"not under %q.", host))
	}
	if x.own {
		if said := foreignPage(x.request); said != "" {
			return deny("FORBIDDEN", said)
		}
	}
	return nil
}

// isOwn reports whether a host is this machine's, or a name that the sandbox was given.
func (s *Sandbox) isOwn(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback() || slices.Contains(s.settings.hosts, host)
}

// foreignPage says why a request to a route of the sandbox's own comes from a web page of another origin, or "". A
// browser names the page's origin or site.
func foreignPage(r *http.Request) string {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	switch {
	case origin != "" && origin != scheme+"://"+r.Host:
		return fmt.Sprintf("Control routes are not for the web pages of %s.", origin)
	case site != "" && site != "same-origin" && site != "none":
		return "Control routes are not for the web pages of other sites."
	}
	return ""
}
