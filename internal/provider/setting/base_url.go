package setting

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// ParseBaseURL reads the service's address: an absolute https URL, with a path prefix or not, http to a loopback host
// only, and nothing else in it. The result has no trailing slash. An error quotes nothing that may be a password.
func ParseBaseURL(text string) (*url.URL, error) {
	if problem := baseURLMistakes.about(text); problem != "" {
		return nil, errors.New(problem)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it cannot be parsed as a URL")
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path = strings.TrimRight(u.Path, "/")
	if problem := basePathMistakes.about(u.Path); problem != "" {
		return nil, errors.New(problem)
	}
	return u, nil
}

// OtherAddress reports whether the environment has an address, and not this one. It returns the address if it may be
// shown. The environment's credentials belong to it.
func (e Environment) OtherAddress(base *url.URL) (shown string, other bool) {
	text := e[Variable(BaseURL)]
	own, err := ParseBaseURL(text)
	switch {
	case text == "":
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

// baseURLMistakes describe texts that are not base URLs. Each row may rely on those before it.
var baseURLMistakes = hints{
	{is(IsBlank), "it is blank"},
	{is(inAngles), "it has < and > around it; leave them out"},
	{mistaken, "it is {}"},
	{is(isPadded), "it has white space around it; leave it out"},
	{is(isQuoted), "it has quotes around it; leave them out"},
	{is(placeholderHost), "its host is a placeholder; write the service's own address"},
	{unseen, "its character {}, which no address has"},
	{having(`\`), "it has {} in it; an address is written with /"},
	{is(schemeCut), "it begins with http, but not with https://; a colon and two slashes come after https"},
	{is(otherScheme), "it must be an absolute URL that starts with https://"},
	{twoSchemes, "it has {}; write one address"},
	{is(emptyHost), "it names no host"},
	{is(userInfo), "it must not hold a user name or password"},
	{oddHost, "its host has {} where no host has it"},
	{wrongPort, "its port{} is not a number from 1 to 65535"},
	{is(clearText), "http would send the secret unencrypted and is accepted for a loopback host only; use https"},
	{having("?"), "it must not have a query (the {} and what follows it)"},
	{having("#"), "it must not have a fragment (the {} and what follows it)"},
}

// basePathMistakes describe paths that a base URL cannot have.
var basePathMistakes = hints{
	{is(endsInVersion), "it ends in /v1; leave that out, because the provider adds it"},
	{is(ofRoute), "it is the address of one route; leave out /v1 and what follows, because the provider adds them"},
}

// schemeCut reports whether an address has http or https, and something else than :// after it.
func schemeCut(text string) bool {
	rest, found := strings.CutPrefix(strings.ToLower(text), "http")
	rest = strings.TrimPrefix(rest, "s")
	follows := strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "/")
	return found && follows && !strings.HasPrefix(rest, "://")
}

func otherScheme(text string) bool {
	scheme, _, found := strings.Cut(strings.ToLower(text), "://")
	return !found || scheme != "https" && scheme != "http"
}

// twoSchemes finds a second scheme in place of the host.
func twoSchemes(text string) (both string, found bool) {
	first, rest, _ := strings.Cut(strings.ToLower(text), "://")
	second, _, found := strings.Cut(rest, "://")
	switch {
	case !found || second != "https" && second != "http":
		return "", false
	case first == second:
		return first + ":// twice", true
	}
	return first + ":// and " + second + "://", true
}

// authority returns what stands between the scheme and the path of an address: host and port, and user name and
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

func placeholderHost(text string) bool {
	_, rest, _ := strings.Cut(text, "://")
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	host, _, _ := strings.Cut(rest, "/")
	return strings.ContainsAny(host, "<>{}$") || strings.Count(host, "%") > 1 // one % begins a zone
}

func emptyHost(text string) bool {
	host, _ := hostAndPort(text)
	return host == "" || host == "[]"
}

func userInfo(text string) bool { return strings.Contains(authority(text), "@") }

// oddHost finds a character that no name or address of a host has, or a colon outside brackets. Letters beyond ASCII
// are allowed.
func oddHost(text string) (quoted string, found bool) {
	host, _ := hostAndPort(text)
	letters := "-._~%"
	if strings.HasPrefix(host, "[") {
		letters += "[]:"
	}
	for _, r := range host {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(letters, r) {
			return strconv.QuoteRune(r), true
		}
	}
	return "", false
}

func inAngles(text string) bool {
	return strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") && strings.Contains(text, "://")
}

// wrongPort finds a port that is not a number from 1 to 65535. It quotes digits only: anything else may be a password.
func wrongPort(text string) (quoted string, found bool) {
	_, port := hostAndPort(text)
	digits := strings.TrimPrefix(port, ":")
	number, err := strconv.ParseUint(digits, 10, 16)
	switch {
	case port == "" || err == nil && number > 0:
		return "", false
	case digits != "" && isNumber(digits) && Showable(text):
		return fmt.Sprintf(" %q", digits), true
	}
	return "", true
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

// clearText reports whether an address would send credentials unencrypted to another machine.
func clearText(text string) bool {
	host, _ := hostAndPort(text)
	return strings.HasPrefix(strings.ToLower(text), "http://") && !loopback(strings.Trim(host, "[]"))
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func endsInVersion(path string) bool { return strings.HasSuffix(path, "/v1") }

func ofRoute(path string) bool {
	return strings.HasSuffix(path, catalogue.TokenPath) || strings.Contains(path+"/", catalogue.ModelGroupsPath+"/")
}

// Showable reports whether a base URL that cannot be used may be shown. A password stands before an @, or behind a colon
// in place of a port, if slashes are missing too: https:/me:password/host. A key may stand in a query, and any other
// text may be the secret, given in the wrong variable.
func Showable(text string) bool {
	if before, host, isIP := strings.Cut(text, "["); isIP {
		if ip, after, _ := strings.Cut(host, "]"); net.ParseIP(ip) != nil {
			text = before + after
		}
	}
	for _, behind := range strings.Split(text, ":")[1:] {
		if port, _, _ := strings.Cut(behind, "/"); !isNumber(port) {
			return false
		}
	}
	return strings.HasPrefix(strings.ToLower(text), "http") && !strings.ContainsAny(text, "@?#%")
}
