package catalogue

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseBaseURL checks the service's address: an absolute https URL, with a path
// prefix or not, http to a loopback host only, and nothing else in it. The
// result has no trailing slash. An error quotes no part of text, which may hold
// a password.
func ParseBaseURL(text string) (*url.URL, error) {
	switch lower := strings.ToLower(text); {
	case strings.TrimSpace(text) != text:
		return nil, errors.New("it has white space around it; leave that out")
	case strings.Trim(text, "\"'`“”‘’„") != text:
		return nil, errors.New("it has quotes around it that are part of the value; leave them out")
	case !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://"):
		return nil, errors.New("it must be an absolute URL that starts with https://")
	}
	u, err := url.Parse(text)
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		if strings.Contains(text, "@") {
			return nil, errors.New("it cannot be parsed as a URL")
		}
		return nil, fmt.Errorf("it cannot be parsed as a URL: %w", err)
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path = strings.TrimRight(u.Path, "/")
	port := u.Port()
	switch {
	case u.Hostname() == "":
		return nil, errors.New("it names no host")
	case u.User != nil:
		return nil, errors.New("it must not hold a user name or password")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("it must not have a query (the part from ? on)")
	case strings.Contains(text, "#"):
		return nil, errors.New("it must not have a fragment (the part from # on)")
	case strings.HasSuffix(u.Host, ":") || len(port) > 5 || len(port) == 5 && port > "65535" || port == "0":
		return nil, errors.New("its port is no number from 1 to 65535")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, errors.New("http would send the secret unencrypted; it is accepted for a loopback host only, use " +
			"https")
	case strings.HasSuffix(u.Path, "/v1"):
		return nil, errors.New("it ends in /v1; leave that out, because the provider adds it")
	case strings.HasSuffix(u.Path, tokenPath) || strings.Contains(u.Path+"/", modelGroupsPath+"/"):
		return nil, errors.New("it is the address of one route; leave out /v1 and what follows, because the provider " +
			"adds them")
	}
	for element := range strings.SplitSeq(u.Path, "/") {
		if element == "." || element == ".." {
			return nil, errors.New("its path must not have . or .. in it")
		}
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// CheckID says why text cannot be the id of anything: it would name another
// path than /v1/model-group/:id once a client or proxy has cleaned it.
func CheckID(text string) error {
	switch {
	case text == "":
		return errors.New("it is empty")
	case text == "." || text == "..":
		return fmt.Errorf("%q is not an id but a relative path", text)
	case !utf8.ValidString(text):
		return errors.New("it is no valid UTF-8")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("it has control characters in it, such as a line break or a tab")
	}
	return nil
}
