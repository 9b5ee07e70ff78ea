package provider

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

func TestParseLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pace.Limit{
		"60/1m":       {Requests: 60, Per: time.Minute},
		"1/2s":        {Requests: 1, Per: 2 * time.Second},
		"10/1m30s":    {Requests: 10, Per: 90 * time.Second},
		"1000000/24h": {Requests: 1_000_000, Per: 24 * time.Hour},
		"1/1ms":       {Requests: 1, Per: time.Millisecond},
	} {
		got, err := parseLimit(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if again, err := parseLimit(got.String()); err != nil || again != want {
			t.Errorf("%s is spelled %s: %v", text, got, err)
		}
	}
	const form = `; write so many requests in such a time, such as "60/1m" or "1/2s"`
	for text, want := range map[string]string{
		"5":         `"5" is not a limit` + form,
		"0.5":       `"0.5" is not a limit` + form,
		"60 per 1m": `"60 per 1m" is not a limit` + form,
		"/1m":       `"" before the slash is not a whole number` + form,
		"1.5/1m":    `"1.5" before the slash is not a whole number` + form,
		"many/1m":   `"many" before the slash is not a whole number` + form,
		"60 / 1m":   `"60 " before the slash is not a whole number` + form,
		"60/":       `"" behind the slash is not a duration` + form,
		"60/60":     `"60" behind the slash is not a duration` + form,
		"60/1m/2":   `"1m/2" behind the slash is not a duration` + form,
		"60/minute": `"minute" behind the slash is not a duration` + form,
		"60/m":      `the time "m" has no number; write "60/1m"`,
		"5/s":       `the time "s" has no number; write "5/1s"`,
		"0/1m":      "the number of requests must be from 1 to 1000000, not 0; leave the argument out for no ceiling",
		"-1/1m":     "the number of requests must be from 1 to 1000000, not -1; leave the argument out for no ceiling",
		"1000001/1m": "the number of requests must be from 1 to 1000000, not 1000001; leave the argument out for no " +
			"ceiling",
		"99999999999999999999/1m": "the number of requests must be from 1 to 1000000, not 99999999999999999999; leave the argument " +
			"out for no ceiling",
		"60/0s":   "the time must be from 1ms to 24h, not 0s; leave the argument out for no ceiling",
		"60/-1m":  "the time must be from 1ms to 24h, not -1m; leave the argument out for no ceiling",
		"60/25h":  "the time must be from 1ms to 24h, not 25h; leave the argument out for no ceiling",
		"60/10us": "the time must be from 1ms to 24h, not 10us; leave the argument out for no ceiling",
	} {
		if got, err := parseLimit(text); err == nil || err.Error() != want || got != (pace.Limit{}) {
			t.Errorf("%s: %v, %v\nwant %s", text, got, err, want)
		}
	}
}

// TestTheProxyThatApplies has which variable counts for which base_url, and what
// is no address of a proxy. No message has the value, which may hold a password.
func TestTheProxyThatApplies(t *testing.T) {
	t.Parallel()
	const malformed = "it is not the address of a proxy, such as http://proxy.example:8080."
	base := "https://catalogue.example"
	set := func(value string) []string { return []string{"HTTPS_PROXY=" + value} }
	for name, test := range map[string]struct {
		base        string
		environment []string
		want        proxy
		problem     string // a fragment
	}{
		"none":           {base: base},
		"capitals":       {base: base, environment: set("http://p.example:3128"), want: proxy{"http://p.example:3128", "HTTPS_PROXY"}},
		"small letters":  {base: base, environment: []string{"https_proxy=p.example:3128"}, want: proxy{"http://p.example:3128", "https_proxy"}},
		"capitals first": {base: base, environment: []string{"https_proxy=:", "HTTPS_PROXY=https://p"}, want: proxy{"https://p", "HTTPS_PROXY"}},
		"with a password": {
			base: base, environment: set("http://joe:p%23ss@p.example:3128/"), want: proxy{"http://p.example:3128", "HTTPS_PROXY"},
		},
		"SOCKS":      {base: base, environment: set("socks5://[::1]:1080"), want: proxy{"socks5://[::1]:1080", "HTTPS_PROXY"}},
		"HTTP_PROXY": {base: base, environment: []string{"HTTP_PROXY=http:"}},
		"NO_PROXY":   {base: base, environment: []string{"HTTPS_PROXY=http:", "NO_PROXY=.other.example,catalogue.example"}},
		"no_proxy":   {base: base, environment: []string{"HTTPS_PROXY=http:", "no_proxy=*"}},
		"loopback":   {base: "http://localhost:8080", environment: []string{"HTTPS_PROXY=http:", "HTTP_PROXY=http:"}},
		"loopback, https": {
			base: "https://127.0.0.1:8443", environment: set("http:"),
		},
		"NO_PROXY of another": {base: base, environment: []string{"HTTPS_PROXY=http:", "NO_PROXY=other.example"}, problem: malformed},
		"no host":             {base: base, environment: []string{"https_proxy=http://"}, problem: "https_proxy is set, and " + malformed},
		"quotes":              {base: base, environment: set(`"http://p.example:3128"`), problem: "HTTPS_PROXY has quotes around its value"},
		"# in a password":     {base: base, environment: set("http://joe:p#hunter2@p.example:3128"), problem: "%XX, such as %23 for #."},
		"# behind digits":     {base: base, environment: set("http://joe:12#hunter2@p.example:3128"), problem: malformed},
		"/ in a password":     {base: base, environment: set("http://joe:12/hunter2@p.example:3128"), problem: malformed},
		"% in a password":     {base: base, environment: set("http://joe:hunter2%rd@p.example:3128"), problem: malformed},
		"another scheme":      {base: base, environment: set("ftp://p.example"), problem: malformed},
		"a port that is none": {base: base, environment: set("http://p.example:99999"), problem: malformed},
		"white space":         {base: base, environment: set("http://p.example :3128"), problem: malformed},
		"a placeholder":       {base: base, environment: set("${PROXY}"), problem: malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := complete()
			c.BaseURL = types.StringValue(test.base)
			got, problems := c.settings(environmentOf(test.environment))
			if test.problem == "" && (len(problems) > 0 || got.proxy != test.want) {
				t.Errorf("%+v, %+v; want %+v", got.proxy, problems, test.want)
			}
			if test.problem == "" {
				return
			}
			if len(problems) != 1 || problems[0].argument != "" || problems[0].summary != summaryInvalidProxy {
				t.Fatalf("%+v", problems)
			}
			if detail := problems[0].detail; !strings.Contains(detail, test.problem) || strings.Contains(detail, "hunter2") ||
				strings.Contains(detail, "p.example:3128") {
				t.Errorf("%s, want one with %q", detail, test.problem)
			}
		})
	}
}

