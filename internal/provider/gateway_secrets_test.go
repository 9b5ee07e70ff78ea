package provider

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// secrets are credentials, with their arguments. The service issues the access token. Headers have the forms that
// gateways require.
var secrets = []struct{ argument, value string }{
	{argHeaders, "1f0c5ad2b7e94c6d.access"},
	{argHeaders, "Bearer eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiIvcHJvamVjdHMifQ.c2lnbmF0dXJl"},
	{argHeaders, "Basic YnVpbGQtYWdlbnQ6cGFzc3dvcmQtb2YtdGhlLWdhdGV3YXk="},
	{argHeaders, "theme=dark; CF_Authorization=aaaaaaaabbbbbbbbcccccccc"},
	{argHeaders, `s3cr&t "/+?é<~> 100% zyxwvuts`},
	{argHeaders, "sixsix"},
	{argClientSecret, "<~>1f0c5ad2b7e94c6d<~>"}, // like tags, which are dropped from a page
	{argClientSecret, `s3cr&t "/+?é<~> 100% zyxwvuts`},
	{argAccessToken, `t0k/en+&=?"<>%41~abcdefghijkl`},
}

// spellings are the ways to repeat a text.
var spellings = map[string]func(string) string{
	"as it is":  func(s string) string { return s },
	"a form":    url.QueryEscape,
	"a path":    url.PathEscape,
	"JSON":      func(s string) string { return strings.TrimSuffix(strings.TrimPrefix(document("", s), `{"":"`), `"}`) },
	"XML":       html.EscapeString,
	"base64":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"decoded":   func(s string) string { return fromBase64(strings.TrimPrefix(s, "Basic ")) },
	"its end":   func(s string) string { _, rest, _ := strings.Cut(s, " "); return rest },
	"its start": func(s string) string { return strings.Repeat(" ", 4000-len(s)/2) + s }, // where the client stops to read
}

// document returns an object with one field as JSON.
func document(field string, value any) string {
	text, err := json.Marshal(map[string]any{field: value})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func fromBase64(text string) string {
	login, _ := base64.StdEncoding.DecodeString(text)
	_, password, _ := strings.Cut(string(login), ":")
	return password
}

// repeated are the places in an answer for a repeated text.
var repeated = map[string]func(echo string) http.HandlerFunc{
	"a good read": func(string) http.HandlerFunc {
		return answering(200, "application/json", `{"id":"a","name":"b"}`)
	},
	"a code": func(echo string) http.HandlerFunc { return answering(400, "application/json", document("code", echo)) },
	"a message": func(echo string) http.HandlerFunc {
		return answering(401, "application/json", document("message", echo))
	},
	"data": func(echo string) http.HandlerFunc {
		return answering(409, "application/json", document("data", []string{echo}))
	},
	"a page":     func(echo string) http.HandlerFunc { return answering(403, "text/html", "<title>"+echo+"</title>"+echo) },
	"tags":       func(echo string) http.HandlerFunc { return answering(403, "text/html", "<p>"+echo) },
	"plain text": func(echo string) http.HandlerFunc { return answering(404, "text/plain", echo) },
	"a login": func(echo string) http.HandlerFunc {
		return answering(302, "", "", "Location", "https://login.example/?a="+echo)
	},
	"a pause": func(echo string) http.HandlerFunc { return answering(429, "text/plain", echo, "Retry-After", echo) },
	"fields": func(echo string) http.HandlerFunc {
		issues := []any{map[string]any{"field": echo, "messages": []string{echo}}}
		return answering(400, "application/json", document("data", map[string]any{"issues": issues}))
	},
	"a place": func(echo string) http.HandlerFunc {
		return answering(200, "application/json", `{"x":`+strings.Replace(document(echo, nil), "null", "NaN", 1)+"}")
	},
	"a type":  func(echo string) http.HandlerFunc { return answering(200, echo, echo) },
	"a field": func(echo string) http.HandlerFunc { return answering(200, "application/json", document(echo, 1)) },
	"no token": func(echo string) http.HandlerFunc {
		return answering(200, "application/json", document("token_type", echo))
	},
}

// TestSecretsThatAreEchoed: diagnostics, states and logs at TRACE never have a secret, in some 1,000 tries: in any
// spelling and any place of an answer to a read or a token request, headers too.
func TestSecretsThatAreEchoed(t *testing.T) {
	tries := 0
	onFakeClock(t, func(t *testing.T) {
		for place, answer := range repeated {
			for how, spell := range spellings {
				for i := range 2 * len(secrets) {
					secret, toRead := secrets[i/2], i%2 == 0
					echo := spell(secret.value)
					core := strings.TrimSpace(echo)
					isPart := secret.argument != argHeaders && (how == "decoded" || how == "its end")
					isLate := secret.argument == argAccessToken && !toRead // nobody knows the token yet
					if len(core) < 6 || isPart || isLate {
						continue
					}
					tries++
					var written logs
					shown := readThrough(t, &written, secret.argument, secret.value, echo, answer(echo), toRead)
					core = core[len(core)/4 : len(core)*3/4]
					if strings.Contains(shown+written.String(), core) || !strings.Contains(written.String(), `"request_id":"***`) {
						t.Errorf("%s, %s, to a read %t: %q of %q is shown:\n%s", place, how, toRead, core, echo, shown)
					}
				}
			}
		}
	})
	if tries < 1000 {
		t.Errorf("only %d tries", tries)
	}
}

// readThrough reads once from a service with that answer, and returns the printed texts.
func readThrough(
	t *testing.T, written *logs, argument, secret, echo string, answer http.HandlerFunc, toRead bool,
) string {
	t.Helper()
	config, token := arguments{argMaxRetries: 0, argReadTimeout: "2s"}, "an-ordinary-token"
	switch argument {
	case argHeaders:
		config[argument] = map[string]any{"X-Key": secret}
	case argAccessToken:
		token = secret
	default:
		config[argument] = secret
	}
	e := inMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, header := range []string{"X-Request-Id", "Www-Authenticate", "Server", "Set-Cookie"} {
			w.Header().Set(header, echo)
		}
		if r.Method == http.MethodPost && toRead {
			answering(200, "application/json", document("access_token", token))(w, r)
			return
		}
		answer(w, r)
	}), config)
	state, diagnostics := e.read(written.in(t.Context()), t, "model_group", arguments{"id": "a"})
	return fmt.Sprint(state) + rendered(diagnostics)
}

