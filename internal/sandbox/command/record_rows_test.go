package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// TestRecordOddServices runs the lines of testdata/record.txt and testdata/strict.txt. The former describes their form.
func TestRecordOddServices(t *testing.T) {
	file, err := os.Open("testdata/strict.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	strict, err := sandbox.ReadCatalogue(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, catalogue := range map[string]*sandbox.Catalogue{
		"testdata/record.txt": sandboxtest.ManyGroups(t, 1),
		"testdata/strict.txt": strict,
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		names := strings.NewReplacer("\n  ", " ", "$GROUP", sandboxtest.GroupID(0), "$SECRET", secret, "$BYTE", "\xe9")
		failing := 0
		for line := range strings.Lines(names.Replace(string(text))) {
			change, wants, isRow := strings.Cut(strings.TrimSuffix(line, "\n"), " → ")
			if !isRow || line[0] == '#' {
				continue
			}
			failing += strings.Count(wants, "fails")
			withCredentials(t)
			change, isOther := strings.CutPrefix(change, "other ")
			if isOther {
				t.Setenv("MODELCATALOGUE_CLIENT_ID", "contoso")
				t.Setenv("MODELCATALOGUE_CLIENT_SECRET", "contoso-sandbox-secret")
			}
			inBubble(t, line, func(t *testing.T) {
				service := sandbox.New(catalogue)
				changed := misbehave(service, change)
				got := recordFrom(t, service, catalogue == strict)
				got.expect(t, strings.Split(wants, " | "), service.Count(sandbox.RouteAny))
				if *changed == 0 {
					t.Error("no answer is changed")
				}
			})
		}
		if failing < 20 || catalogue == strict && failing < 60 {
			t.Errorf("%s has only %d lines about failures", name, failing)
		}
	}
}

// expect fails unless the recording ends like the first of wants and contains the others.
func (r recorded) expect(t *testing.T, wants []string, requests int) {
	t.Helper()
	end := fmt.Sprintf("%s, %d requests", r.took, requests)
	if r.err != nil {
		end = "fails, " + end
	}
	if !strings.HasPrefix(end, wants[0]) || (r.err == nil) != (r.text != "") {
		t.Errorf("ends: %s and %d bytes, %v\n%s", end, len(r.text), r.err, r.said)
	}
	said := fmt.Sprint(r.said, r.text, r.err)
	for _, want := range wants[1:] {
		wanted, isAbsent := strings.CutPrefix(want, "!")
		if strings.Contains(said, wanted) == isAbsent {
			t.Errorf("says %s\nwant %s", said, want)
		}
	}
}

// inBubble runs a test with a fake clock.
func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// misbehave changes the answers of a service, and returns the count of changed ones.
func misbehave(service *sandbox.Sandbox, change string) *int {
	changed := new(int)
	if change[0] == '{' {
		*changed = 1
		order := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/control/faults", strings.NewReader(change))
		service.ServeHTTP(httptest.NewRecorder(), order)
		return changed
	}
	routes, texts, _ := strings.Cut(change, " ")
	was, is, _ := strings.Cut(texts, " > ")
	for route := range strings.SplitSeq(routes, ",") {
		route, key, isFilter := strings.Cut(route, "?")
		query := ""
		service.Inject(sandbox.Fault{
			Route:     sandbox.Route(route),
			OnRequest: func(r *http.Request) { query = r.URL.Query().Get("timeHorizon") },
			Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
				records := recordsOf(body)
				is := records.Replace(is)
				var after string
				switch {
				case isFilter && query != key:
					return status, header, body
				case was == "*":
					status, after = http.StatusOK, is
				default:
					after = strings.Replace(string(body), records.Replace(was), is, 1)
				}
				if after != string(body) || was == is {
					*changed++
				}
				return status, header, []byte(after)
			},
		})
	}
	return changed
}

// recordsOf replaces the names of the records of a list, and of the list in the opposite order.
func recordsOf(body []byte) *strings.Replacer {
	var list []json.RawMessage
	_ = json.Unmarshal(body, &list) // another body has no records
	var names []string
	for _, raw := range list {
		names = append(names, "$"+strings.ToUpper(recordOf([]byte(raw)).ID), string(raw))
	}
	slices.Reverse(list)
	reversed, _ := json.Marshal(list)
	return strings.NewReplacer(append(names, "$REVERSED", string(reversed))...)
}

// TestAServiceThatMoves publishes while it is read, on each route, or loses a group: neither is a departure.
func TestAServiceThatMoves(t *testing.T) {
	withCredentials(t)
	for _, route := range []sandbox.Route{sandbox.RouteModels, sandbox.RouteGroup, sandbox.RouteLatest} {
		inBubble(t, "it publishes", func(t *testing.T) {
			service := sandbox.New(sandbox.Default())
			service.Inject(sandbox.Fault{Route: route, Times: 1, OnRequest: func(*http.Request) {
				if _, err := service.Publish(group, nil); err != nil {
					t.Error(err)
				}
			}})
			got := recordFrom(t, service, true)
			if got.err != nil || !strings.Contains(got.text, `"latestRevision": 4`) || service.Count(route) != 9 {
				t.Errorf("%s: %d requests, %v\n%s", route, service.Count(route), got.err, got.said)
			}
		})
	}
	inBubble(t, "it loses a group", func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		misbehave(service, `{"path": "/v1/model-group/`+group+`/models", "code": "NOT_FOUND"}`)
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Skip: 1, Times: 1, Status: 200, Body: `[]`})
		got := recordFrom(t, service, false)
		if got.err != nil || strings.Contains(got.text, group) || !strings.Contains(got.said, group+`" is left out, because it is gone`) {
			t.Errorf("%v\n%s", got.err, got.said)
		}
	})
}
