package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestRunServesUntilItIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-listen", "127.0.0.1:0", "-token-life", "90s", "-rate-limit", "1"}, write, io.Discard)
		_ = write.Close()
		ended <- err
	}()

	var welcome strings.Builder
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		welcome.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "dockerImage") {
			break
		}
	}
	find := func(pattern string) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(welcome.String())
		if found == nil {
			t.Fatalf("no %s in\n%s", pattern, &welcome)
		}
		return found[1]
	}
	base := find(`export MODELCATALOGUE_BASE_URL=(http://127\.0\.0\.1:\d+)\n`)
	id := find(`export MODELCATALOGUE_CLIENT_ID=(\S+) `)
	secret := find(`MODELCATALOGUE_CLIENT_SECRET=(\S+)\n`)

	ask := func() (int, string) {
		t.Helper()
		response, err := http.PostForm(base+"/v1/auth/token", url.Values{
			"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	if status, body := ask(); status != 200 || !strings.Contains(body, `"expires_in":90`) {
		t.Errorf("got %d %s", status, body)
	}
	limited := false
	for range 10 { // a slow machine may well take a second over one
		status, _ := ask()
		limited = limited || status == http.StatusTooManyRequests
	}
	if !limited {
		t.Error("there is no rate limit")
	}
	response, err := http.Post(find(`curl -X POST (\S+)`), "", strings.NewReader(`{"tags": []}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var published struct{ Revision int }
	if err := json.NewDecoder(response.Body).Decode(&published); err != nil || response.StatusCode != http.StatusCreated || published.Revision != 4 {
		t.Errorf("publishing: %d, revision %d, %v", response.StatusCode, published.Revision, err)
	}

	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not stop")
	}
}

func TestRunRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte("{\n  \"organisations\": [,]\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		arguments []string
		want      string
	}{
		"unknown flag":     {[]string{"-port", "1"}, "flag provided but not defined: -port"},
		"no duration":      {[]string{"-token-life", "5"}, "invalid value \"5\" for flag -token-life"},
		"an argument":      {[]string{"file.json"}, `unexpected argument "file.json"`},
		"negative life":    {[]string{"-token-life", "-1s"}, "-token-life is -1s"},
		"negative limit":   {[]string{"-rate-limit", "-1"}, `"-1" is no number of requests`},
		"unknown counting": {[]string{"-rate-limit", "60/1m:leaky"}, `"leaky" is no kind of counting: it must be fixed, sliding or bucket`},
		"unknown format":   {[]string{"-token-format", "xml"}, "it must be one of [form json any]"},
		"unknown refusal":  {[]string{"-token-refusal", "400"}, "it must be one of [415 invalid_request unsupported_grant_type]"},
		"no such file":     {[]string{"-catalogue", "nope.json"}, "open nope.json: no such file"},
		"invalid file":     {[]string{"-catalogue", bad}, "bad.json: line 2, column 22: organisations[0]: invalid character ','"},
		"address taken":    {[]string{"-listen", taken.Addr().String()}, "address already in use"},
		"no address":       {[]string{"-listen", "here"}, "missing port"},
		"usage, not wrong": {[]string{"-h"}, "-catalogue file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			err := run(t.Context(), test.arguments, &stdout, &stderr)
			if (err == nil) != (test.arguments[0] == "-h") {
				t.Errorf("the error is %v", err)
			}
			said := stderr.String()
			if err != nil && !errors.Is(err, errUsage) {
				said += err.Error()
			}
			if !strings.Contains(said, test.want) || stdout.Len() > 0 {
				t.Errorf("it says %q and %q, want %q", &stdout, said, test.want)
			}
		})
	}
}

func TestWelcome(t *testing.T) {
	catalogue, err := sandbox.ParseCatalogue(strings.NewReader(`{"organisations": [
		{"name": "Gone", "clientId": "gone", "clientSecret": "s", "disabled": "Unpaid."},
		{"name": "Not let", "clientId": "f", "clientSecret": "s", "forbidden": true},
		{"name": "Reader", "clientId": "reader", "clientSecret": "s"},
		{"name": "Owner", "clientId": "own", "clientSecret": "it's $1"}
	], "modelGroups": [{"owner": "Gone", "group": {"id": "x"}}, {"owner": "Owner", "group": {"id": "a/b"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := writeWelcome(&text, &net.TCPAddr{IP: net.IPv6unspecified, Port: 80}, catalogue); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(` {2,}`).ReplaceAllString(text.String(), "|")
	for _, want := range []string{
		"export MODELCATALOGUE_BASE_URL=http://127.0.0.1:80\n",
		"Gone|disabled: Unpaid.|gone|s\n",
		"Not let|forbidden|f|s\n",
		"Reader|owns none|reader|s\n",
		"Owner|owner of 1 group|own|it's $1\n",
		`MODELCATALOGUE_CLIENT_ID=own MODELCATALOGUE_CLIENT_SECRET='it'\''s $1'` + "\n",
		"`make install`",
		"/control/model-groups/a%2Fb/publish",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
