package settings

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// addProxy finds the proxy for the service.
func (r *resolver) addProxy() {
	var err error
	r.Client.Proxy, r.proxyLeftOut, err = r.env.proxy(r.Client.BaseURL)
	if err != nil {
		r.add(Invalid, explain.SummaryInvalidProxy, err.Error())
	}
}

// proxy returns the proxy for the service, or nil, and a sentence about an unused one, or "". net/http ignores a
// malformed address, and treats quotes as a part of the host: the request would bypass the proxy, or go to a host that
// does not exist.
func (e Environment) proxy(base *url.URL) (proxy *catalogue.Proxy, leftOut string, err error) {
	name, value := e.first("HTTPS_PROXY", "https_proxy")
	except, hosts := e.first("NO_PROXY", "no_proxy")
	switch {
	case base == nil:
		return nil, "", nil
	case value == "":
		return nil, e.otherProxy(base), nil
	}
	// A loopback host and those of NO_PROXY are reached without a proxy.
	some := httpproxy.Config{HTTPSProxy: "http://proxy.example", NoProxy: hosts}
	if through, err := some.ProxyFunc()(base); err != nil || through == nil {
		if hosts != "" && !loopback(base.Hostname()) {
			leftOut = fmt.Sprintf("%s takes this host out of %s.", except, name)
		}
		return nil, leftOut, nil
	}
	address, err := parseProxy(value)
	if err != nil {
		return nil, "", fmt.Errorf("The value of the environment variable %s is not the address of a proxy, such as "+
			"http://proxy.example:8080: %w.\n\nTo go without a proxy, unset the variable, or name the host of "+
			"base_url in NO_PROXY.", name, err)
	}
	proxy = catalogue.NewProxy(address, name)
	proxy.Except = except
	return proxy, "", nil
}

// otherProxy returns a sentence about a variable with a proxy for other addresses than https, or "".
func (e Environment) otherProxy(base *url.URL) string {
	other, _ := e.first("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
	if other == "" || base.Scheme != "https" || loopback(base.Hostname()) {
		return ""
	}
	return fmt.Sprintf("%s is set, but for an https address only HTTPS_PROXY is read.", other)
}

// parseProxy reads the address of a proxy, http by default, as net/http does. An error shows at most one character: an
// invisible one, or one of the host.
func parseProxy(value string) (*url.URL, error) {
	const form = "; write http://HOST:PORT"
	const escaped = "special characters in a user name or password are written as %XX, such as %23 for #"
	address := value
	if !strings.Contains(value, "://") {
		address = "http://" + value
	}
	u, err := url.Parse(address)
	odd, ofHost := oddityOfAddress(value, form), hostMistake(address, u)
	switch {
	case odd != "":
		return nil, errors.New(odd)
	case err == nil && !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme):
		return nil, errors.New("its scheme must be http, https, socks5 or socks5h")
	case ofHost != "":
		return nil, errors.New(ofHost + form)
	case err != nil:
		return nil, errors.New("it cannot be parsed as a URL; " + escaped)
	case strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return nil, errors.New("it has a path, a query or a fragment, as a file for automatic configuration has; " +
			"write only the proxy's own address; " + escaped)
	}
	return u, nil
}
