package contract_test

import (
	"net/http"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

func TestSignOfPart(t *testing.T) {
	t.Parallel()
	const next, pages = `its header Link is `, ", and it has 3 elements"
	for name, test := range map[string]struct {
		header http.Header
		want   string
	}{
		"no header":             {nil, ""},
		"next":                  {http.Header{"Link": {`<?page=2>; rel="next"`}}, next + `<?page=2>; rel="next"` + pages},
		"among words":           {http.Header{"Link": {`<?p>; rel="prev next"`}}, next + `<?p>; rel="prev next"` + pages},
		"not in quotes":         {http.Header{"Link": {`<?a,b;c>;rel=next`}}, next + `<?a,b;c>;rel=next` + pages},
		"in capitals":           {http.Header{"LINK": {`<?p>; title="a, \"<b>\"; rel=prev"; REL = "last Next" ; x`}}, "*"},
		"another link of one":   {http.Header{"link": {`<?p=1>; rel="prev", <?p=3>; rel="next", <?p=9>; rel="last"`}}, "*"},
		"another header":        {http.Header{"Link": {`<?p=1>; rel="prev"`, `<?p=3>; rel="next"`}}, next + `<?p=3>; rel="next"` + pages},
		"another relation":      {http.Header{"Link": {`<?p>; rel="next-archive"`, `<?p>; anchor=next`, `<?p>`}}, ""},
		"not a link":            {http.Header{"Link": {`?p; rel=next`, "", "; rel=next"}}, ""},
		"a quoted link":         {http.Header{"Link": {`<?p=1>; title="<?p=7>; rel=next"; rel=prev`}}, ""},
		"a later rel":           {http.Header{"Link": {`<?p=1>; rel=prev; rel=next`}}, ""},
		"a total":               {http.Header{"X-Total-Count": {"4"}}, "its header X-Total-Count is 4" + pages},
		"a short name":          {http.Header{"x-total": {" 40 "}}, "its header x-total is 40" + pages},
		"a second total":        {http.Header{"X-Total": {"3", "4"}}, "its header X-Total is 4" + pages},
		"a total of no more":    {http.Header{"X-Total-Count": {"3"}, "X-Total": {"2"}}, ""},
		"an odd total":          {http.Header{"X-Total-Count": {"many"}}, ""},
		"a next page":           {http.Header{"X-Next-Page": {"2"}}, "its header X-Next-Page is 2" + pages},
		"no next page":          {http.Header{"X-Next-Page": {" "}, "X-Page": {"1"}}, ""},
		"pages":                 {http.Header{"X-Total-Pages": {"2"}}, "its header X-Total-Pages is 2" + pages},
		"one page":              {http.Header{"X-Total-Pages": {"1"}}, ""},
		"a range":               {http.Header{"Content-Range": {"items 0-2/4"}}, "its header Content-Range is items 0-2/4" + pages},
		"a range to the end":    {http.Header{"Content-Range": {"items 0-2/3"}}, ""},
		"a range of a total, *": {http.Header{"Content-Range": {"items 0-2/*"}}, ""},
		"not a range":           {http.Header{"Content-Range": {"items */4"}}, ""},
	} {
		got := contract.SignOfPart(test.header, 3)
		if got != test.want && (test.want != "*" || got == "") {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
