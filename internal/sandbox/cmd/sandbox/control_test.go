package main

import (
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const group = sandbox.MainGroup

// Each command does what the control route does; the routes are tested in the
// sandbox's package.
func TestControlCommands(t *testing.T) {
	s := startServing(t)
	steps := []struct {
		arguments []string
		prints    string
	}{
		{
			arguments: []string{"publish", group, `{"dockerImage": "registry.example/model:2"}`},
			prints:    `"dockerImage": "registry.example/model:2"`,
		},
		{arguments: []string{"publish", group}, prints: `"revision": 5`},
		{arguments: []string{"republish", group, "4", `{"dockerImage": "registry.example/model:3"}`}, prints: `"revision": 4`},
		{arguments: []string{"archive", group, "5"}, prints: `"archived": true`},
		{arguments: []string{"unarchive", group, "5"}, prints: `"archived": false`},
		{arguments: []string{"disable", group, "5"}, prints: `"enabled": false`},
		{arguments: []string{"enable", group, "5"}, prints: `"enabled": true`},
		{arguments: []string{"publish", "emea/power?v=1#β %41"}, prints: `"modelGroupId": "emea/power?v=1#β %41"`},
		{arguments: []string{"disable-organisation", "northwind", `Not "paid".`}},
		{arguments: []string{"enable-organisation", "Northwind Forecasting"}},
		{arguments: []string{"revoke-tokens"}},
		{arguments: []string{"fault", `{"route": "token", "drop": true}`}, prints: `"id": 1`},
		{arguments: []string{"fault", `{"route": "token", "status": 500}`}, prints: `"id": 2`},
		{arguments: []string{"remove-fault", "1"}},
		{arguments: []string{"faults"}, prints: `"hits": 0`},
		{arguments: []string{"clear-faults"}},
		{arguments: []string{"faults"}, prints: "[]\n"},
		{arguments: []string{"requests"}, prints: "[]\n"},
		{arguments: []string{"clear-requests"}},
	}
	var done []string
	for _, step := range steps {
		name, rest := step.arguments[0], step.arguments[1:]
		done = append(done, name)
		stdout, stderr, err := command(t, append([]string{name, "-url=" + s.URL}, rest...)...)
		if err != nil || stderr != "" || !strings.Contains(stdout, step.prints) || step.prints == "" && stdout != "" {
			t.Errorf("%s: %v, %q, %q; want %q", step.arguments, err, stdout, stderr, step.prints)
		}
	}
	for _, c := range controlCommands {
		if !slices.Contains(done, c.name) {
			t.Errorf("%s is not tested", c.name)
		}
	}
}

func TestControlCommandsTakeTheProvidersVariable(t *testing.T) {
	s := startServing(t)
	t.Setenv("MODELCATALOGUE_BASE_URL", s.URL+"/")
	if stdout, _, err := command(t, "requests"); err != nil || stdout != "[]\n" {
		t.Errorf("%q, %v", stdout, err)
	}
}

// The variable may name a real service.
func TestControlCommandsSpareOthers(t *testing.T) {
	var asked []string
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
	}))
	defer service.Close()
	_, _, err := command(t, "publish", "-url="+service.URL, group)
	if err == nil || !strings.Contains(err.Error(), service.URL+" is no sandbox") {
		t.Errorf("the error is %v", err)
	}
	if !slices.Equal(asked, []string{"GET /control/ready"}) {
		t.Errorf("it was asked %q", asked)
	}
}

func TestControlCommandsRefuse(t *testing.T) {
	s := startServing(t)
	tests := map[string]struct {
		arguments []string
		want      string
	}{
		"what the sandbox refuses": {
			arguments: []string{"publish", "-url=" + s.URL, group, `{"docker_image": 1}`},
			want:      "line 1, column 2: docker_image: there is no such field; did you mean dockerImage?",
		},
		"unknown group":      {arguments: []string{"publish", "-url=" + s.URL, "nope"}, want: `no such model group: "nope"`},
		"too few":            {arguments: []string{"archive", group}, want: "archive [-url URL] GROUP REVISION"},
		"too many":           {arguments: []string{"revoke-tokens", "all"}, want: "revoke-tokens [-url URL]"},
		"nobody there":       {arguments: []string{"faults", "-url=http://127.0.0.1:1"}, want: "no sandbox answers"},
		"no URL":             {arguments: []string{"faults", "-url=:"}, want: `-url is ":"`},
		"unknown flag":       {arguments: []string{"faults", "-all"}, want: "flag provided but not defined: -all"},
		"argument of no use": {arguments: []string{"schema", "all"}, want: `unexpected argument "all"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, said, err := command(t, test.arguments...)
			if err != nil && !errors.Is(err, errUsage) {
				said += err.Error()
			}
			if err == nil || !strings.Contains(said, test.want) {
				t.Errorf("it says %q (%v), want %q", said, err, test.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	short, _, err := command(t, "-h")
	if err != nil {
		t.Fatal(err)
	}
	if long, _, err := command(t, "help"); err != nil || long != short {
		t.Errorf("help says other than -h: %v\n%s", err, long)
	}
	serveFlags(new(settings)).VisitAll(func(f *flag.Flag) {
		if !strings.Contains(short, "\n  -"+f.Name) {
			t.Errorf("help lacks -%s", f.Name)
		}
	})
	for _, c := range controlCommands {
		if !strings.Contains(short, "\n  "+c.name+" ") {
			t.Errorf("help lacks %s", c.name)
		}
	}
	for name := range localCommands {
		if name != "help" && !strings.Contains(short, "\n  "+name+" ") {
			t.Errorf("help lacks %s", name)
		}
	}
	for topic := range topics {
		text, _, err := command(t, "help", topic)
		if err != nil || text == "" || strings.Contains(text, "PROGRAM") || !strings.Contains(short, topic) {
			t.Errorf("help %s: %v\n%s", topic, err, text)
		}
	}
}

func TestPrints(t *testing.T) {
	version = "1.2.3"
	t.Cleanup(func() { version = "" })
	for arguments, want := range map[string]string{
		"-version":  programName() + " 1.2.3\n",
		"--version": programName() + " 1.2.3\n",
		"version":   programName() + " 1.2.3\n",
		"schema":    `"title": "Catalogue of the model catalogue's sandbox"`,
		"catalogue": `"clientSecret": "northwind-sandbox-secret"`,
	} {
		if got, _, err := command(t, arguments); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %s", arguments, err, got)
		}
	}
}