func TestWhatIsAppendedToTheUserAgentIsCleaned(t *testing.T) {
	t.Parallel()
	for appended, want := range map[string]string{
		"":                         "",
		"ci/1.2 (a b)":             " ci/1.2 (a b)",
		"ci/1\r\nX-Injected: yes":  " ci/1 X-Injected: yes",
		"\n":                       "",
		"a\tb\x00c\x7fd\u0085e\n ": " a b c d e",
	} {
		got := userAgent("1.0", environmentOf([]string{"TF_APPEND_USER_AGENT=" + appended}))
		if got != "terraform-provider-modelcatalogue/1.0"+want {
			t.Errorf("%q: %q", appended, got)
		}
	}
}

// TestTheConfigurationIsLogged compares the line word for word: what it came to,
// where each value came from, and nothing of a credential.
func TestTheConfigurationIsLogged(t *testing.T) {
	t.Parallel()
	none := configuration{}
	withToken := configuration{AccessToken: types.StringValue("hunter2"), MaxRequests: types.StringUnknown()}
	for name, test := range map[string]struct {
		config      configuration
		environment []string
		want        []string
	}{
		"the environment": {
			config: none,
			environment: []string{
				"MODELCATALOGUE_BASE_URL=https://catalogue.example/a", "MODELCATALOGUE_CLIENT_ID=hunter2",
				"MODELCATALOGUE_CLIENT_SECRET=hunter2", "MODELCATALOGUE_MAX_RETRIES=7", "MODELCATALOGUE_MAX_REQUESTS=60/1m",
				"MODELCATALOGUE_MAX_RETRY=hunter2", "https_proxy=http://joe:hunter2@p.example:3128",
			},
			want: []string{
				"base_url https://catalogue.example/a from MODELCATALOGUE_BASE_URL", "client_id from MODELCATALOGUE_CLIENT_ID",
				"client_secret from MODELCATALOGUE_CLIENT_SECRET", "request_timeout 30s by default", "read_timeout 5m0s by default",
				"max_retries 7 from MODELCATALOGUE_MAX_RETRIES", "max_requests 60/1m from MODELCATALOGUE_MAX_REQUESTS",
				"snapshot true by default", "proxy http://p.example:3128 from https_proxy", "not read: MODELCATALOGUE_MAX_RETRY", "provider 1.0",
			},
		},
		"the block": {
			config: complete(), environment: []string{"MODELCATALOGUE_CLIENT_SECRET=hunter2"},
			want: []string{
				"base_url https://catalogue.example from the provider block", "client_id from the provider block",
				"client_secret from the provider block (not from MODELCATALOGUE_CLIENT_SECRET)", "request_timeout 30s by default",
				"read_timeout 5m0s by default", "max_retries 4 by default", "no max_requests",
				"snapshot true by default", "no proxy", "provider 1.0",
			},
		},
		"not known yet": {
			config: withToken,
			environment: []string{
				"MODELCATALOGUE_BASE_URL=https://catalogue.example", "MODELCATALOGUE_CLIENT_ID=hunter2", "MODELCATALOGUE_SNAPSHOT=false",
			},
			want: []string{
				"base_url https://catalogue.example from MODELCATALOGUE_BASE_URL",
				"access_token from the provider block (not from MODELCATALOGUE_CLIENT_ID)", "request_timeout 30s by default",
				"read_timeout 5m0s by default", "max_retries 4 by default", "max_requests not known yet",
				"snapshot false from MODELCATALOGUE_SNAPSHOT", "no proxy", "provider 1.0",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, problems := test.config.settings(environmentOf(test.environment))
			if got := configuredParts(s, "1.0"); len(problems) > 0 || !slices.Equal(got, test.want) {
				t.Errorf("%+v\n%s\nwant\n%s", problems, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}
