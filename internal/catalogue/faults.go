package catalogue

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"
)

// CertificateFault is what is wrong with the certificate of whoever answers, as
// far as it is in the certificate itself and not in who signed it.
type CertificateFault struct {
	NotBefore, NotAfter time.Time
	Now                 time.Time // of this machine
	Names               []string  // hosts that the certificate is for, cleaned like a text of the service
	Asked               string    // the host that was asked for, "" where the fault is the time
}

// maxNames bounds the hosts of a certificate that are named.
const maxNames = 10

// certificateFault describes the certificate at fault in an error of net/http. It
// is nil where err has none.
func (s *sender) certificateFault(err error) *CertificateFault {
	var certificate *x509.Certificate
	fault := &CertificateFault{Now: time.Now()}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		certificate = invalid.Cert
	} else if host, ok := errors.AsType[x509.HostnameError](err); ok {
		certificate, fault.Asked = host.Certificate, s.tidy(host.Host, maxExcerpt)
	}
	if certificate == nil {
		return nil
	}
	fault.NotBefore, fault.NotAfter = certificate.NotBefore, certificate.NotAfter
	fault.Names = slices.Clone(certificate.DNSNames)
	for _, ip := range certificate.IPAddresses {
		fault.Names = append(fault.Names, ip.String())
	}
	more := len(fault.Names) - maxNames
	fault.Names = fault.Names[:min(len(fault.Names), maxNames)]
	for i, name := range fault.Names {
		fault.Names[i] = s.tidy(name, maxExcerpt)
	}
	if more > 0 {
		fault.Names = append(fault.Names, fmt.Sprintf("%d more", more))
	}
	return fault
}

// permanent tells whether err is a fault that no further attempt can change: one
// of TLS, or an answer of a proxy that it would repeat.
func permanent(err error) bool {
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	if answer, ok := errors.AsType[*proxyError](err); ok {
		status := answer.status
		return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
	}
	return errors.As(err, &certificate) || errors.As(err, &unknown) || errors.As(err, &host) ||
		errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch)
}

// ProxyFault is a proxy that did not let a request through.
type ProxyFault struct {
	Proxy    string // scheme and host
	Variable string // where the proxy is set
	Status   int    // what it answered, 0 where it did not
}

// proxyFault describes the proxy that did not let a request through, without its
// user name and password. It is nil where err came from elsewhere.
func (s *sender) proxyFault(err error) *ProxyFault {
	answer, answered := errors.AsType[*proxyError](err)
	dial, failed := errors.AsType[*net.OpError](err)
	if !answered && (!failed || dial.Op != "proxyconnect") {
		return nil
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: s.base})
	if err != nil || proxy == nil {
		return nil
	}
	fault := &ProxyFault{Proxy: proxy.Scheme + "://" + proxy.Host, Variable: "HTTPS_PROXY"}
	if os.Getenv(fault.Variable) == "" {
		fault.Variable = "https_proxy"
	}
	if answered {
		fault.Status = answer.status
	}
	return fault
}
