package settings

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// addAddress resolves the service's address, and compares the block's with the environment's. The credentials of the
// environment belong to the latter: an alias with null variables would send one organisation's secret to another's
// host.
func (r *resolver) addAddress() {
	if !take(r, BaseURL, parseBaseURL, &r.Client.BaseURL) {
		r.addMissing(BaseURL, "")
	}
	if base := r.Client.BaseURL; base != nil && r.Origins[BaseURL].Block {
		_, r.elsewhere = r.env.otherAddress(base)
	}
}

// parseBaseURL reads the service's address: an absolute https URL, or http to a loopback host, with or without a path
// prefix, and nothing else in it. The result does not end with a slash. An error shows one character of it at most,
// and never one of a password.
func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if problem := addressMistake(text, u, err); problem != "" {
		return nil, errors.New(problem)
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path = strings.TrimRight(u.Path, "/")
	switch {
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, errors.New("http would send the secret unencrypted and is accepted for a loopback host only, " +
			"such as 127.0.0.1; use https")
	case ofRoute(u.Path):
		return nil, errors.New("its path contains /v1, which the provider adds; leave out /v1 and everything after it")
	}
	return u, nil
}

// addressMistake returns the first mistake in a base URL, parsed as u or with an error, or "".
func addressMistake(text string, u *url.URL, err error) string {
	const form = "; write https://HOST, with :PORT and /PATH if needed, without a user name, query or fragment"
	odd, ofHost := oddityOfAddress(text, form), hostMistake(text, u)
	switch {
	case odd != "":
		return odd
	case strings.Count(text, "://") != 1, err == nil && !slices.Contains([]string{"https", "http"}, u.Scheme):
		return "it must be one absolute URL that starts with https://"
	case strings.Contains(text, "@") && (err != nil || u.User != nil):
		return "it must not hold a user name or password"
	case ofHost != "":
		return ofHost + form
	case err != nil:
		return "it cannot be parsed as a URL" + form
	}
	if odd = redact.OddCharacter(text, otherThan(":/[]-._~%!$&'()*+,;=@")); odd != "" {
		return odd + form
	}
	return ""
}

// hostMistake returns the first mistake in the host or the port of an address, or "". If u is nil, the address does not
// parse: a user name and a password end at the last "@" then. A malformed port may be a password, so no character of
// it is shown.
func hostMistake(address string, u *url.URL) string {
	_, host, _ := strings.Cut(address, "://")
	host = host[strings.LastIndexByte(host, '@')+1:]
	host = host[:strings.IndexAny(host+"/", "/?#")]
	if u != nil {
		host = u.Host
	}
	parts := regexp.MustCompile(`(?s)^(\[[^]]*\]|[^:]*)(:(.*))?$`).FindStringSubmatch(host)
	name := strings.ToLower(parts[1])
	number, err := strconv.ParseUint(parts[3], 10, 16)
	odd := redact.OddCharacter(name, otherThan("-._~%:[]"))
	switch {
	case name == "":
		return "it does not name a host"
	case name == "http", name == "https":
		return "it has " + name + " in place of a host"
	case odd != "":
		return "in its host, " + odd
	case parts[2] != "" && (err != nil || number == 0):
		return "its port is not a number from 1 to 65535"
	}
	return ""
}

func loopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// ofRoute reports whether a path ends in the version of the interface, or in a route below it.
func ofRoute(path string) bool {
	return strings.HasSuffix(path, "/v1") || strings.HasSuffix(path, catalogue.TokenPath) ||
		strings.Contains(path+"/", catalogue.ModelGroupsPath+"/")
}

// otherAddress reports whether the environment has an address, and a different one. It returns a valid one.
func (e Environment) otherAddress(base *url.URL) (shown string, other bool) {
	text := e[Variable(BaseURL)]
	own, err := parseBaseURL(text)
	switch {
	case isBlank(text):
		return "", false
	case err != nil:
		return "", true
	}
	return own.String(), spelledAlike(own) != spelledAlike(base)
}

// spelledAlike returns an address with its port, and with a host in lower case. The names of this machine are one.
func spelledAlike(base *url.URL) string {
	host, port := strings.ToLower(base.Hostname()), cmp.Or(base.Port(), defaultPorts[base.Scheme])
	if slices.Contains([]string{"127.0.0.1", "::1"}, host) {
		host = "localhost"
	}
	return strings.Join([]string{base.Scheme, host, port, base.EscapedPath()}, " ")
}

var defaultPorts = map[string]string{"https": "443", "http": "80"}

// isShowable reports whether a message may show an invalid base URL: one that begins like a URL, and cannot contain a
// password or a key. Any other text may be the secret in the wrong variable. Digits after a colon are a port.
func isShowable(text string) bool {
	form := regexp.MustCompile(`(?i)^https?(://)?[^:@?#%]*(:[0-9]{1,5}(/[^:@?#%]*)?)?$`)
	return form.MatchString(text)
}
