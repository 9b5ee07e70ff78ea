package catalogue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"
)

// Proxy is the proxy between this machine and the service.
type Proxy struct {
	Address    string // scheme, host and port
	Variable   string // the variable of the environment that names it
	Credential bool   // the variable has a user name
	Failed     bool   // it did not let the request through
	Status     int    // what it answered then, 0 where it did not answer

	whole *url.URL // with user name and password, nil where the variable holds no address
}

// errNoProxyAddress stands for a proxy whose address cannot be parsed. net/http
// would go without one, past what the user's network allows.
var errNoProxyAddress = errors.New("the variable for the proxy does not hold the address of one")

// proxyFor finds the proxy of the environment for a base URL, nil where there is none.
func proxyFor(base *url.URL) *Proxy {
	config := httpproxy.FromEnvironment()
	whole, err := config.ProxyFunc()(base)
	if err != nil || whole == nil {
		if config.HTTPSProxy == "" {
			return nil
		}
		config.HTTPSProxy = "http://proxy.example" // tells whether NO_PROXY has the host
		if other, _ := config.ProxyFunc()(base); other == nil {
			return nil
		}
		whole = nil
	}
	proxy := &Proxy{Variable: "HTTPS_PROXY", whole: whole}
	if os.Getenv(proxy.Variable) == "" {
		proxy.Variable = "https_proxy"
	}
	if whole != nil {
		proxy.Address, proxy.Credential = whole.Scheme+"://"+whole.Host, whole.User != nil
	}
	return proxy
}

// address is what http.Transport needs. p may be nil.
func (p *Proxy) address() (*url.URL, error) {
	switch {
	case p == nil:
		return nil, nil //nolint:nilnil // net/http takes this for no proxy
	case p.whole == nil:
		return nil, errNoProxyAddress
	}
	return p.whole, nil
}

// after is the proxy in an attempt that ended with err, nil where there is none.
func (p *Proxy) after(err error) *Proxy {
	if p == nil {
		return nil
	}
	fault := *p
	if answer, ok := errors.AsType[*proxyError](err); ok {
		fault.Failed, fault.Status = true, answer.status
	} else if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "proxyconnect" {
		fault.Failed = true
	}
	fault.Failed = fault.Failed || p.whole == nil
	return &fault
}

// permanent tells whether the proxy would answer every attempt like this one. p may
// be nil.
func (p *Proxy) permanent() bool {
	if p == nil || !p.Failed {
		return false
	}
	passing := p.Status == http.StatusRequestTimeout || p.Status == http.StatusTooManyRequests
	return p.whole == nil || p.Status >= 400 && p.Status < 500 && !passing
}

// proxyError is a proxy's answer to CONNECT other than 200. Its body is not read.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy answered %d %s", e.status, http.StatusText(e.status))
}

// keepProxyStatus keeps the status of a proxy's answer. Without this hook
// http.Transport returns an error that has only the reason phrase.
func keepProxyStatus(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{status: response.StatusCode}
}
