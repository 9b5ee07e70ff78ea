package sandbox_test

import (
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// browser asks for what has changed since it last asked, as the page does.
type browser struct {
	caller

	mark string
}

func (b *browser) ask(path string) reply {
	b.t.Helper()
	got := b.get(path)
	if found := regexp.MustCompile(`data-mark="(.*?)"`).FindStringSubmatch(got.body); found != nil {
		b.mark = found[1]
	}
	return got
}

// changes returns the ids of the parts that have changed, without the mark.
func (b *browser) changes() string {
	b.t.Helper()
	got := b.ask("/page/changes?" + url.Values{"since": {b.mark}}.Encode())
	if got.status == http.StatusNoContent {
		return "nothing"
	}
	parts := regexp.MustCompile(`id="(arrived|requests|clients|faults|groups|group-\d+)"`)
	var ids []string
	for _, found := range parts.FindAllStringSubmatch(got.body, -1) {
		ids = append(ids, found[1])
	}
	if slices.Contains(ids, "groups") {
		ids = ids[:slices.Index(ids, "groups")+1] // with all groups in it
	}
	return strings.Join(ids, " ")
}

// TestChanges: a page is sent what it does not show, and no more.
func TestChanges(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	b := &browser{caller: direct(t, s)}
	b.ask("/")
	publish := func(group string) func() {
		return func() {
			if _, err := s.Publish(group, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	send := func(path string) func() { return func() { b.get(path) } }
	var remove func()
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"nothing", func() {}, "nothing"},
		{"a control request", send("/control/faults"), "nothing"},
		{"a request", send("/v1/nope"), "arrived requests"},
		{"a revision of the first group", publish(mainGroup), "group-0"},
		{"revisions of two groups", func() { publish(mainGroup)(); publish(privateGroup)() }, "group-0 group-2"},
		{"a fault", func() { remove = s.Inject(sandbox.Fault{Status: 503}) }, "faults"},
		{"a hit", send("/v1/nope"), "arrived requests faults"},
		{"a fault less", func() { remove() }, "faults"},
		{"no requests", s.ResetRequests, "arrived requests"},
		{"a reset", s.Reset, "group-0 group-2"},
		{"nothing again", func() {}, "nothing"},
	} {
		step.do()
		if got := b.changes(); got != step.want {
			t.Errorf("after %s the page is sent %s, want %s", step.name, got, step.want)
		}
	}
	s.Inject(sandbox.Fault{OnRequest: func(*http.Request) { b.changes() }})
	if b.get("/v1/nope"); b.changes() != "arrived requests" {
		t.Error("the end of a request that was under way is not sent")
	}
	const all = "arrived requests faults clients groups"
	other := &browser{caller: direct(t, sandbox.New(sandbox.Default())), mark: b.mark}
	if got := other.changes(); got != all {
		t.Errorf("another process sends %s, want %s", got, all)
	}
	for _, mark := range []string{"", "x", "a-b-c-d-e", "a-b-c-d"} {
		if b.mark = mark; b.changes() != all {
			t.Errorf("with the mark %q not all is sent", mark)
		}
	}
}

// TestLibrary: the browser checks the library with the checksum of the file that is here, which has its licence beside it.
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

// TestBodiesAreBounded: of a large answer the beginning is kept, of the last answers 16 MB.
func TestBodiesAreBounded(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s)
	s.Inject(sandbox.Fault{Status: 200, Body: strings.Repeat("x", 64<<10) + "END"})
	for range 300 {
		c.get("/v1/nope")
	}
	for number, want := range map[int]string{
		300: "The first 65536 of 65539 bytes.",
		45:  "The first 65536 of 65539 bytes.",
		44:  "Its 65539 bytes are no longer kept.",
	} {
		got := c.get(fmt.Sprintf("/page/requests/%d", number)).body
		if !strings.Contains(got, want) || strings.Contains(got, "END") {
			t.Errorf("request %d is shown in %d bytes, without %q", number, len(got), want)
		}
	}
}

// TestRequestsWithoutAnAnswer are told from those that are under way.
func TestRequestsWithoutAnAnswer(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s)
	hit := make(chan struct{}, 1)
	remove := s.Inject(sandbox.Fault{Kind: sandbox.Hang, OnRequest: func(*http.Request) { hit <- struct{}{} }})
	hanging := c
	go func() { _, _ = hanging.try(http.MethodGet, "/v1/hangs", "") }()
	<-hit
	remove()
	s.Inject(sandbox.Fault{Kind: sandbox.Reset})
	if got, err := c.try(http.MethodPost, "/v1/dropped", ""); err == nil {
		t.Errorf("got %d", got.status)
	}
	// The caller may know of the end before the sandbox has recorded it.
	for strings.Contains(c.get("/page/requests/2").body, "under way") {
		runtime.Gosched()
	}
	for number, want := range map[int][]string{
		1: {"/v1/hangs", "under way", "It is not answered yet."},
		2: {"/v1/dropped", "no answer", "fault 2", "It got no answer."},
	} {
		got := c.get(fmt.Sprintf("/page/requests/%d", number)).body
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("request %d does not have %q:\n%s", number, text, got)
			}
		}
	}
}
