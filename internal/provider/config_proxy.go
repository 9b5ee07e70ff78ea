package provider

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// proxyOf finds the proxy for the service, nil for none. net/http ignores an address that
// it cannot parse, and treats quotes as a part of the host: the request would then bypass
// the proxy, or go to a host that does not exist.
func (r *resolver) proxyOf(base *url.URL) *catalogue.Proxy {
	name, value := r.env.first("HTTPS_PROXY", "https_proxy")
	if base == nil || value == "" {
		return nil
	}
	// Not to a loopback host, nor to one of NO_PROXY.
	_, except := r.env.first("NO_PROXY", "no_proxy")
	some := httpproxy.Config{HTTPSProxy: "http://proxy.example", NoProxy: except}
	if through, err := some.ProxyFunc()(base); err != nil || through == nil {
		return nil
	}
	address, ok := proxyAddress(value)
	if !ok {
		r.problems = append(r.problems, problem{summary: explain.SummaryInvalidProxy, detail: malformedProxy(name)})
		return nil
	}
	return catalogue.NewProxy(address, name)
}

// proxyAddress reads the address of a proxy as net/http does, with http for a missing scheme.
func proxyAddress(value string) (address *url.URL, ok bool) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		if u, err = url.Parse("http://" + value); err != nil {
			return nil, false
		}
	}
	known := slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme)
	if !known || u.Hostname() == "" || strings.ContainsAny(u.Host, quotes+"<>") || !hasPort(u) {
		return nil, false
	}
	// A # or ? of a password that is not escaped ends the host, and what follows is lost.
	return u, u.RawQuery == "" && u.Fragment == "" && !strings.Contains(u.Path, "@")
}

// malformedProxy says what to write. The value is not shown, because it may hold a password.
func malformedProxy(name string) string {
	return "The environment variable " + name + " is set, and it is not the address of a proxy, such as " +
		"http://proxy.example:8080.\n\nLeave out quotes around it. Special characters in a user name or password are " +
		"written as %XX, such as %23 for #. To go without a proxy, unset the variable, or name the host of base_url in NO_PROXY."
}
