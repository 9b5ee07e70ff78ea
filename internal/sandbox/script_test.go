package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestScripts runs the cases of testdata/*.txt, each with its own sandbox and a clock that starts at midnight, 1 January
// 2000. An indented line continues the one before. The lines are:
//
//	== NAME                  a case begins
//	with OPTION VALUE        an option of the sandbox
//	groups JSON              the model groups of its catalogue, of an organisation "owner", if not the default one
//	as CLIENT                the requests after it have a token of that client id, or none if it is nobody
//	header NAME: VALUE       a header of the next request
//	sleep TIME
//	METHOD PATH BODY → STATUS | TEXT | !TEXT
//
// The answer must have that status, each TEXT in its header or body, and no !TEXT. A TEXT that is a JSON object or list
// must be the whole body. The TEXT "after TIME" is how long the answer takes.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	names := strings.NewReplacer(
		"\n  ", " ", "$MAIN", mainGroup, "$PRIVATE", privateGroup, "$EMPTY", emptyGroup, "$ODD", url.PathEscape(oddGroup),
		"$FORM", credentials("northwind").Encode(),
		"$JSON", `{"grant_type": "client_credentials", "client_id": "northwind", "client_secret": "northwind-sandbox-secret"}`,
	)
	for _, from := range files {
		for _, text := range strings.Split(names.Replace(readText(t, from)), "\n== ")[1:] {
			name, lines, _ := strings.Cut(text, "\n")
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { (&script{caller: caller{t: t}}).run(lines) })
			})
		}
	}
}

// script runs a case.
type script struct {
	caller

	sandbox   *sandbox.Sandbox
	catalogue *sandbox.Catalogue
	options   []sandbox.Option
	header    []string
}

func (s *script) run(lines string) {
	for line := range strings.Lines(lines) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if s.sandbox != nil && (word == "with" || word == "groups") {
			s.t.Fatalf("the sandbox has been made before %q", line)
		}
		switch word {
		case "", "#":
		case "with":
			s.options = append(s.options, option(s.t, rest))
		case "groups":
			s.catalogue = parse(s.t, rest)
		case "sleep":
			time.Sleep(duration(s.t, rest))
		case "header":
			name, value, _ := strings.Cut(rest, ":")
			s.header = append(s.header, name, strings.ReplaceAll(strings.TrimSpace(value), "$TOKEN", s.token))
		default:
			s.start()
			switch {
			case word != "as":
				s.request(strings.TrimSpace(line))
			case rest == "nobody":
				s.token = ""
			default:
				s.caller = s.as(rest)
			}
		}
	}
}

// start makes the sandbox, once its options are known.
func (s *script) start() {
	if s.sandbox == nil {
		if s.catalogue == nil {
			s.catalogue = sandbox.Default()
		}
		s.sandbox = sandbox.New(s.catalogue, s.options...)
		s.caller = direct(s.t, s.sandbox)
	}
}

func (s *script) request(line string) {
	request, want, _ := strings.Cut(line, " →")
	method, path, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(path, " ")
	isToken := strings.Contains(path, "/auth/token")
	if isToken && !slices.Contains(s.header, "Content-Type") {
		kind := map[bool]string{true: "json", false: "x-www-form-urlencoded"}[strings.HasPrefix(body, "{")]
		s.header = append(s.header, "Content-Type", "application/"+kind)
	}
	c, began := s.caller, time.Now()
	if isToken || slices.Contains(s.header, "Authorization") {
		c.token = ""
	}
	got := c.do(method, path, body, s.header...)
	s.header = nil
	var whole bytes.Buffer
	fmt.Fprintf(&whole, "after %s\n", time.Since(began))
	_ = got.header.Write(&whole) // to memory
	whole.WriteString(got.body)
	status, wants, _ := strings.Cut(want+" | ", " | ")
	for text := range strings.SplitSeq(strings.TrimSuffix(wants, " | "), " | ") {
		text, isAbsent := strings.CutPrefix(strings.ReplaceAll(text, "$TOKEN", s.token), "!")
		has := strings.Contains(whole.String(), text)
		if !isAbsent && strings.IndexAny(text, "{[") == 0 && json.Valid([]byte(text)) {
			has = ordered(s.t, got.body) == ordered(s.t, text)
		}
		if has == isAbsent || strconv.Itoa(got.status) != strings.TrimSpace(status) {
			s.t.Errorf("%s\nis answered with %d\n%s", line, got.status, &whole)
		}
	}
	s.check(method, path, got)
}

// check fails unless an answer names the sandbox and, if no fault made it, follows the interface.
func (s *script) check(method, path string, got reply) {
	list := s.sandbox.Requests()
	if got.header.Get(sandbox.Header) != "This is a sandbox, not the service." || got.header.Get("X-Request-Id") == "" {
		s.t.Errorf("%s: the header is %v", path, got.header)
	}
	if !strings.HasPrefix(path, "/v1/") || method == http.MethodHead || strings.HasPrefix(list[len(list)-1].Cause, "fault") {
		return
	}
	if code := codes[got.status]; !strings.Contains(path, "/auth/token") {
		got.wants(s.t, got.status, code)
	}
	if got.header.Get("Content-Type") != "application/json" {
		s.t.Errorf("%s has the header %v", path, got.header)
	}
	if got.status >= http.StatusBadRequest {
		expectNone(s.t, path, list[len(list)-1].Route, got)
	}
}

func option(t *testing.T, text string) sandbox.Option {
	t.Helper()
	name, value, _ := strings.Cut(text, " ")
	switch name {
	case "life":
		return sandbox.WithTokenLife(duration(t, value))
	case "allowance":
		allowance, err := sandbox.ParseAllowance(value)
		if err != nil {
			t.Fatal(err)
		}
		return sandbox.WithAllowance(allowance)
	case "hosts":
		return sandbox.WithHosts(value)
	case "own-hosts":
		return sandbox.WithOwnHostsOnly()
	case "authority":
		return sandbox.WithAuthority(value)
	}
	t.Fatalf("unknown option %q", name)
	return nil
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
