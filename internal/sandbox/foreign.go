package sandbox

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// WithHosts answers control routes under these lower-case host names, too, not only under a loopback address.
func WithHosts(hosts ...string) Option {
	return func(s *choices) { s.hosts = hosts }
}

// WithOwnHostsOnly answers the routes of the interface, like control routes, only under a loopback address and the
// names of [WithHosts]. It is for a sandbox on loopback: a request under another name comes from a web page whose
// owner has pointed that name at this machine.
func WithOwnHostsOnly() Option {
	return func(s *choices) { s.ownHosts = true }
}

// foreignHost is the cause of a refusal in the list of requests.
const foreignHost = "foreign host"

// refuseForeign refuses a request from somebody else's web page.
func (s *Sandbox) refuseForeign(x *exchange) *answer {
	host := strings.ToLower((&url.URL{Host: x.request.Host}).Hostname())
	if (x.own || s.choices.ownHosts) && !s.isOwn(host) {
		s.mu.Lock()
		x.record.Cause = foreignHost
		s.mu.Unlock()
		return deny("FORBIDDEN", fmt.Sprintf("The sandbox answers under a loopback address or a name of -host, "+
			"not under %q.", host))
	}
	if x.own && isForeignPage(x.request) {
		return deny("FORBIDDEN", "Control routes are not for the web pages of other origins.")
	}
	return nil
}

// isOwn reports whether a host is a loopback address or a name of [WithHosts].
func (s *Sandbox) isOwn(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback() || slices.Contains(s.choices.hosts, host)
}

var sameOrigin = http.NewCrossOriginProtection()

// isForeignPage reports whether a request comes from a web page of another origin. Reads are refused like changes,
// because a page of another site has no reason for either.
func isForeignPage(r *http.Request) bool {
	change := *r
	change.Method = http.MethodPost
	return sameOrigin.Check(&change) != nil
}
