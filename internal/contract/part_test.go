package contract_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// TestSignOfPart has the headers of lists of three elements. The last line is the sign, if they have one.
func TestSignOfPart(t *testing.T) {
	t.Parallel()
	for headers, isPart := range map[string]bool{
		"Date: now": false,

		`Link: <?page=2>; rel="next"`:                                           true,
		`Link: <?p>; rel="prev next"`:                                           true,
		`Link: <?a,b;c>;rel=next`:                                               true,
		`Link: <?p=2>; rel='next'`:                                              true,
		`LINK: <?p>; title="a, \"<b>\"; rel=prev"; REL = "last Next" ; x`:       true,
		`link: <?p=1>; rel="prev", <?p=3>; rel="next", <?p=9>; rel="last"`:      true,
		"Link: <?p=1>; rel=\"prev\"\nLink: <?p=3>; rel=\"next\"":                true,
		"Link: <?p>; rel=\"next-archive\"\nLink: <?p>; anchor=next\nLink: <?p>": false,
		"Link: ?p; rel=next":                                                    false,
		"Link: ":                                                                false,
		"Link: ; rel=next":                                                      false,
		`Link: <?p=1>; title="<?p=7>; rel=next"; rel=prev`:                      false,
		`Link: <?p=1>; rel=prev; rel=next`:                                      false, // the first rel counts

		"X-Total-Count: 4":             true,
		"x-total:  40 ":                true,
		"X-Total: 3\nX-Total: 4":       true,
		"X-Total-Count: 3\nX-Total: 2": false,
		"X-Total-Count: many":          false,

		"X-Next-Page: 2":            true,
		"X-Next-Page:  \nX-Page: 1": false,
		"X-Total-Pages: 2":          true,
		"X-Total-Pages: 1":          false,

		"Content-Range: items 0-2/4": true,
		"Content-Range: items 0-2/3": false,
		"Content-Range: items 0-2/*": false,
		"Content-Range: items */4":   false,
	} {
		header := http.Header{}
		want := ""
		for line := range strings.SplitSeq(headers, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			header[name] = append(header[name], value)
			if isPart {
				want = "its header " + name + " is " + strings.TrimSpace(value) + ", and it has 3 elements"
			}
		}
		if got := contract.SignOfPart(header, 3); got != want {
			t.Errorf("%s: %q, want %q", headers, got, want)
		}
	}
}
