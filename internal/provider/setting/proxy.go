package setting

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Proxy finds the proxy for the service, nil for none. leftOut says in a sentence why a proxy that is set is not used,
// or is "". net/http ignores an address that it cannot parse, and treats quotes as a part of the host: the request
// would then bypass the proxy, or go to a host that does not exist.
func (e Environment) Proxy(base *url.URL) (proxy *catalogue.Proxy, leftOut string, err error) {
	name, value := e.first("HTTPS_PROXY", "https_proxy")
	except, hosts := e.first("NO_PROXY", "no_proxy")
	switch {
	case base == nil:
		return nil, "", nil
	case value == "":
		return nil, e.otherProxy(base), nil
	}
	// No proxy is used for a loopback host, or for one that NO_PROXY names.
	some := httpproxy.Config{HTTPSProxy: "http://proxy.example", NoProxy: hosts}
	if through, err := some.ProxyFunc()(base); err != nil || through == nil {
		if hosts != "" && !loopback(base.Hostname()) {
			leftOut = fmt.Sprintf("%s takes this host out of %s.", except, name)
		}
		return nil, leftOut, nil
	}
	address, err := url.Parse(withProxyScheme(value))
	problem := proxyMistake(value)
	if problem != "" || err != nil {
		// The value is not shown, because it may hold a password.
		return nil, "", fmt.Errorf("The value of the environment variable %s is not the address of a proxy, such as "+
			"http://proxy.example:8080: %s.\n\nTo go without a proxy, unset the variable, or name the host of "+
			"base_url in NO_PROXY.", name, cmp.Or(problem, "it cannot be parsed as a URL"))
	}
	proxy = catalogue.NewProxy(address, name)
	proxy.Except = except
	return proxy, "", nil
}

// otherProxy says that a proxy is named by a variable that does not count for a service at https, or returns "".
func (e Environment) otherProxy(base *url.URL) string {
	other, _ := e.first("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
	if other == "" || base.Scheme != "https" || loopback(base.Hostname()) {
		return ""
	}
	return fmt.Sprintf("%s is set, but for an https address only HTTPS_PROXY is read.", other)
}

// withProxyScheme returns the address of a proxy with http if it lacks a scheme, as net/http reads it.
func withProxyScheme(value string) string {
	if strings.Contains(value, "://") {
		return value
	}
	return "http://" + value
}

// proxyMistake says what is wrong with the address of a proxy, or returns "". It shows one character of it at most,
// and never one of a user name or password.
func proxyMistake(value string) string {
	scheme, rest, _ := strings.Cut(withProxyScheme(value), "://")
	end := strings.LastIndexByte(rest, '@') + 1
	user, host := rest[:end], rest[end:]
	_, broken := url.Parse("http://" + user + "host")
	switch left := oddity(value); {
	case left != "":
		return "it " + left
	case strings.TrimSpace(value) != value:
		return "it has white space around it; leave it out"
	case !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, strings.ToLower(scheme)):
		return "its scheme must be http, https, socks5 or socks5h"
	case broken != nil || strings.ContainsAny(user, "/?#"): // it ends early, at a / for example
		return "special characters in its user name or password have to be written as %XX, such as %23 for #"
	}
	return proxyHostMistake(scheme + "://" + host)
}

// proxyHostMistake says what is wrong with such an address beside its user name and password, or returns "".
func proxyHostMistake(address string) string {
	_, rest, _ := strings.Cut(strings.ToLower(address), "://")
	host, path, _ := strings.Cut(rest, "/")
	odd, scheme := redact.OddCharacter(host, oddInAddress()), strings.TrimSuffix(host, ":")
	switch {
	case scheme == "http" || scheme == "https":
		return "it has " + scheme + " in place of a host; write " + scheme + "://HOST:PORT"
	case odd != "":
		return odd + ", counted from its host; write http://HOST:PORT"
	case badPort(address):
		return "its port is not a number from 1 to 65535"
	case strings.Trim(path, "/") != "":
		return "it has a path, as a file for automatic configuration has; write the proxy's own address"
	}
	return hostMistake(address)
}
