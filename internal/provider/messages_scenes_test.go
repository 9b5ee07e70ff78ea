package provider

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// dataSourceScenes returns the scenes of testdata/blocks.txt, which explains its lines.
func dataSourceScenes() []scene {
	text, err := os.ReadFile("testdata/blocks.txt")
	if err != nil {
		panic(err)
	}
	names := strings.NewReplacer("\n  ", " ", "$MAIN", mainGroup, "$ODD", oddGroup, "$SPARSE", sparseGroup, "$EMPTY", emptyGroup,
		"$HYDRO", hydroGroup, "$IMAGE", firstImage, "$DIGEST", sha256Digest, "$LONG", strings.Repeat("n", 3000))
	var scenes []scene
	for _, part := range strings.Split(names.Replace(string(text)), "\n== ")[1:] {
		title, lines, _ := strings.Cut(part, "\n")
		scenes = append(scenes, written(title, lines))
	}
	return scenes
}

// written returns the scene of some lines.
func written(title, lines string) scene {
	var (
		more   arguments
		faults []sandbox.Fault
		blocks []reading // to validate only
		reads  []reading
	)
	for line := range strings.Lines(lines) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, last, _ := strings.Cut(rest, " ")
		switch word {
		case "":
		case "validate":
			blocks = append(blocks, reading{first, fromJSON[arguments](last)})
		case "provider":
			more = fromJSON[arguments](rest)
		case "header":
			faults[len(faults)-1].Header[http.CanonicalHeaderKey(strings.TrimSuffix(first, ":"))] = []string{last}
		case "times":
			faults[len(faults)-1].Times, _ = strconv.Atoi(rest)
		case "answer", "refuse", "respell", "hang", "drop", "cut":
			faults = append(faults, injected(word, sandbox.Route(first), last))
		default:
			reads = append(reads, reading{word, fromJSON[arguments](rest)})
		}
	}
	if blocks != nil {
		return validated(title, blocks)
	}
	return played(title, faulty(faults...), more, reads...)
}

// injected returns the fault of a line.
func injected(word string, route sandbox.Route, rest string) sandbox.Fault {
	first, last, _ := strings.Cut(rest, " ")
	fault := sandbox.Fault{Route: route, Header: http.Header{}}
	switch word {
	case "refuse":
		return sandbox.Refuse(route, first, last)
	case "respell":
		return respell(route, fromJSON[[]string](rest)...)
	case "answer":
		fault.Status, _ = strconv.Atoi(first)
		fault.Body = last
	case "hang":
		fault.Hang = true
	case "drop":
		fault.Drop = true
	case "cut":
		fault.Cut = "json"
	}
	return fault
}

// fromJSON returns the value of a text, or the zero value of an empty one.
func fromJSON[T any](text string) (value T) {
	if err := json.Unmarshal([]byte(text), &value); err != nil && text != "" {
		panic(err)
	}
	return value
}

// played returns a scene of reads from a service, one after another on a fake clock.
func played(title string, service func(*testing.T) http.Handler, more arguments, reads ...reading) scene {
	through := func(t *testing.T, front func(http.Handler) http.Handler, headers map[string]any) []*tfprotov6.Diagnostic {
		t.Helper()
		var diagnostics []*tfprotov6.Diagnostic
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(27 * 365 * day) // the sandbox's revisions are of 2025 and 2026
			given := more
			if headers != nil {
				given = more.with(argHeaders, headers)
			}
			for _, a := range inMemory(t, front(service(t)), given).readAll(t, 1, reads) {
				diagnostics = append(diagnostics, a.diagnostics...)
			}
		})
		return diagnostics
	}
	return scene{title, func(t *testing.T) []*tfprotov6.Diagnostic { return through(t, asItIs, nil) }, through}
}

// asItIs stands in front of a service and changes nothing.
func asItIs(service http.Handler) http.Handler { return service }

// oneGroup is any block.
var oneGroup = reading{"model_group", arguments{"id": mainGroup}}

// faulty returns a sandbox of the default catalogue with faults.
func faulty(faults ...sandbox.Fault) func(*testing.T) http.Handler {
	return func(*testing.T) http.Handler {
		service := sandbox.New(sandbox.Default())
		for _, fault := range faults {
			service.Inject(fault)
		}
		return service
	}
}

// configured returns a scene of `validate` on the provider block.
func configured(title string, more arguments) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		return validateProvider(t, northwind("https://catalogue.example").merge(more))
	}}
}

// validated returns a scene of `validate` on data sources.
func validated(title string, blocks []reading) scene {
	return scene{title: title, play: func(t *testing.T) (diagnostics []*tfprotov6.Diagnostic) {
		e := &engine{server: newServer(&catalogueProvider{version: "test"})}
		for _, block := range blocks {
			diagnostics = append(diagnostics, e.validate(t, block.name, block.config)...)
		}
		return diagnostics
	}}
}

// oneRequestID gives every request of a fleet the same id: the requests arrive in any order.
var oneRequestID = sandbox.Fault{
	Route: sandbox.RouteLatest,
	Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		header.Set("X-Request-Id", "any")
		return status, header, body
	},
}

// republishedService returns a service with a revision re-published in place.
func republishedService(t *testing.T) http.Handler {
	t.Helper()
	service := sandbox.New(sandbox.Default())
	const changes = `{"dockerImage": "app:2", "updatedAt": "2026-01-02T03:04:05Z"}`
	if _, err := service.Republish(mainGroup, 0, []byte(changes)); err != nil {
		t.Fatal(err)
	}
	return service
}

// manyRevisions returns a service with two groups of more than twenty revisions.
func manyRevisions(t *testing.T) http.Handler {
	t.Helper()
	service := sandbox.New(sandbox.Default())
	for i := range 40 {
		if _, err := service.Publish([]string{mainGroup, oddGroup}[i%2], []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	return service
}

// serviceScenes returns scenes beyond the lines of testdata/blocks.txt.
func serviceScenes() []scene {
	return []scene{
		played(
			"an image of a revision that was re-published",
			republishedService,
			nil,
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": "app:1"}},
		),
		manyPins(),
		played(
			"missing revisions, of groups with many",
			manyRevisions,
			nil,
			reading{"pinned_models", arguments{"revisions": map[string]any{mainGroup: 501, oddGroup: 501}}},
		),
		played(
			"several causes of a fleet",
			failingFleet,
			nil,
			reading{"latest_models", arguments{"model_group_ids": append(idsOf(16), "nowhere")}},
		),
		played(
			"a service that is down for a fleet",
			func(t *testing.T) http.Handler {
				t.Helper()
				service := sandbox.New(manyGroups(t, 40))
				service.Inject(sandbox.Fault{
					Route:  sandbox.RouteLatest,
					Status: 503,
					Header: http.Header{"X-Request-Id": {"any"}},
					Delay:  sec,
				})
				return service
			},
			arguments{argMaxRetries: 1},
			reading{"latest_models", nil},
		),
	}
}
