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

// SignOfPart returns the sign that an answer holds only a part of a list, such as "its header X-Next-Page is 2", or an
// empty text. The interface does not describe pagination: INTERFACE.md says how a part is treated. elements is how
// many the answer has. The names of headers are in any case. The text quotes the service.
func SignOfPart(header http.Header, elements int) string {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			if value = strings.TrimSpace(value); isSign(name, value, elements) {
				return fmt.Sprintf("its header %s is %s, and its length is %d", name, value, elements)
			}
		}
	}
	return ""
}

// isSign reports whether a header says that there is more than the elements of an answer.
func isSign(name, value string, elements int) bool {
	name = strings.ToLower(name)
	if says := headers()[name]; says != nil {
		return says(value, elements)
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })
	has := func(one string) bool {
		return slices.ContainsFunc(strings.Fields(one), func(word string) bool { return slices.Contains(words, word) })
	}
	for _, sign := range signs() {
		if has(sign.word) && (sign.and == "" || has(sign.and)) {
			return sign.says(value, elements)
		}
	}
	return false
}

// says reports whether the value of a header means more than the elements of an answer.
type says func(value string, elements int) bool

// headers returns the signs that have one name each, in lower case.
func headers() map[string]says {
	return map[string]says{
		"link":          linksToNext,
		"content-range": endsEarly,
		"x-total":       isMore,
		"x-pagination":  hasSign,
	}
}

// sign is one of the words of a name, and one of other words with it, if any.
type sign struct {
	word, and string
	says      says
}

// signs returns those that services have many names for. The first that applies to a name decides.
func signs() []sign {
	pages := func(value string, _ int) bool { return isMore(value, 1) }
	never := func(string, int) bool { return false }
	return []sign{
		{"rate ratelimit limit quota time request requests", "", never}, // other things are counted
		{"next", "page cursor token link offset", isSet},
		{"has", "more next", isSet},
		{"continuation continuationtoken cursor truncated istruncated hasmore hasnext hasnextpage", "", isSet},
		{"nextpage nextpagetoken nextcursor nexttoken nextlink nextoffset", "", isSet},
		{"total", "pages", pages},
		{"totalpages", "", pages},
		{"total", "count items results records pagination", isMore},
		{"totalcount totalitems totalresults totalrecords", "", isMore},
	}
}

// hasSign reports whether X-Pagination has a sign among its members, as JSON or as name=value, or is a count.
func hasSign(value string, elements int) bool {
	pattern, _ := patterns()
	return isMore(value, elements) ||
		slices.ContainsFunc(pattern.FindAllStringSubmatch(value, -1), func(member []string) bool {
			return isSign("X-"+member[1], member[2], elements)
		})
}

func isSet(value string, _ int) bool {
	return !slices.Contains([]string{"", "0", "false", "null", "none", "no"}, strings.ToLower(unquoted(value)))
}

func unquoted(value string) string { return strings.Trim(value, `"' `) }

// isMore reports whether a value is a number above a count. It may have separators, as in 1,234.
func isMore(value string, than int) bool {
	digits := strings.NewReplacer(",", "", "_", "", " ", "", "'", "").Replace(unquoted(value))
	if rest := digits[strings.LastIndexByte(digits, '.')+1:]; len(rest) == len("234") {
		digits = strings.ReplaceAll(digits, ".", "")
	}
	count, err := strconv.Atoi(digits)
	return err == nil && count > than
}

// endsEarly reports whether a Content-Range (RFC 9110 §14.4) such as "items 0-19/45" covers less than its total, or
// does not know it.
func endsEarly(value string, elements int) bool {
	span, total, isRange := strings.Cut(value[strings.LastIndexByte(value, ' ')+1:], "/")
	first, last, _ := strings.Cut(span, "-")
	from, _ := strconv.Atoi(first)
	if to, err := strconv.Atoi(last); err == nil {
		elements = to - from + 1 // of any unit
	}
	return isRange && (total == "*" || isMore(total, elements))
}

// patterns returns the pattern of a member of X-Pagination, and the pattern of a link, or of a parameter of one, in a
// header Link (RFC 8288 §3).
var patterns = sync.OnceValues(func() (member, link *regexp.Regexp) {
	member = regexp.MustCompile(`([\w-]+)"?\s*[:=]\s*("[^"]*"|[^\s,;&}]*)`)
	link = regexp.MustCompile(`<[^>]*>|;\s*([\w*-]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^",;]*))?`)
	return member, link
})

// linksToNext reports whether a header Link has a link with next among the words of its rel. A word may be a URL that
// ends in it. If a link has several rel, the first counts.
func linksToNext(value string, _ int) bool {
	_, part := patterns()
	wanted := false // the rel of a link that has begun
	for _, found := range part.FindAllStringSubmatch(value, -1) {
		if found[1] == "" {
			wanted = true
		}
		if !wanted || !strings.EqualFold(found[1], "rel") {
			continue
		}
		wanted = false
		for word := range strings.FieldsSeq(strings.ToLower(unquoted(found[2]))) {
			if word[strings.LastIndexAny(word, "/#:")+1:] == "next" {
				return true
			}
		}
	}
	return false
}
