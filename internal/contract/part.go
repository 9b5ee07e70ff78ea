package contract

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// SignOfPart returns the sign of a partial list in an answer, such as `its header "X-Next-Page" is "2"`, or "". The
// interface does not describe pagination; INTERFACE.md has the rules about a part. elements is the length of the list.
// Header names are in any case. All headers are judged together: the weightiest decides. The text quotes the service
// between double quotes.
func SignOfPart(header http.Header, elements int) (sign string) {
	weightiest := nothing
	for _, name := range slices.Sorted(maps.Keys(header)) {
		key := strings.ToLower(name)
		if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(key, word) }) {
			continue // most headers end here, in little time
		}
		members := membersOf(key)
		for _, value := range header[name] {
			for _, member := range members.FindAllStringSubmatch(value, most) {
				found := weigh(squeezed(name+member[2]), cmp.Or(member[3], member[1]), elements)
				if found > weightiest {
					const says = "its header %q is %q, and its length is %d"
					weightiest, sign = found, fmt.Sprintf(says, name, strings.TrimSpace(value), elements)
				}
			}
		}
	}
	switch weightiest {
	case cursor, next, more:
		return sign
	}
	return ""
}

// weight is the meaning of a header for the list. A cursor may come with the last page, too, so a header of a whole
// list outweighs it. A link to a next page, or a higher count, outweighs both.
type weight int

const (
	nothing weight = iota
	cursor         // a position, perhaps the end
	noNext         // no next position
	next           // the next position
	noMore         // the list is whole
	more           // the list goes on
)

// most limits the members to read of a header, and the numbers of one.
const most = 50

// weigh returns the weight of a squeezed name and its value.
func weigh(name, value string, elements int) weight {
	switch {
	case others().MatchString(name):
		return nothing
	case pages().MatchString(name) && numbers().MatchString(value):
		return compared(value, 1)
	case total().MatchString(name) && !unknown().MatchString(value):
		return compared(value, elements)
	}
	for _, sign := range signs {
		if sign.names().MatchString(name) {
			if none().MatchString(value) {
				return sign.none
			}
			return sign.some
		}
	}
	return nothing
}

// compared weighs the numbers of a value, such as "4 of 1,234", against a count.
func compared(value string, count int) weight {
	found := nothing
	for _, digits := range numbers().FindAllStringSubmatch(value, most) {
		number, _ := strconv.Atoi(squeezed(digits[1])) // the greatest int if it is greater
		switch {
		case number > count:
			return more
		case number == count:
			found = noMore
		}
	}
	return found
}

// squeezed returns a name in lower case, or a number, without separators.
func squeezed(text string) string { return strings.ToLower(separators().ReplaceAllString(text, "")) }

// pattern returns a regular expression, compiled at its first use.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	separators = pattern(`[\W_]+`)
	numbers    = pattern(`-\d+|(\d{1,3}(?:[,.'_]\d{3})+\b|\d+)`)
	unknown    = pattern(`(?i)^\s*(bytes|seconds)|/\s*\*`) // the total of a Content-Range (RFC 9110 §14.4)
	none       = pattern(`(?i)^["'\s]*(|-|-1|0|\{}|\[]|f|false|n|n/a|nil|no|none|null|off|undefined)["'\s]*$`)
)

// membersOf returns a pattern of the members of a header, by its name in lower case: a value, a suffix of the header's
// name, and a second value, which replaces the first.
func membersOf(name string) *regexp.Regexp {
	switch name {
	case "link":
		return links()
	case "pagination", "paging-headers", "x-pagination":
		return pairs()
	}
	return whole()
}

var (
	whole = pattern(`(?s)^()()(.*)`)
	pairs = pattern(`()([\w-]+)"?\s*[:=]\s*("[^"]*"|\{}|[^\s,;&}"]*)`) // JSON or name=value
	// The target of a link, next if that is in its rel, and whether there are results (RFC 8288 §3).
	links = pattern(`(?i)<([^>]*)>(?:` + params + `?;\s*rel\s*=\s*["']?(?:[^"',;]*?[\s/#:])??` +
		`((?:next|more)[^\s"',;]*)[^"',;]*["']?(?:` + params + `?\bresults="?(\w+))?)?` + params)
)

const params = `(?:[^",]|"(?:\\.|[^"\\])*")*`

// words has a word of each sign.
var words = strings.Fields(
	"continuation cursor incomplete last link more next page pagin partial range total truncated")

// The squeezed names of signs, after those of other counted things and those of counts. The first match decides. A
// service may put its name before two clear words.
var (
	others = named(`(api)?(billing|cache|cost|csrf|db|debug|docs|log|quer|quota|rate|requests?|retry|trace|` +
		`usage)[a-z]*`)
	pages = named(`(num|results?|total)?pages(count|total)?|pagecount|lastpage|` + service + `totalpages`)
	total = named(things + `total(available|count|number)?` + things + `(count)?|(rest)?contentrange|counttotal|` +
		service + `total(count|items|records|results)|` + service + `pagination(total|(item|record)s?count)`)
	signs = []struct {
		names      func() *regexp.Regexp
		some, none weight // of a value and of an empty one
	}{
		{named(`(after|end)?cursor`), cursor, nothing},
		{named(`continuation(token|next[a-z]*key)?|cursornext|next(page)?(cursor|id|key|marker|offset|range|` +
			`rownumber|start|token)|` + service + `(next(page)?(cursor|token)|continuationtoken)`), next, noNext},
		{named(`next(page)?(href|link|number|ur[il])?|` + service + `next(link|page)`), more, noNext},
		{named(`(has|link)?(more|next)(pages?|items|results)?(available)?|` +
			service + `has(more|next)(page)?`), more, noMore},
		{named(`(is|results?)?(incomplete|partial|truncated)(results?)?`), more, nothing},
		{named(`islast(page)?|lastpage`), noMore, more},
	}
)

// things are the possible elements of a list.
const things = `((time)?horizons?|entr(y|ies)|elements?|hits|items?|lists?|(model)?groups?|models?|objects?|records?|` +
	`results?|rows?)*`

// service is the name of any service.
const service = `[a-z]*`

func named(names string) func() *regexp.Regexp {
	return pattern(`^x?(ms|pw|wp)?(page|paging(headers)?|pagination)?(` + names + `)$`)
}
