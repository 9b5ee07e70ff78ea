package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestCount(t *testing.T) {
	cases := map[string]struct {
		events   []string
		want     tally
		failures string
		err      string
	}{
		"none": {},
		"subtests are part of their test": {
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestAccGroup/by_id","Output":"noise\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestAccGroup/by_id"}`,
				`{"Action":"pass","Package":"p","Test":"TestAccGroup"}`,
				`{"Action":"pass","Package":"p"}`,
			},
			want: tally{passed: 1},
		},
		"a failure is shown with what its subtests said": {
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestAccGood","Output":"quiet\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestAccGood"}`,
				`{"Action":"output","Package":"p","Test":"TestAccBad/one","Output":"loud\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestAccBad/one"}`,
				`{"Action":"fail","Package":"p","Test":"TestAccBad"}`,
				`{"Action":"output","Package":"p","Output":"FAIL p\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			want:     tally{passed: 1, failed: 1},
			failures: "loud\nFAIL p\n",
		},
		"skipped": {
			events: []string{`{"Action":"skip","Package":"p","Test":"TestAccFunction"}`, `{"Action":"skip","Package":"q"}`},
			want:   tally{skipped: 1},
		},
		"what does not compile is shown": {
			events: []string{
				`{"Action":"build-output","ImportPath":"p","Output":"p/x.go:1: undefined: y\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			failures: "p/x.go:1: undefined: y\n",
		},
		"no JSON": {events: []string{"panic: no"}, err: "reading the events of go test"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var failures bytes.Buffer
			got, err := count(strings.NewReader(strings.Join(c.events, "\n")), &failures)
			if got != c.want {
				t.Errorf("tally %+v, want %+v", got, c.want)
			}
			if failures.String() != c.failures {
				t.Errorf("failures %q, want %q", failures.String(), c.failures)
			}
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}

func TestPrintTable(t *testing.T) {
	var out bytes.Buffer
	printTable(&out, []row{
		{engine: "Terraform 1.5.7", tally: tally{passed: 41, skipped: 2, took: 61400 * time.Millisecond}, ok: true},
		{engine: "OpenTofu 1.12.6", tally: tally{passed: 42, failed: 1, took: 59 * time.Second}},
	})
	want := `| engine | tests | result |
| --- | --- | --- |
| Terraform 1.5.7 | 41 passed, 2 skipped | pass in 1m1s |
| OpenTofu 1.12.6 | 42 passed, 1 failed | FAIL in 59s |
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
