package command

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
)

// TestRecordHidesCredentials repeated by the service, in names and values. The tests of redact have every spelling. A
// short one is hidden if it is a whole word, because a part of a word is most likely something else.
func TestRecordHidesCredentials(t *testing.T) {
	const odd, token = `s3cr&t "/+?é'~zyx 0x`, "a-token-of-some-length"
	for name, test := range map[string]struct {
		secret, fields, want string
	}{
		"a short one":     {"day", `"day": "for day day,\nday: ZGF5 today"`, `"***": "for *** ***,\n***: *** today"`},
		"as it is":        {odd, fmt.Sprintf(`%[1]q: %[1]q`, odd), `"***": "***"`},
		"with escapes":    {odd, `"s3\u0063r&t \"/+?é'~zyx 0x!": 1`, `"***!": 1`},
		"in base64":       {odd, fmt.Sprintf(`"x": ["%s."]`, base64.StdEncoding.EncodeToString([]byte(odd))), `"***."`},
		"in a form":       {odd, fmt.Sprintf(`"x": "a=%s&b"`, url.QueryEscape(odd)), `"x": "a=***&b"`},
		"a token":         {odd, `"` + token + `": "Bearer ` + token + `"`, `"***": "Bearer ***"`},
		"a number":        {"123456789", `"x": 123456789`, `"x": "***"`},
		"a short number":  {"77", `"x": [77, 177]`, "\"***\",\n            177"},
		"no credential":   {odd, `"x": 1.50`, `"x": 1.50`},
		"a part of a one": {odd, `"x": "s3cr&t"`, `"x": "s3cr&t"`},
	} {
		t.Run(name, func(t *testing.T) {
			withCredentials(t)
			t.Setenv("MODELCATALOGUE_CLIENT_SECRET", test.secret)
			answers := map[string]string{
				"/v1/auth/token":           `{"access_token": "` + token + `"}`,
				"/v1/model-group":          `[{"id": "g"}]`,
				"/v1/model-group/g/models": `[{"id": "m", "revision": 1, ` + test.fields + `}]`,
			}
			answer := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, answers[r.URL.Path]) }
			synctest.Test(t, func(t *testing.T) {
				got := recordFrom(t, http.HandlerFunc(answer), false)
				isSaid := strings.Contains(got.said, test.secret) || strings.Contains(got.said, token)
				if !strings.Contains(got.text, test.want) || isSaid {
					t.Errorf("%v\n%s\n%s", got.err, got.text, got.said)
				}
			})
		})
	}
}
