package provider

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// parseBaseURL reads the service's address: an absolute https URL, with a path prefix or not, http
// to a loopback host only, and nothing else in it. The result has no trailing slash. An error
// quotes nothing, because the text may hold a password.
func parseBaseURL(text string) (*url.URL, error) {
	lower := strings.ToLower(text)
	switch u, err := url.Parse(text); {
	case strings.Trim(text, quotes+" \t\r\n") != text:
		return nil, errors.New("it has white space or quotes around it; leave them out")
	case !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://"):
		return nil, errors.New("it must be an absolute URL that starts with https://")
	case err != nil:
		return nil, errors.New("it cannot be parsed as a URL")
	default:
		u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
		u.Path = strings.TrimRight(u.Path, "/")
		if problem := problemOfURL(u, text); problem != "" {
			return nil, errors.New(problem)
		}
		return u, nil
	}
}

// problemOfURL says what is wrong with the parts of a base URL, or returns "".
func problemOfURL(u *url.URL, text string) string {
	switch {
	case u.Hostname() == "" || strings.ContainsAny(u.Host, "<>$"): // a placeholder
		return "it names no host"
	case u.User != nil:
		return "it must not hold a user name or password"
	case !hasPort(u):
		return "its port is not a number from 1 to 65535"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "http would send the secret unencrypted and is accepted for a loopback host only; use https"
	case u.RawQuery != "" || u.ForceQuery:
		return "it must not have a query (the part from ? on)"
	case strings.Contains(text, "#"):
		return "it must not have a fragment (the part from # on)"
	case strings.HasSuffix(u.Path, "/v1") || strings.HasSuffix(u.Path, catalogue.TokenPath) ||
		strings.Contains(u.Path+"/", catalogue.ModelGroupsPath+"/"):
		return "it has the path of a route; leave out /v1 and what follows, because the provider adds them"
	}
	return ""
}

// hasPort reports whether the port of an address is a possible one, or left out.
func hasPort(u *url.URL) bool {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0 || u.Port() == "" && !strings.HasSuffix(u.Host, ":")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// showable reports whether a base URL that cannot be used may be shown. A password stands
// before an @, a key may stand in a query, and any other text may be the secret, given in the wrong variable.
func showable(text string) bool {
	return strings.HasPrefix(strings.ToLower(text), "http") && !strings.ContainsAny(text, "@?#")
}
