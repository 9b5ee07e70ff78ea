package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// Proxy is the proxy between this machine and the service.
type Proxy struct {
	Address    string // scheme, host and port
	Variable   string // the environment variable that names it
	Credential bool   // the variable contains a user name
	Except     string // the variable that lists other hosts to be reached without it, or ""

	url *url.URL // with user name and password
}

// NewProxy returns the proxy at u, named by the environment variable.
func NewProxy(u *url.URL, variable string) *Proxy {
	return &Proxy{Address: u.Scheme + "://" + u.Host, Variable: variable, Credential: u.User != nil, url: u}
}

// proxyError is a proxy's answer to CONNECT other than 200. Its body is not read.
type proxyError struct {
	status  int
	schemes []string // of authentication, with parameters
}

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy answered %d %s", e.status, http.StatusText(e.status))
}

// keepProxyStatus returns an error with the status of a proxy's refusal. Without this hook, the error of http.Transport
// contains only the reason phrase.
func keepProxyStatus(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{status: response.StatusCode, schemes: response.Header.Values("Proxy-Authenticate")}
}

// ofProxy classifies a fault before the proxy has connected to the service. A final status of the service is final from
// the proxy, too.
func ofProxy(err error) Fault {
	answer, answered := errors.AsType[*proxyError](err)
	_, isPlain := errors.AsType[tls.RecordHeaderError](err)
	_, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if isPlain || isUntrusted || answered && outcomeOf(answer.status, true, "") == final {
		return ProxyRefused
	}
	return ProxyFailed
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// dialTLS returns the dialler of an https proxy, or nil. By itself net/http would send the client certificate to the
// proxy, and offer HTTP/2, which it does not speak with proxies.
func (p *Proxy) dialTLS(dial dialFunc, roots *x509.CertPool) dialFunc {
	if p.url.Scheme != "https" {
		return nil
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		connection, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		secured := tls.Client(connection, &tls.Config{
			MinVersion: tls.VersionTLS12,
			RootCAs:    roots,
			ServerName: p.url.Hostname(),
		})
		if err = secured.HandshakeContext(ctx); err != nil {
			_ = connection.Close()
			return nil, err
		}
		return struct{ net.Conn }{secured}, nil // a *tls.Conn would count as that of the service
	}
}
