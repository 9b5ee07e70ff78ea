package provider

import (
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://catalogue.example.com":           "https://catalogue.example.com",
		"https://catalogue.example.com/":          "https://catalogue.example.com",
		"HTTPS://catalogue.example.com:8443/a/b/": "https://catalogue.example.com:8443/a/b",
		"https://catalogue.example.com/a%2Fb/":    "https://catalogue.example.com/a%2Fb",
		"http://localhost:8080":                   "http://localhost:8080",
		"http://127.0.0.7/x//":                    "http://127.0.0.7/x",
		"http://[::1]:8080/":                      "http://[::1]:8080",
		"https://catalogue.example.com/v1/eu":     "https://catalogue.example.com/v1/eu",
		"https://catalogue.example.com/v10":       "https://catalogue.example.com/v10",
	} {
		got, err := parseBaseURL(text)
		if err != nil || got.String() != want {
			t.Errorf("%s: %v, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                                     "starts with https://",
		"catalogue.example.com":                "starts with https://",
		"//catalogue.example.com":              "starts with https://",
		"/v1":                                  "starts with https://",
		"ftp://catalogue.example.com":          "starts with https://",
		"https:catalogue.example.com":          "starts with https://",
		"https://":                             "names no host",
		"https://:443":                         "names no host",
		"https://me@example.com":               "user name or password",
		"https://me:hunter2@example.com":       "user name or password",
		"https://example.com?":                 "must not have a query",
		"https://example.com/a?b=c":            "must not have a query",
		"https://example.com/#":                "must not have a fragment",
		"https://example.com/a#b":              "must not have a fragment",
		"http://catalogue.example.com":         "unencrypted",
		"http://10.0.0.1":                      "unencrypted",
		"http://localhost.example.com":         "unencrypted",
		"10.0.0.1:8080":                        "starts with https://",
		" https://example.com":                 "white space around it",
		"https://example.com\n":                "white space around it",
		`"https://example.com"`:                "quotes around it",
		"'https://example.com'":                "quotes around it",
		"“https://example.com”":                "quotes around it",
		"https://example.com/v1":               "it ends in /v1; leave that out",
		"https://example.com/a/v1/":            "it ends in /v1; leave that out",
		"https://example.com/v1/auth/token":    "address of one route; leave out /v1 and what follows",
		"https://example.com/v1/model-group/a": "address of one route; leave out /v1 and what follows",
		"https://example.com:99999":            "port",
		"https://example.com:0":                "port",
		"https://example.com:":                 "port",
		"https://example.com/a/../b":           ". or ..",
		"https://example.com/%2e%2e/b":         ". or ..",
		"https://exa mple.com":                 "cannot be parsed",
		"https://example.com/\x7f":             "cannot be parsed",
		"https://me:hunter2@exa mple.com":      "cannot be parsed",
		"https://example.com:port":             "cannot be parsed",
		"https://https://example.com":          "it has https:// twice; leave one out",
		"HTTP://http://localhost":              "it has http:// twice; leave one out",
		"https://http://localhost":             "it has https:// and http://; leave one out",
		"https://::1:8443":                     "an IPv6 address is written in brackets, as in https://[::1]:8443",
		"https://2001:db8::1/a":                "an IPv6 address is written in brackets",
		"https://<your-catalogue>":             "its host has < in it, as a placeholder has",
		"https://catalogue.<domain>:8443/a":    "its host has < in it",
		"https://$HOST/a":                      "its host has $ in it",
		"https://{{ .Host }}":                  "its host has { in it",
		"https://me:$hunter2@example.com":      "user name or password",
	} {
		_, err := parseBaseURL(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want one about %q", text, err, want)
		}
	}
}

// TestWhichBaseURLsAreShown: one of the environment is quoted where it can hold
// neither a password nor a secret that was given in the wrong variable.
func TestWhichBaseURLsAreShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"ftp://a": true, "https//catalogue.example": true, "https://$HOST": true, "catalogue.example.com": true,
		"catalogue.example.com:8443": true, "localhost:8080": true, `"https://catalogue.example"`: true,
		"https://me:hunter2@catalogue.example": false, "me:hunter2@catalogue.example.com": false,
		"https://catalogue.example?key=hunter2": false, "hunter2": false, "aGVsbG8/d29ybGQ=": false, "abc8Q~x.Y12": false, "eyJhbGci.e30.c2lnbmF0dXJl_-": false,
	} {
		if got := showable(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
		c := complete()
		c.BaseURL = types.StringNull()
		_, problems := c.settings(withVariables(map[string]string{"BASE_URL": text}))
		if len(problems) != 1 || strings.Contains(problems[0].detail, strconv.Quote(text)) != want {
			t.Errorf("%+v", problems)
		}
	}
}
