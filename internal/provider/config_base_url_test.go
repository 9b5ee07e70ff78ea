package provider

import (
	"strings"
	"testing"
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
	} {
		_, err := parseBaseURL(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want one about %q", text, err, want)
		}
	}
}
