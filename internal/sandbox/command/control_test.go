package command

import (
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
		{arguments: []string{"load", "../catalogue.json"}},
		{arguments: []string{"reset"}},
	}
	var done []string
	for _, step := range steps {
		name, rest := step.arguments[0], step.arguments[1:]
		done = append(done, name)
		stdout, stderr, err := commanded(t, append([]string{name, "-url=" + s.URL}, rest...)...)
		if err != nil || stderr != "" || !strings.Contains(stdout, step.prints) || step.prints == "" && stdout != "" {
			t.Errorf("%s: %v, %q, %q; want %q", step.arguments, err, stdout, stderr, step.prints)
		}
	}
	for _, c := range sandbox.Controls() {
		if c.Command != "" && !slices.Contains(done, c.Command) {
			t.Errorf("%s is not tested", c.Command)
		}
	}
}

func TestControlCommandsTakeTheProvidersVariable(t *testing.T) {
	s := startServing(t)
	t.Setenv("MODELCATALOGUE_BASE_URL", s.URL+"/")
	if stdout, _, err := commanded(t, "requests"); err != nil || stdout != "[]\n" {
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
	_, _, err := commanded(t, "publish", "-url="+service.URL, group)
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
		"unknown group": {arguments: []string{"publish", "-url=" + s.URL, "nope"}, want: `No such model group: "nope".`},
		"too few":       {arguments: []string{"archive", group}, want: "REVISION is missing"},
		"usage":         {arguments: []string{"publish"}, want: "Usage: sandbox publish [-url URL] GROUP [FIELDS]"},
		"none at all":   {arguments: []string{"publish"}, want: "GROUP is missing"},
		"too many":      {arguments: []string{"revoke-tokens", "all"}, want: `unexpected argument "all"`},
		"no revision": {
			arguments: []string{"republish", group, "latest"},
			want:      `"latest" is no revision: a whole number from 0 on is expected (GROUP comes before REVISION)`,
		},
		"nobody there": {
			arguments: []string{"faults", "-url=http://127.0.0.1:1"},
			want:      "no sandbox answers at http://127.0.0.1:1 (connection refused). Start one with",
		},
		"no scheme": {
			arguments: []string{"faults", "-url=127.0.0.1:28752"},
			want:      `-url is "127.0.0.1:28752": an address such as http://127.0.0.1:8080 is expected`,
		},
		"no URL":             {arguments: []string{"faults", "-url=:"}, want: `-url is ":"`},
		"unknown flag":       {arguments: []string{"faults", "-all"}, want: "there is no flag -all"},
		"argument of no use": {arguments: []string{"schema", "all"}, want: `unexpected argument "all"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, said, err := commanded(t, test.arguments...)
			if err != nil {
				said += err.Error()
			}
			if err == nil || !strings.Contains(said, test.want) {
				t.Errorf("it says %q (%v), want %q", said, err, test.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	short, _, err := commanded(t, "-h")
	if err != nil {
		t.Fatal(err)
	}
	if long, _, err := commanded(t, "help"); err != nil || long != short {
		t.Errorf("help says other than -h: %v\n%s", err, long)
	}
	new(settings).flags("sandbox").VisitAll(func(f *flag.Flag) {
		if !strings.Contains(short, "\n  -"+f.Name) {
			t.Errorf("help lacks -%s", f.Name)
		}
	})
	for _, c := range commands() {
		if !strings.Contains(short, "\n  "+c.name+" ") {
			t.Errorf("help lacks %s", c.name)
		}
	}
	for _, topic := range topicNames() {
		text, _, err := commanded(t, "help", topic)
		if err != nil || text == "" || strings.Contains(text, "PROGRAM") || !strings.Contains(short, topic) {
			t.Errorf("help %s: %v\n%s", topic, err, text)
		}
	}
}

func TestPrints(t *testing.T) {
	for arguments, want := range map[string]string{
		"-version":  "sandbox" + " 1.2.3\n",
		"--version": "sandbox" + " 1.2.3\n",
		"version":   "sandbox" + " 1.2.3\n",
		"openapi":   `"openapi": "3.1.0"`,
		"schema":    `"title": "Catalogue of the model catalogue's sandbox"`,
		"catalogue": `"clientSecret": "northwind-sandbox-secret"`,
	} {
		if got, _, err := commanded(t, arguments); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %s", arguments, err, got)
		}
	}
}
