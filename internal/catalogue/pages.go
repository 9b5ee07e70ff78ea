package catalogue

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// INTERFACE.md does not show pagination. What is read of it is the header that most services send, Link of RFC 8288.
// Anything else that shows that a list is only a part of the whole is an error, because its latest revision would be
// a wrong one.

// maxPages bounds the pages of one list.
const maxPages = 1000

// pages are the pages of one list that were read, by path and query.
type pages map[string]bool

// turn returns the path and query of the page after the one that was read, "" for none. have is how many records came
// so far.
func (p pages) turn(in *incoming, have int) (next string, err error) {
	p[in.at] = true
	next, err = nextPage(in.header, in.at, in.base)
	total, _ := strconv.Atoi(strings.TrimSpace(in.header.Get("X-Total-Count")))
	switch {
	case err != nil:
		return "", err
	case next != "" && p[next]:
		return "", unreadList("the next page is one that came before, %s", next)
	case next != "" && len(p) == maxPages:
		return "", unreadList("the list has more than %d pages", maxPages)
	case next == "" && total > have:
		return "", unreadList("X-Total-Count is %d, %d came, and no Link names a next page", total, have)
	}
	return next, nil
}

func unreadList(format string, args ...any) *shapeError {
	return &shapeError{problem: fmt.Sprintf(format, args...) + noSuchList}
}

const noSuchList = "; this version of the provider does not read such a list"

// nextPage returns the path and query of the next page that an answer names, "" for none. at is where the answer came
// from. The token goes to no address that is not below base.
func nextPage(header http.Header, at string, base *url.URL) (next string, err error) {
	link, found := linkTo("next", header.Values("Link"))
	if !found {
		return "", nil
	}
	from, err := base.Parse(at)
	if err != nil {
		return "", err
	}
	to, err := from.Parse(link)
	if err != nil || !sameOrigin(to, base) || !strings.HasPrefix(to.EscapedPath(), base.EscapedPath()+"/") {
		return "", unreadList("the next page is not below base_url, but at %s", redact.Shorten(link, 100))
	}
	return to.RequestURI(), nil
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

const quoted = `"(?:[^"\\]|\\.)*"`

var (
	// aLink is a target and its parameters in a header Link (RFC 8288 §3), and aParameter one of these.
	aLink      = regexp.MustCompile(`<([^>]*)>((?:[^",]|` + quoted + `)*)`)
	aParameter = regexp.MustCompile(`;\s*([\w*-]+)\s*(?:=\s*(` + quoted + `|[^";]*))?`)
)

// linkTo finds the target of the first link with that relation type in the values of the header Link.
func linkTo(relation string, values []string) (target string, found bool) {
	for _, link := range aLink.FindAllStringSubmatch(strings.Join(values, ","), -1) {
		for _, parameter := range aParameter.FindAllStringSubmatch(link[2], -1) {
			if !strings.EqualFold(parameter[1], "rel") {
				continue
			}
			if slices.Contains(strings.Fields(strings.ToLower(strings.Trim(parameter[2], `" `))), relation) {
				return link[1], true
			}
			break // the first rel counts
		}
	}
	return "", false
}
