package provider

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// parseBaseURL reads the service's address: an absolute https URL, with a path prefix or not, http
// to a loopback host only, and nothing else in it. The result has no trailing slash. An error
// quotes no part of text that may hold a password.
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
	if problem := problemOfURL(u, text); problem != "" {
		return nil, errors.New(problem)
	}
	return u, nil
}

// problemOfText says what is wrong with a text that url.Parse refuses without a
// hint or takes for another address, or returns "".
func problemOfText(text string) string {
	lower := strings.ToLower(text)
	switch {
	case strings.TrimSpace(text) != text:
		return "it has white space around it; leave that out"
	case strings.Trim(text, quotes) != text:
		return "it has quotes around it that are part of the value; leave them out"
	case !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://"):
		return "it must be an absolute URL that starts with https://"
	case strings.Count(lower, "://") > 1:
		return "it has :// twice; write one address"
	}
	return ""
}

// problemOfURL says what is wrong with the parts of a base URL, or returns "".
func problemOfURL(u *url.URL, text string) string {
	port := u.Port()
	switch {
	case u.Hostname() == "":
		return "it names no host"
	case strings.ContainsAny(u.Host, "<>$"):
		return "its host is a placeholder; write the service's own address"
	case u.User != nil:
		return "it must not hold a user name or password"
	case strings.HasSuffix(u.Host, ":") || len(port) > 5 || len(port) == 5 && port > "65535" || port == "0":
		return "its port is not a number from 1 to 65535"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "http would send the secret unencrypted and is accepted for a loopback host only; use https"
	case u.RawQuery != "" || u.ForceQuery:
		return "it must not have a query (the part from ? on)"
	case strings.Contains(text, "#"):
		return "it must not have a fragment (the part from # on)"
	case strings.HasSuffix(u.Path, "/v1"):
		return "it ends in /v1; leave that out, because the provider adds it"
	case strings.HasSuffix(u.Path, catalogue.TokenPath) || strings.Contains(u.Path+"/", catalogue.ModelGroupsPath+"/"):
		return "it is the address of one route; leave out /v1 and what follows, because the provider adds them"
	case slices.ContainsFunc(strings.Split(u.Path, "/"), func(element string) bool { return element == "." || element == ".." }):
		return "its path must not have . or .. in it"
	}
	return ""
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
