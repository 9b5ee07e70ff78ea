package contract

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// SignOfPart returns what shows that an answer holds only a part of a list, such as "its header X-Next-Page is 2", or
// an empty text. The interface shows no pagination: INTERFACE.md says what becomes of a part. elements is how many the
// answer has. The names of headers are in any case. The text quotes the service.
func SignOfPart(header http.Header, elements int) string {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		isPart := signs[strings.ToLower(name)]
		for _, value := range header[name] {
			if value = strings.TrimSpace(value); isPart != nil && isPart(value, elements) {
				counted := fmt.Sprintf("%d elements", elements)
				if elements == 1 {
					counted = "1 element"
				}
				return fmt.Sprintf("its header %s is %s, and it has %s", name, value, counted)
			}
		}
	}
	return ""
}

// signs reports, for the lower-case name of a header, whether its value counts more than the elements of an answer.
var signs = map[string]func(value string, elements int) bool{
	"link":          linksToNext,
	"x-total-count": isMore,
	"x-total":       isMore,
	"x-next-page":   func(value string, _ int) bool { return value != "" },
	"x-total-pages": func(value string, _ int) bool { return isMore(value, 1) },
	"content-range": endsEarly,
}

func isMore(value string, than int) bool {
	count, err := strconv.Atoi(value)
	return err == nil && count > than
}

// endsEarly reports whether a Content-Range such as "items 0-19/45" ends before its total (RFC 9110 §14.4).
func endsEarly(value string, _ int) bool {
	span, total, _ := strings.Cut(value, "/")
	_, end, _ := strings.Cut(span, "-")
	last, err := strconv.Atoi(end)
	return err == nil && isMore(total, last+1)
}

// linkPatterns returns the pattern of a link in a header Link (RFC 8288 §3), and that of one of its parameters.
var linkPatterns = sync.OnceValues(func() (link, parameter *regexp.Regexp) {
	const quoted = `"(?:[^"\\]|\\.)*"`
	link = regexp.MustCompile(`<[^>]*>((?:[^",]|` + quoted + `)*)`)
	parameter = regexp.MustCompile(`;\s*([\w*-]+)\s*(?:=\s*(` + quoted + `|[^";]*))?`)
	return link, parameter
})

// linksToNext reports whether a header Link has a link with next among the words of its rel. If a link has several rel,
// the first counts.
func linksToNext(value string, _ int) bool {
	aLink, aParameter := linkPatterns()
	for _, link := range aLink.FindAllStringSubmatch(value, -1) {
		parameters := aParameter.FindAllStringSubmatch(link[1], -1)
		rel := slices.IndexFunc(parameters, func(found []string) bool { return strings.EqualFold(found[1], "rel") })
		if rel < 0 {
			continue
		}
		words := strings.Fields(strings.ToLower(strings.Trim(parameters[rel][2], `"' `)))
		if slices.Contains(words, "next") {
			return true
		}
	}
	return false
}
