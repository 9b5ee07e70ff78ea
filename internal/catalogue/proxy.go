package catalogue

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// Proxy is the proxy between this machine and the service. Failed, NoTLS and Status say what it did, in a
// [NetworkError].
type Proxy struct {
	Address    string // scheme, host and port
	Variable   string // the variable of the environment that names it
	Credential bool   // the variable has a user name
	Failed     bool   // it did not let the request through
	NoTLS      bool   // Address is of scheme https, and the server there does not speak TLS
	Status     int    // what it answered, 0 for nothing

	url *url.URL // with user name and password
}

// NewProxy returns the proxy at u, which the variable of the environment names.
func NewProxy(u *url.URL, variable string) *Proxy {
	return &Proxy{Address: u.Scheme + "://" + u.Host, Variable: variable, Credential: u.User != nil, url: u}
}

// after returns the proxy in an attempt that ended with err, nil for none.
func (p *Proxy) after(err error) *Proxy {
	if p == nil {
		return nil
	}
	fault := *p
	if answer, ok := errors.AsType[*proxyError](err); ok {
		fault.Failed, fault.Status = true, answer.status
	} else if ofProxy(err) {
		fault.Failed = true
		_, fault.NoTLS = errors.AsType[tls.RecordHeaderError](err)
	}
	return &fault
}

// permanent reports whether the proxy would answer every attempt like this one. p may be nil.
func (p *Proxy) permanent() bool {
	if p == nil {
		return false
	}
	passing := p.Status == http.StatusRequestTimeout || p.Status == http.StatusTooManyRequests
	return p.NoTLS || p.Status >= 400 && p.Status < 500 && !passing
}

// proxyError is a proxy's answer to CONNECT other than 200. Its body is not read.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy answered %d %s", e.status, http.StatusText(e.status))
}

// keepProxyStatus keeps the status of a proxy's answer. Without this hook http.Transport returns an error that has only
// the reason phrase.
func keepProxyStatus(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{status: response.StatusCode}
}

// ofProxy reports whether the proxy is at fault, or the way to it.
func ofProxy(err error) bool {
	_, answered := errors.AsType[*proxyError](err)
	dial, dialled := errors.AsType[*net.OpError](err)
	return answered || dialled && dial.Op == "proxyconnect"
}
