package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// placeholders are characters that no host has, and what stands for one may have.
const placeholders = "<>${}"

// parseBaseURL reads the service's address: an absolute https URL, with a path prefix or not, http
// to a loopback host only, and nothing else in it. The result has no trailing slash. An error
// quotes no part of text, which may hold a password.
func parseBaseURL(text string) (*url.URL, error) {
	if problem := problemOfText(text); problem != "" {
		return nil, errors.New(problem)
	}
	u, err := url.Parse(text)
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		if strings.Contains(text, "@") {
			return nil, errors.New("it cannot be parsed as a URL")
		}
		return nil, fmt.Errorf("it cannot be parsed as a URL: %w", err)
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path = strings.TrimRight(u.Path, "/")
	if problem := cmp.Or(problemOfOrigin(u), problemOfRest(u, text)); problem != "" {
		return nil, errors.New(problem)
	}
	return u, nil
}

// problemOfText says what is wrong with a text that url.Parse refuses without a
// hint or takes for another address, or "".
func problemOfText(text string) string {
	switch lower, host := strings.ToLower(text), hostOf(text); {
	case strings.TrimSpace(text) != text:
		return "it has white space around it; leave that out"
	case strings.Trim(text, quotes) != text:
		return "it has quotes around it that are part of the value; leave them out"
	case !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://"):
		return "it must be an absolute URL that starts with https://"
	case strings.HasPrefix(rest(lower), "https://") || strings.HasPrefix(rest(lower), "http://"):
		return twoSchemes(lower)
	case bareIPv6(host):
		return "an IPv6 address is written in brackets, as in https://[::1]:8443"
	case strings.ContainsAny(host, placeholders):
		return fmt.Sprintf("its host has %c in it, as a placeholder has; write the service's own address",
			host[strings.IndexAny(host, placeholders)])
	}
	return ""
}

// rest is what follows the scheme, and hostOf what stands before the first slash of
// that, without a user name. They are for texts that url.Parse refuses or reads in another way.
func rest(text string) string {
	_, after, _ := strings.Cut(text, "://")
	return after
}

func hostOf(text string) string {
	host, _, _ := strings.Cut(rest(text), "/")
	return host[strings.LastIndex(host, "@")+1:]
}

func twoSchemes(text string) string {
	first, second, _ := strings.Cut(text, "://")
	second, _, _ = strings.Cut(second, "://")
	if first == second {
		return fmt.Sprintf("it has %s:// twice; leave one out", first)
	}
	return fmt.Sprintf("it has %s:// and %s://; leave one out", first, second)
}

// bareIPv6 tells whether the host is an IPv6 address without brackets, with a port or not.
func bareIPv6(host string) bool { return strings.Contains(host, ":") && net.ParseIP(host) != nil }

// showable tells whether a base URL that cannot be used may be shown. A password
// stands before an @, a key may stand in a query. A text that is no address at all may be the secret,
// given in the wrong variable.
func showable(text string) bool {
	host, _, _ := strings.Cut(strings.TrimSpace(text), "/")
	host, _, _ = strings.Cut(host, ":")
	top := strings.ToLower(host[strings.LastIndex(host, ".")+1:])
	isName := top != host && len(top) > 1 && strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") == ""
	return !strings.ContainsAny(text, "@?#") && (strings.Contains(text, "//") || host == "localhost" || isName)
}

// problemOfOrigin says what is wrong with the scheme, the host or the port of a base URL, or "".
func problemOfOrigin(u *url.URL) string {
	port := u.Port()
	switch {
	case u.Hostname() == "":
		return "it names no host"
	case u.User != nil:
		return "it must not hold a user name or password"
	case strings.HasSuffix(u.Host, ":") || len(port) > 5 || len(port) == 5 && port > "65535" || port == "0":
		return "its port is not a number from 1 to 65535"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "http would send the secret unencrypted; it is accepted for a loopback host only, use https"
	}
	return ""
}

// problemOfRest says what is wrong with all that follows the port, or "".
func problemOfRest(u *url.URL, text string) string {
	switch {
	case u.RawQuery != "" || u.ForceQuery:
		return "it must not have a query (the part from ? on)"
	case strings.Contains(text, "#"):
		return "it must not have a fragment (the part from # on)"
	case strings.HasSuffix(u.Path, "/v1"):
		return "it ends in /v1; leave that out, because the provider adds it"
	case strings.HasSuffix(u.Path, catalogue.TokenPath) || strings.Contains(u.Path+"/", catalogue.ModelGroupsPath+"/"):
		return "it is the address of one route; leave out /v1 and what follows, because the provider adds them"
	}
	for element := range strings.SplitSeq(u.Path, "/") {
		if element == "." || element == ".." {
			return "its path must not have . or .. in it"
		}
	}
	return ""
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
