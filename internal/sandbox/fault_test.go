package sandbox_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestFaultsBreakAnswers uses a socket: only there an answer can be broken.
func TestFaultsBreakAnswers(t *testing.T) {
	nothing := func(int, http.Header, []byte) (int, http.Header, []byte) { return 200, nil, nil }
	tests := map[string]struct {
		fault  sandbox.Fault
		err    error
		isJSON bool
		status int // in the list of requests
	}{
		// Twice, because a client repeats a GET itself if the connection has served before.
		"reset":           {sandbox.Fault{Drop: true, Times: 2}, syscall.ECONNRESET, false, 0},
		"length":          {sandbox.Fault{Cut: "length"}, io.ErrUnexpectedEOF, true, 200},
		"inside the JSON": {sandbox.Fault{Cut: "json"}, nil, false, 200},
		"nothing is left": {sandbox.Fault{Mutate: nothing}, nil, false, 200},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := sandbox.New(sandbox.Default())
			c := start(t, s).as("northwind")
			whole := c.get("/v1/model-group").body
			s.Inject(test.fault)
			got, err := c.try(http.MethodGet, "/v1/model-group", "")
			isBroken := json.Valid([]byte(got.body)) != test.isJSON || !strings.HasPrefix(whole, got.body)
			if !errors.Is(err, test.err) || isBroken || s.Requests()[2].Status != test.status {
				t.Errorf("got %d of %d bytes, %v; %+v", len(got.body), len(whole), err, s.Requests()[2])
			}
			if got.header != nil && got.header.Get(sandbox.Header) == "" {
				t.Errorf("the header is %v", got.header)
			}
		})
	}
}

// TestEveryFieldOfAFault: each has a line in the help, a place in the form of the page, and a fault that is accepted.
func TestEveryFieldOfAFault(t *testing.T) {
	t.Parallel()
	var schema struct {
		Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(readText(t, "sandbox.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	_, form, _ := strings.Cut(direct(t, sandbox.New(sandbox.Default())).get("/").body, `<form class="fault"`)
	form, _, _ = strings.Cut(form, "</form>")
	accepted := regexp.MustCompile(`(?m)^POST /control/faults .* → 201`).FindAllString(readText(t, "testdata/faults.txt"), -1)
	fields := schema.Defs["Fault"].Properties
	for field := range fields {
		for file, has := range map[string]bool{
			"command/help.txt":    strings.Contains(readText(t, "command/help.txt"), "\n  "+field+" "),
			"page/page.html":      strings.Contains(form, ` name="`+field+`"`),
			"testdata/faults.txt": strings.Contains(strings.Join(accepted, "\n"), `"`+field+`":`),
		} {
			if !has {
				t.Errorf("%s lacks the field %s of a fault", file, field)
			}
		}
	}
	if !strings.Contains(form, "RATE_LIMITED") || len(fields) < 10 {
		t.Errorf("the form has no codes, or a fault only the fields %v", fields)
	}
}
