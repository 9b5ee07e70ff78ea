package sandbox

import (
	"hash/maphash"
	"html"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rowsAtOnce is the number of rows that a list of the page shows at first, and the number that a click adds.
const rowsAtOnce = 100

// pageForm is the state of a page's controls. The page sends it with each request, because the sandbox keeps no state
// of pages.
type pageForm struct {
	Status   string // the first characters of a request's status
	Text     string // words in the row of a request
	Until    int    // the number of the newest request in a paused list, or 0
	Rows     int    // the largest number of requests in the list
	Search   string // words in the rows of a group
	Groups   int    // the largest number of groups in the list
	Request  int    // the number of the open request, or 0
	Unfolded []string
}

func newPageForm(r *http.Request) pageForm {
	number := func(name string) int {
		n, _ := strconv.Atoi(r.FormValue(name))
		return n
	}
	return pageForm{
		Status:   r.FormValue("status"),
		Text:     r.FormValue("text"),
		Until:    number("until"),
		Rows:     max(rowsAtOnce, number("rows")),
		Search:   r.FormValue("search"),
		Groups:   max(rowsAtOnce, number("groups")),
		Request:  number("request"),
		Unfolded: r.Form["unfolded"],
	}
}

// pageData is the data of the page's template.
type pageData struct {
	Base          *url.URL // the sandbox's address in the browser
	Authority     string
	Allowance     Allowance
	Organisations []Organisation
	Codes         []string // of the interface and of OAuth, for faults
	Form          pageForm
	Parts         map[string]pagePart
}

// pagePart is an element of the page with changing content. Its name is the element's id.
type pagePart struct {
	Name string
	ETag string // differs if the content does
	HTML template.HTML
}

func (s *Sandbox) pageData(r *http.Request) pageData {
	page := pageData{
		Base:          baseOf(r),
		Authority:     s.choices.authority,
		Allowance:     s.choices.allowance,
		Organisations: s.catalogue.organisations,
		Codes:         slices.Concat(slices.Sorted(maps.Keys(statuses)), slices.Sorted(maps.Keys(oauthStatuses))),
		Form:          newPageForm(r),
		Parts:         map[string]pagePart{},
	}
	requests := s.requestRows(page.Base, page.Form)
	page.Form = requests.Form
	found := newGroupRows(s.allGroups(), page.Form)
	page.add("requests", requests)
	page.add("counted", requests)
	page.add("request", requests.Shown)
	page.add("faults", s.listedFaults())
	page.add("clients", page)
	page.add("groups", found)
	page.add("found", found)
	return page
}

// baseOf returns the sandbox's address as the client wrote it.
func baseOf(r *http.Request) *url.URL {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return &url.URL{Scheme: scheme, Host: r.Host}
}

func (p *pageData) add(name string, data any) {
	text := execute(name, data)
	p.Parts[name] = pagePart{
		Name: name,
		ETag: etagOf(text),
		HTML: template.HTML(text), //nolint:gosec // a template has made it
	}
}

var etagSeed = maphash.MakeSeed()

func etagOf(text string) string { return strconv.FormatUint(maphash.String(etagSeed, text), 36) }

// groupRows is the list of groups on the page.
type groupRows struct {
	All, Found int
	Form       pageForm
	Rows       []groupRow
}

type groupRow struct {
	*group
	Index int
	Open  bool // whether the page shows its revisions
}

// newGroupRows returns the first groups with the words of the search, up to the form's number. In a catalogue of few
// groups all are open until somebody folds or unfolds one.
func newGroupRows(groups []*group, form pageForm) groupRows {
	const few = 10
	list := groupRows{All: len(groups), Form: form}
	for i, g := range groups {
		if form.Search != "" && !hasWords(g.words(), form.Search) {
			continue
		}
		list.Found++
		if len(list.Rows) < form.Groups {
			isOpen := slices.Contains(form.Unfolded, strconv.Itoa(i)) || form.Unfolded == nil && len(groups) <= few
			list.Rows = append(list.Rows, groupRow{
				group: g,
				Index: i,
				Open:  isOpen,
			})
		}
	}
	return list
}

// unwritten matches the parts of a row that a search ignores: tags, and buttons with their words.
var unwritten = regexp.MustCompile(`(?s)<button.*?</button>|<[^>]*>`)

// words returns the visible text of HTML, in the form of plain.
func words(text string) string {
	return plain(html.UnescapeString(unwritten.ReplaceAllString(text, "")))
}

// hasWords reports whether a text in lower case has each of the words.
func hasWords(text, words string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// plain returns a text in lower case with single spaces between its words.
func plain(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
