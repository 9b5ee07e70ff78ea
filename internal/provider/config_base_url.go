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

// parseBaseURL reads the service's address: an absolute https URL, with a path
// prefix or not, http to a loopback host only, and nothing else in it. The
// result has no trailing slash. An error quotes no part of text, which may hold
// a password.
func parseBaseURL(text string) (*url.URL, error) {
	switch lower := strings.ToLower(text); {
	case strings.TrimSpace(text) != text:
		return nil, errors.New("it has white space around it; leave that out")
	case strings.Trim(text, "\"'`“”‘’„") != text:
		return nil, errors.New("it has quotes around it that are part of the value; leave them out")
	case !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://"):
		return nil, errors.New("it must be an absolute URL that starts with https://")
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

// problemOfOrigin says what is wrong with the scheme, the host or the port of a
// base URL, or "".
func problemOfOrigin(u *url.URL) string {
	port := u.Port()
	switch {
	case u.Hostname() == "":
		return "it names no host"
	case u.User != nil:
		return "it must not hold a user name or password"
	case strings.HasSuffix(u.Host, ":") || len(port) > 5 || len(port) == 5 && port > "65535" || port == "0":
		return "its port is no number from 1 to 65535"
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
