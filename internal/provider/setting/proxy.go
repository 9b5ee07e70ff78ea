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
	problem := cmp.Or(proxyMistakes.about(value), proxyHostMistakes.about(withoutUser(value)))
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

// withProxyScheme returns the address of a proxy with http if it has no scheme, as net/http reads it.
func withProxyScheme(value string) string {
	if strings.Contains(value, "://") {
		return value
	}
	return "http://" + value
}

// proxyMistakes describe addresses of proxies that cannot be used. Each row may rely on those before it.
var proxyMistakes = hints{
	{is(IsBlank), "it is blank"},
	{is(isQuoted), "it has quotes around it; leave them out"},
	{is(isPadded), "it has white space around it; leave it out"},
	{mistaken, "it is {}"},
	{is(schemeCut), "it begins with http, and a colon and two slashes do not follow"},
	{otherProxyScheme, "its scheme{} must be http, https, socks5 or socks5h"},
	{is(unescaped), "special characters in its user name or password have to be written as %XX, such as %23 for #"},
}

// proxyHostMistakes describe what is wrong with such an address beside its user name and password.
var proxyHostMistakes = hints{
	{is(placeholderHost), "its host is a placeholder"},
	{is(emptyHost), "it names no host"},
	{oddHost, "its host has {} where no host has it"},
	{wrongPort, "its port is not a number from 1 to 65535"},
	{having("?", "#"), "it has a query or a fragment (the {} and what follows it)"},
	{is(hasPath), "it has a path, as a file for automatic configuration has; write the proxy's own address"},
}

var proxySchemes = []string{"http", "https", "socks5", "socks5h"}

// otherProxyScheme finds something else than a scheme that net/http knows before ://. It quotes letters and digits
// only: anything else may be a password.
func otherProxyScheme(value string) (quoted string, found bool) {
	scheme, _, found := strings.Cut(strings.ToLower(value), "://")
	switch {
	case !found || slices.Contains(proxySchemes, scheme):
		return "", false
	case strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789") == "":
		return " " + redact.Abridged(scheme), true
	}
	return "", true
}

// unescaped reports whether a user name or password ends early: at a / or # in it, for example.
func unescaped(value string) bool {
	_, rest, _ := strings.Cut(withProxyScheme(value), "://")
	end := strings.LastIndexByte(rest, '@')
	if end < 0 {
		return false
	}
	_, err := url.Parse("http://" + rest[:end] + "@host")
	return err != nil || strings.ContainsAny(rest[:end], "/?#")
}

// hasPath reports whether more than a slash follows the host of an address.
func hasPath(text string) bool {
	_, rest, _ := strings.Cut(text, "://")
	_, path, _ := strings.Cut(rest, "/")
	return strings.Trim(path, "/") != ""
}

// withoutUser returns the address of a proxy without the user name and password.
func withoutUser(value string) string {
	scheme, rest, _ := strings.Cut(withProxyScheme(value), "://")
	return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
}
