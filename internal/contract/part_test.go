package contract_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// TestSignOfPart has the headers of lists of three elements. The last of a line is the sign, if any. A part taken for
// the whole list would give a wrong latest revision, and a whole list must be read.
func TestSignOfPart(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/parts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(table), "\n") {
		mark, headers, _ := strings.Cut(line, " ")
		if mark != "+" && mark != "-" {
			continue
		}
		header, want := http.Header{}, ""
		for one := range strings.SplitSeq(headers, `\n`) {
			name, value, _ := strings.Cut(one, ": ")
			header[name] = append(header[name], value)
			if mark == "+" {
				want = fmt.Sprintf("its header %q is %q, and its length is 3", name, strings.TrimSpace(value))
			}
		}
		if got := contract.SignOfPart(header, 3); got != want {
			t.Errorf("%s: %q, want %q", headers, got, want)
		}
	}
}

// The work on a header does not grow with the number of its members.
func TestManyMembersOfAHeader(t *testing.T) {
	allocations := func(members int) float64 {
		header := http.Header{"X-Pagination": {strings.Repeat("pagination=", members)}}
		return testing.AllocsPerRun(1, func() { contract.SignOfPart(header, 3) })
	}
	if few, many := allocations(100), allocations(10_000); many > 2*few {
		t.Errorf("%.0f allocations for 100 members, %.0f for 10,000", few, many)
	}
}
