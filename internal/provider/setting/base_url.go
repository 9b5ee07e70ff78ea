package setting

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// ParseBaseURL reads the service's address: an absolute https URL, with a path prefix or not, http to a loopback host
// only, and nothing else in it. The result does not end with a slash. An error never quotes anything that may be a
// password.
func ParseBaseURL(text string) (*url.URL, error) {
	if problem := addressMistake(text); problem != "" {
		return nil, errors.New(problem)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it cannot be parsed as a URL")
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path = strings.TrimRight(u.Path, "/")
	if ofRoute(u.Path) {
		return nil, errors.New("its path contains /v1, which the provider adds; leave out /v1 and everything after it")
	}
	return u, nil
}

// addressMistake says what is wrong with a base URL, or returns "". It shows one character of it at most, and never
// one that may be of a password or a secret.
func addressMistake(text string) string {
	const form = "write https://HOST, with :PORT and /PATH if needed, without a user name, query or fragment"
	scheme, _, hasScheme := strings.Cut(strings.ToLower(text), "://")
	unseen := oddityOf(text, func(r rune) bool { return unicode.IsSpace(r) || isUnseen(r) }, form)
	switch {
	case unseen != "":
		return unseen
	case !hasScheme:
		return "it must be an absolute URL that starts with https://"
	case strings.Count(text, "://") > 1:
		return "it has :// twice; write one address"
	case strings.Contains(authority(text), "@"):
		return "it must not hold a user name or password"
	case badPort(text):
		return "its port is not a number from 1 to 65535"
	}
	odd := oddityOf(text, oddInAddress(), form)
	if odd == "" && scheme != "https" && scheme != "http" {
		odd = "it must be an absolute URL that starts with https://"
	}
	return cmp.Or(odd, hostMistake(text), clearText(text))
}

// oddInAddress returns a test for odd characters in an address that is read from its beginning: those that a host
// cannot contain, or, after the third slash, a path. Letters beyond ASCII are allowed.
func oddInAddress() func(rune) bool {
	usual, slashes := ":/[]-._~", 0
	return func(r rune) bool {
		switch {
		case r == '[':
			usual += "%" // begins a zone
		case r == '/' && slashes == 2:
			usual += "%!$&'()*+,;=@"
		}
		if r == '/' {
			slashes++
		}
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(usual, r)
	}
}

// hostMistake says what is wrong with the host of an address, or returns "".
func hostMistake(text string) string {
	host, _ := hostAndPort(text)
	switch {
	case host == "" || host == "[]":
		return "it does not name a host"
	case !strings.HasPrefix(host, "[") && strings.Contains(host, ":"):
		return `the host contains an unexpected ":"`
	}
	return ""
}

// badPort reports whether an address has a port that is not a number from 1 to 65535.
func badPort(text string) bool {
	_, port := hostAndPort(text)
	number, err := strconv.ParseUint(strings.TrimPrefix(port, ":"), 10, 16)
	return port != "" && (err != nil || number == 0)
}

// OtherAddress reports whether the environment has an address, and not this one. It returns the address if it may be
// shown. The environment's credentials belong to it.
func (e Environment) OtherAddress(base *url.URL) (shown string, other bool) {
	text := e[Variable(BaseURL)]
	own, err := ParseBaseURL(text)
	switch {
	case IsBlank(text):
		return "", false
	case err != nil:
		return "", true
	}
	return own.String(), spelledAlike(own) != spelledAlike(base)
}

// spelledAlike returns an address without its default port, and with a host in lower case.
func spelledAlike(base *url.URL) string {
	port := strings.TrimPrefix(base.Port(), map[string]string{"https": "443", "http": "80"}[base.Scheme])
	return strings.Join([]string{base.Scheme, strings.ToLower(base.Hostname()), port, base.EscapedPath()}, " ")
}

// authority returns the part between the scheme and the path of an address: host and port, and user name and
// password if it has them.
func authority(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// hostAndPort splits an authority at the colon before the port. port has the colon, or is "".
func hostAndPort(text string) (host, port string) {
	text = authority(text)
	if at := strings.LastIndexByte(text, ':'); at > strings.LastIndexByte(text, ']') {
		return text[:at], text[at:]
	}
	return text, ""
}

// clearText says that an address would send credentials unencrypted to another machine, or returns "".
func clearText(text string) string {
	host, _ := hostAndPort(text)
	if !strings.HasPrefix(strings.ToLower(text), "http://") || loopback(strings.Trim(host, "[]")) {
		return ""
	}
	return "http would send the secret unencrypted and is accepted for a loopback host only, such as 127.0.0.1; " +
		"use https"
}

func loopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// ofRoute reports whether a path ends in the version of the interface, or in a route below it.
func ofRoute(path string) bool {
	return strings.HasSuffix(path, "/v1") || strings.HasSuffix(path, catalogue.TokenPath) ||
		strings.Contains(path+"/", catalogue.ModelGroupsPath+"/")
}

// Showable reports whether a base URL that cannot be used may be shown. A password stands before an @, or behind a
// colon in place of a port, if slashes are missing too: https:/me:password/host. A key may stand in a query, and any
// other text may be the secret, given in the wrong variable.
func Showable(text string) bool {
	if before, host, isIP := strings.Cut(text, "["); isIP {
		if ip, after, _ := strings.Cut(host, "]"); net.ParseIP(ip) != nil {
			text = before + after
		}
	}
	for _, behind := range strings.Split(text, ":")[1:] {
		if port, _, _ := strings.Cut(behind, "/"); strings.Trim(port, "0123456789") != "" {
			return false
		}
	}
	return strings.HasPrefix(strings.ToLower(text), "http") && !strings.ContainsAny(text, "@?#%")
}
