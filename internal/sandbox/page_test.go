package sandbox_test

import (
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// browser asks for the parts of the page it lacks, as the page does.
type browser struct {
	caller

	etags map[string]string // by part
}

// asks returns the names of the parts in the answer.
func (b *browser) asks(path, query string) string {
	b.t.Helper()
	for _, etag := range b.etags {
		query += "&etag=" + etag
	}
	got := b.get(path + "?" + query)
	if got.status == http.StatusNoContent {
		return "nothing"
	}
	var names []string
	for _, found := range regexp.MustCompile(`<div id="(\w+)" data-etag="(\w+)"`).FindAllStringSubmatch(got.body, -1) {
		names = append(names, found[1])
		b.etags[found[1]] = found[2]
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestParts: an answer contains only the parts that the page does not show yet.
func TestParts(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	b := &browser{direct(t, s), map[string]string{}}
	const all = "clients counted faults found groups request requests"
	if got := b.asks("/", ""); got != all {
		t.Errorf("the page has %s, want %s", got, all)
	}
	publish := func() {
		if _, err := s.Publish(mainGroup, nil); err != nil {
			t.Fatal(err)
		}
	}
	send := func(path string) func() { return func() { b.get(path) } }
	for _, step := range []struct {
		name  string
		do    func()
		query string
		want  string
	}{
		{"a control request", send("/control/faults"), "", "nothing"},
		{"a request", send("/v1/nope"), "", "counted requests"},
		{"a revision", publish, "", "groups"},
		{"a fault", func() { s.Inject(sandbox.Fault{Status: 503, Times: 1}) }, "", "faults"},
		{"a hit", send("/v1/nope"), "", "counted faults requests"},
		{"a search", func() {}, "search=signal", "found groups"},
		{"a revision that is not found", publish, "search=signal", "nothing"},
		{"a pause", func() {}, "until=2", "counted found groups requests"},
		{"a request after it", send("/v1/nope"), "until=2", "counted"},
		{"a click", func() {}, "until=2&request=1", "request"},
		{"no requests", s.ResetRequests, "until=2&request=1", "counted request requests"},
		{"a reset", s.Reset, "", "faults groups request"},
	} {
		step.do()
		if got := b.asks("/page/parts", step.query); got != step.want {
			t.Errorf("after %s the page is sent %s, want %s", step.name, got, step.want)
		}
	}
	// The end of a request is sent.
	s.Inject(sandbox.Fault{OnRequest: func(*http.Request) { b.asks("/page/parts", "") }})
	if b.get("/v1/nope"); b.asks("/page/parts", "") != "requests" {
		t.Error("the end of a request is not sent")
	}
}

// TestLibrary: the browser checks the library by the checksum of this file. Its licence is beside it.
func TestLibrary(t *testing.T) {
	c := direct(t, sandbox.New(sandbox.Default()))
	sum := sha512.Sum384([]byte(c.get("/page/idiomorph.min.js").body))
	integrity := `src="/page/idiomorph.min.js" integrity="sha384-` + base64.StdEncoding.EncodeToString(sum[:]) + `"`
	if page := c.get("/").body; !strings.Contains(page, integrity) {
		t.Errorf("the page does not have %s", integrity)
	}
	licence, err := os.ReadFile("page/idiomorph.LICENSE")
	if err != nil || !strings.Contains(string(licence), "Permission to use, copy, modify, and/or distribute") {
		t.Errorf("the licence is %q, %v", licence, err)
	}
}

// TestBodiesAreBounded: of a large answer the beginning is kept.
func TestBodiesAreBounded(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s)
	s.Inject(sandbox.Fault{Status: 200, Body: strings.Repeat("x", 8<<10) + "END"})
	c.get("/v1/nope")
	if got := c.get("/page/requests/1").body; !strings.Contains(got, "8192 of 8195 bytes") || strings.Contains(got, "END") {
		t.Errorf("the request is shown in %d bytes", len(got))
	}
}

// TestRequestsWithoutAnAnswer: a dropped one differs from one still under way.
func TestRequestsWithoutAnAnswer(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s)
	hit := make(chan struct{}, 1)
	remove := s.Inject(sandbox.Fault{Hang: true, OnRequest: func(*http.Request) { hit <- struct{}{} }})
	hanging := c
	go func() { _, _ = hanging.try(http.MethodGet, "/v1/hangs", "") }()
	<-hit
	remove()
	s.Inject(sandbox.Fault{Drop: true})
	if got, err := c.try(http.MethodPost, "/v1/dropped", ""); err == nil {
		t.Errorf("got %d", got.status)
	}
	// The caller may know of the end before the sandbox has recorded it.
	for strings.Contains(c.get("/page/requests/2").body, "under way") {
		runtime.Gosched()
	}
	for number, want := range map[int][]string{
		1: {"/v1/hangs", "under way"},
		2: {"/v1/dropped", "no answer", "fault 2"},
	} {
		got := c.get(fmt.Sprintf("/page/requests/%d", number)).body
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("request %d does not have %q:\n%s", number, text, got)
			}
		}
	}
}
