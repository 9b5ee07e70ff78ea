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
	steps := []struct{ command, prints string }{
		{`publish|MAIN|{"dockerImage": "registry.example/model:2"}`, `"dockerImage": "registry.example/model:2"`},
		{`publish|MAIN`, `"revision": 5`},
		{`republish|MAIN|4|{"dockerImage": "registry.example/model:3"}`, `"revision": 4`},
		{`archive|MAIN|5`, `"archived": true`},
		{`unarchive|MAIN|5`, `"archived": false`},
		{`disable|MAIN|5`, `"enabled": false`},
		{`enable|MAIN|5`, `"enabled": true`},
		{`publish|emea/power?v=1#β %41`, `"modelGroupId": "emea/power?v=1#β %41"`},
		{`disable-organisation|northwind|Not "paid".`, ""},
		{`enable-organisation|Northwind Forecasting`, ""},
		{`revoke-tokens`, ""},
		{`fault|{"route": "token", "drop": true}`, `"id": 1`},
		{`fault|{"route": "token", "status": 500}`, `"id": 2`},
		{`remove-fault|1`, ""},
		{`faults`, `"hits": 0`},
		{`clear-faults`, ""},
		{`faults`, "[]\n"},
		{`requests`, "[]\n"},
		{`clear-requests`, ""},
		{`load|../catalogue.json`, ""},
		{`reset`, ""},
	}
	isDone := map[string]bool{"": true} // routes without a command
	for _, step := range steps {
		arguments := strings.Split(strings.ReplaceAll(step.command, "MAIN", group), "|")
		isDone[arguments[0]] = true
		stdout, stderr, err := commanded(t, slices.Insert(arguments, 1, "-url="+s.URL)...)
		if err != nil || stderr != "" || !strings.Contains(stdout, step.prints) || step.prints == "" && stdout != "" {
			t.Errorf("%s: %v, %q, %q; want %q", step.command, err, stdout, stderr, step.prints)
		}
	}
	for _, c := range sandbox.Controls() {
		if !isDone[c.Command] {
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
