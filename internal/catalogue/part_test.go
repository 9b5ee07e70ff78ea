package catalogue_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// A list that is only a part is an error that names the sign, after one request. Package contract tests every sign.
func TestAPartOfAList(t *testing.T) {
	const two = `[{"id":"a","revision":1},{"id":"b","revision":2}]`
	type row struct{ header, value, sign string }
	eachOnFakeClock(t, map[string]row{
		"no part":     {"Link", `<?page=1>; rel="prev"`, ""},
		"as many":     {"X-Total-Count", "2", ""},
		"a next page": {"Link", `<?page=2>; rel="next"`, `its header "Link" is "<?page=2>; rel=\"next\""`},
		"more":        {"X-Total-Count", "3", `its header "X-Total-Count" is "3", and its length is 2`},
	}, func(t *testing.T, test row) {
		s := &service{read: func(int, *http.Request) reply {
			return reply{header: http.Header{test.header: {test.value}}, body: two}
		}}
		a := models("g").read(t, over(t, s))
		unusable, _ := errors.AsType[*catalogue.UnusableAnswerError](a.err)
		switch {
		case test.sign == "" && a.err != nil:
			t.Error(a.err)
		case test.sign != "" && (unusable == nil || !strings.Contains(unusable.Problem, test.sign)):
			t.Errorf("%v, want %q", a.err, test.sign)
		}
		s.expectCounts(t, 1, 1)
	})
}
