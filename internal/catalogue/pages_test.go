package catalogue

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestNextPage(t *testing.T) {
	t.Parallel()
	const at, none = "/base/v1/model-group?timeHorizon=a%20b", ""
	const elsewhere = "the next page is not below base_url, but at "
	for name, test := range map[string]struct {
		links []string
		want  string // the target, or an error
	}{
		"no header":            {nil, none},
		"absolute":             {[]string{`<https://c.example/base/v1/model-group?page=2>; rel="next"`}, "/base/v1/model-group?page=2"},
		"in capitals":          {[]string{`<https://C.example/base/v1/model-group?page=2>; rel="next"`}, "/base/v1/model-group?page=2"},
		"a path":               {[]string{`</base/v1/a%2Fb?x=%20#f>;rel=next`}, "/base/v1/a%2Fb?x=%20"},
		"a query":              {[]string{`<?cursor=a,b;c>; rel=next`}, "/base/v1/model-group?cursor=a,b;c"},
		"relative":             {[]string{`<model-group/2>; rel=next`}, "/base/v1/model-group/2"},
		"among others":         {[]string{`<?page=1>; rel="prev", <?page=3>; rel="next", <?page=9>; rel="last"`}, "/base/v1/model-group?page=3"},
		"in another header":    {[]string{`<?page=1>; rel="prev"`, `<?page=3>; rel="next"`}, "/base/v1/model-group?page=3"},
		"other parameters":     {[]string{`<?p>; title="a, \"<b>\"; rel=prev"; REL = "last Next" ; type=text`}, "/base/v1/model-group?p"},
		"a quoted link":        {[]string{`<?page=1>; title="<?page=7>; rel=next"; rel=prev`}, none},
		"only the first rel":   {[]string{`<?page=1>; rel=prev; rel=next`}, none},
		"another relation":     {[]string{`<?p>; rel="nextish"`, `<?p>; anchor=next`, `<?p>`, `?p; rel=next`, `<?p`, "", `; rel=next`}, none},
		"another host":         {[]string{`<https://other.example/base/v1/x>; rel=next`}, elsewhere + "https://other.example/base/v1/x"},
		"another scheme":       {[]string{`<http://c.example/base/v1/x>; rel=next`}, elsewhere + "http://c.example/base/v1/x"},
		"another port":         {[]string{`<https://c.example:8443/base/v1/x>; rel=next`}, elsewhere + "https://c.example:8443/base/v1/x"},
		"no scheme":            {[]string{`<//other.example/base/v1/x>; rel=next`}, elsewhere + "//other.example/base/v1/x"},
		"above base_url":       {[]string{`</v1/model-group?page=2>; rel=next`}, elsewhere + "/v1/model-group?page=2"},
		"above it in the end":  {[]string{`<../../../base/../v1>; rel=next`}, elsewhere + "../../../base/../v1"},
		"beside it":            {[]string{`</base-2/v1>; rel=next`}, elsewhere + "/base-2/v1"},
		"no address of a page": {[]string{`<https://c.example:port/>; rel=next`}, elsewhere + "https://c.example:port/"},
	} {
		base := &url.URL{Scheme: "https", Host: "c.example", Path: "/base"}
		got, err := nextPage(http.Header{"Link": test.links}, at, base)
		if err != nil {
			got = strings.TrimSuffix(err.Error(), noSuchList)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestListsInPages reads lists page by page from a service that answers by the query.
func TestListsInPages(t *testing.T) {
	t.Parallel()
	const first, cameBefore = "/v1/model-group/g/models", "the next page is one that came before, "
	const noNext = ", and no Link names a next page"
	const one, two, three = `{"id":"a","revision":1}`, `{"id":"b","revision":2}`, `{"id":"c","revision":3}`
	type page struct{ body, next, total string }
	type pages map[string]page
	for name, test := range map[string]struct {
		pages  pages // by query
		asked  string
		models string // the ids, or an error
	}{
		"one":             {pages{"": {body: one, total: "1"}}, "first", "a"},
		"empty":           {pages{"": {total: "0"}}, "first", ""},
		"three":           {pages{"": {one, "?2", "3"}, "2": {two, first + "?3", "3"}, "3": {three, "", "3"}}, "first 2 3", "a b c"},
		"an odd total":    {pages{"": {one, "", "many"}}, "first", "a"},
		"a part":          {pages{"": {one, "", "120"}}, "first", "X-Total-Count is 120, 1 came" + noNext},
		"a part in pages": {pages{"": {one, "?2", "3"}, "2": {one, "", "3"}}, "first 2", "X-Total-Count is 3, 2 came" + noNext},
		"itself":          {pages{"": {next: first}}, "first", cameBefore + first},
		"a loop":          {pages{"": {next: "?2"}, "2": {next: first}}, "first 2", cameBefore + first},
		"elsewhere":       {pages{"": {next: "http://o/"}}, "first", "the next page is not below base_url, but at http://o/"},
		"no page":         {pages{"": {next: "?2"}, "2": {body: "7"}}, "first 2", "models[0]: an object" + isExpected + "a number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			c := New(configFor(t, "http://localhost", Config{Snapshot: true, Transport: answering(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					answerTokens(w, r, "")
					return
				}
				asked = append(asked, strings.TrimSpace(r.URL.RawQuery))
				if r.URL.RawQuery == "" {
					asked[len(asked)-1] = "first"
				}
				page := test.pages[r.URL.RawQuery]
				if page.next != "" {
					w.Header().Set("Link", "<"+page.next+`>; rel="next"`)
				}
				if page.total != "" {
					w.Header().Set("X-Total-Count", page.total)
				}
				answerTokens(w, r, "["+page.body+"]")
			})}))
			for range 2 { // the joined list is one answer of the snapshot
				var got []string
				models, err := c.Models(t.Context(), "g")
				for _, model := range models {
					got = append(got, *model.ID)
				}
				text := strings.Join(got, " ")
				if err != nil {
					_, text, _ = strings.Cut(strings.TrimSuffix(err.Error(), noSuchList), "unusable answer: ")
					asked = asked[:len(strings.Fields(test.asked))] // a failure is not kept
				}
				if text != test.models || strings.Join(asked, " ") != test.asked {
					t.Errorf("%s after %q, want %s after %q", text, asked, test.models, test.asked)
				}
			}
		})
	}
}

func TestAListHasAnEnd(t *testing.T) {
	t.Parallel()
	requests := 0
	c := New(configFor(t, "http://localhost", Config{Transport: answering(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Link", "<?page="+strings.Repeat("x", requests)+">; rel=next")
		answerTokens(w, r, "[]")
	})}))
	_, err := c.ModelGroups(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "the list has more than 1000 pages"+noSuchList) || requests != 1+maxPages {
		t.Errorf("%v after %d requests", err, requests)
	}
}