// TestMisplacedKeysAreNotShown: messages and logs never have a part of a private key, for any argument and however it is
// mangled.
func TestMisplacedKeysAreNotShown(t *testing.T) {
	t.Parallel()
	_, certificate, key := clientPair(t, "")
	body := strings.ReplaceAll(unframed(key), "\n", "")
	for _, mangled := range []string{
		key, certificate + key, strings.ReplaceAll(key, "\n", " "), strings.ReplaceAll(key, "\n", `\n`), body, unframed(key), key[:100],
		`"` + key + `"`, strings.ReplaceAll(key, "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"), strings.ReplaceAll(key, "PRIVATE", "ODD"),
		strings.Replace(key, "-----", "----", 2), "KEY=" + key, base64.StdEncoding.EncodeToString([]byte(key)),
		"/" + body, body + ".pem",
		"-----BEGIN " + body, "-----BEGIN CERTIFICATE-----\n" + body, "X-Key: a\n" + body, "X-Key: " + key,
	} {
		for _, argument := range []string{
			argClientKey, argClientCertificate, argCACertificate, argHeaders, argAccessToken, argClientSecret,
		} {
			name := strings.ToUpper(argument)
			for _, assignment := range []string{name + "=" + mangled, name + "_FILE=" + mangled, name + "_FILE=" + fileOf(t, mangled)} {
				expectHidden(t, body, arguments{argBaseURL: "https://catalogue.example"}, assignment)
			}
			if argument == argHeaders {
				expectHidden(t, body, complete.with(argument, map[string]any{"X-Key": mangled}))
				continue
			}
			expectHidden(t, body, arguments{argBaseURL: "https://catalogue.example", argument: mangled})
		}
	}
}

// expectHidden configures the provider, and fails if a part of the secret is shown.
func expectHidden(t *testing.T, secret string, config arguments, environment ...string) {
	t.Helper()
	var written logs
	block := config.value(t, schemas.Provider.ValueType())
	configured, err := newServer(within(environment...)).ConfigureProvider(written.in(t.Context()),
		&tfprotov6.ConfigureProviderRequest{Config: block})
	if err != nil {
		t.Fatal(err)
	}
	shown := rendered(append(validateProvider(t, config), configured.Diagnostics...)) + written.String()
	for at := 0; at+16 <= len(secret); at += 16 {
		if part := secret[at : at+16]; strings.Contains(shown, part) {
			t.Errorf("%s of a key is shown, with %.40q in the environment:\n%s", part, environment, shown)
		}
	}
}
