package command

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// newServiceReader takes what is not given from the provider's variables. The address has no default.
func newServiceReader(address string) (*serviceReader, error) {
	address, err := checkAddress(cmp.Or(address, os.Getenv(variables+"BASE_URL")))
	if err != nil {
		return nil, err
	}
	given := map[string]string{}
	for _, name := range []string{"ACCESS_TOKEN", "CLIENT_ID", "CLIENT_SECRET", "CA_CERTIFICATE_PEM"} {
		if given[name], err = setting(name); err != nil {
			return nil, err
		}
	}
	r := &serviceReader{base: address, token: given["ACCESS_TOKEN"]}
	if r.token == "" {
		r.id = given["CLIENT_ID"]
		r.secret = given["CLIENT_SECRET"]
		if r.id == "" || r.secret == "" {
			return nil, misused("credentials are missing: set MODELCATALOGUE_CLIENT_ID and " +
				"MODELCATALOGUE_CLIENT_SECRET, or MODELCATALOGUE_ACCESS_TOKEN")
		}
	}
	if strings.ContainsFunc(r.token, unicode.IsControl) {
		return nil, misused("MODELCATALOGUE_ACCESS_TOKEN has a line break or another control character in it")
	}
	r.keepOut(r.secret)
	r.keepOut(r.token)
	roots, err := trusted(given["CA_CERTIFICATE_PEM"])
	if err != nil {
		return nil, err
	}
	r.client = newClient(&http.Transport{
		Proxy:           http.ProxyFromEnvironment,
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	})
	return r, nil
}

// variables begins the names of the provider's variables.
const variables = "MODELCATALOGUE_"

// setting returns the value of a variable, or the content of the file that a variable with _FILE at its end names.
// A blank value counts as absent.
func setting(name string) (string, error) {
	name = variables + name
	value := os.Getenv(name)
	if file := os.Getenv(name + "_FILE"); file != "" {
		if value != "" {
			return "", misused("%s and %[1]s_FILE are both set: unset one of them", name)
		}
		text, err := os.ReadFile(file) //nolint:gosec // the user's own choice
		if err != nil {
			return "", misused("%s_FILE: %w", name, err)
		}
		value = strings.TrimRight(string(text), "\r\n")
	}
	if strings.TrimSpace(value) == "" {
		return "", nil
	}
	return value, nil
}

// trusted returns the system's authorities, and those of a text in PEM.
func trusted(text string) (*x509.CertPool, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if text != "" && !roots.AppendCertsFromPEM([]byte(text)) {
		return nil, misused("MODELCATALOGUE_CA_CERTIFICATE_PEM has no certificate in PEM")
	}
	return roots, nil
}

// newClient returns a client that follows no redirect.
func newClient(transport *http.Transport) *http.Client {
	return &http.Client{
		Transport:     transport,
		Timeout:       5 * time.Minute, // a list may be large, and the network slow
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// isHTTP matches addresses without query and fragment.
var isHTTP = regexp.MustCompile(`^(?i:https?)://[^?#]*$`)

// checkAddress returns the address of a service without a slash at its end. It must be https, or a loopback one.
func checkAddress(address string) (string, error) {
	if address == "" {
		return "", misused("which service? Give -url or set MODELCATALOGUE_BASE_URL. There is no default, " +
			"because your credentials are sent there")
	}
	u, err := url.Parse(strings.TrimRight(address, "/"))
	var said string
	switch {
	case err != nil || !isHTTP.MatchString(address) || u.Host == "" || u.User != nil:
		said = "one such as https://catalogue.example.com is expected, without user name, query and fragment"
	case u.Scheme == "http" && !strings.EqualFold(u.Hostname(), "localhost") && !net.ParseIP(u.Hostname()).IsLoopback():
		said = "http would send the credentials in clear text. Write https; http is for a loopback address only"
	case strings.HasSuffix(u.Path, "/v1"):
		said = "leave out /v1, with which the path of every request begins"
	default:
		return u.String(), nil
	}
	return "", misused("the address is %q: %s", address[strings.LastIndex(address, "@")+1:], said) // without a password
}
