package command

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// given are the provider's variables, their mistakes, and the words that a message may use about them.
type given struct {
	setting.Environment
	*explain.Explainer

	problems []error
	byFlag   string // the variable whose value -url gives, "" for none
}

// read returns the value of an argument of the provider, the zero value if it is not set.
func read[T any](g *given, argument string, parse func(string) (T, error)) (value T) {
	text, variable, err := g.LookUp(argument)
	if err == nil && setting.Present(argument, text) {
		if value, err = parse(text); err != nil {
			if variable == g.byFlag {
				variable = "-url"
			}
			err = fmt.Errorf("%s cannot be used: %w", variable, err)
		}
	}
	g.problems = append(g.problems, err)
	return value
}

// readCredential reads one, and notes where it comes from. It overrides those of the other kind, if they are set.
func (g *given) readCredential(argument string, parse func(string) (string, error), instead ...string) string {
	value := read(g, argument, parse)
	for _, variable := range g.VariablesFor(argument) {
		from := explain.Origin{
			Variable: variable,
			File:     variable == setting.FileVariable(argument),
		}
		for _, other := range instead {
			from.Over = append(from.Over, g.VariablesFor(other)...)
		}
		oddities := setting.Oddities(argument, value)
		g.Credentials = append(g.Credentials, explain.Credential{
			Argument: argument,
			Origin:   from,
			Oddities: oddities,
		})
	}
	return value
}

// readCredentials reads a token, or else a client id and secret.
func (g *given) readCredentials(cfg *catalogue.Config) {
	if g.Has(setting.AccessToken) {
		parse := setting.ParseAccessToken
		cfg.AccessToken = g.readCredential(setting.AccessToken, parse, setting.ClientID, setting.ClientSecret)
		return
	}
	cfg.ClientID = g.readCredential(setting.ClientID, setting.Verbatim)
	cfg.ClientSecret = g.readCredential(setting.ClientSecret, setting.Verbatim)
}

// clientConfig reads the provider's variables. The address does not have a default. The explainer explains a failed
// read, as the provider does.
func (p *program) clientConfig(address string) (catalogue.Config, *explain.Explainer, error) {
	g := &given{
		Environment: setting.EnvironmentOf(os.Environ()),
		Explainer:   &explain.Explainer{},
	}
	if address != "" {
		g.byFlag = setting.Variable(setting.BaseURL)
		g.Environment[g.byFlag] = address
	}
	cfg := catalogue.Config{
		BaseURL:        read(g, setting.BaseURL, setting.ParseBaseURL),
		Headers:        read(g, setting.Headers, setting.ParseHeaders),
		CACertificates: p.authorities(g),
		RequestTimeout: cmp.Or(read(g, "request_timeout", setting.ParseDuration), 30*time.Second),
		ReadTimeout:    cmp.Or(read(g, "read_timeout", setting.ParseDuration), 15*time.Minute),
		Ceiling:        read(g, "max_requests", setting.ParseLimit),
		MaxRetries:     4,
		UserAgent:      "modelcatalogue-sandbox/" + p.version,
		Note:           func(_ context.Context, text string) { p.say("%s", text) },

		ClientCertificate: clientCertificate(g),
	}
	if g.Has("max_retries") { // 0 is not the default
		cfg.MaxRetries = read(g, "max_retries", setting.ParseRetries)
	}
	g.readCredentials(&cfg)
	g.MaxRequests, _, _ = g.LookUp("max_requests")
	var err error
	cfg.Proxy, g.ProxyLeftOut, err = g.Proxy(cfg.BaseURL)
	err = errors.Join(append(g.problems, err)...)
	switch {
	case err != nil:
	case cfg.BaseURL == nil:
		err = errors.New("which service? Give -url or set MODELCATALOGUE_BASE_URL. There is no default, because your " +
			"credentials are sent there")
	case cfg.AccessToken == "" && (cfg.ClientID == "" || cfg.ClientSecret == ""):
		err = errors.New("credentials are missing: set MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, or " +
			"MODELCATALOGUE_ACCESS_TOKEN")
	}
	return cfg, g.Explainer, err
}

// authorities reads the certificates that are trusted beside the system's own, and says which are left out.
func (p *program) authorities(g *given) []*x509.Certificate {
	bundle := read(g, setting.CACertificate, setting.ParseBundle)
	for _, broken := range bundle.LeftOut {
		p.say("%s is left out: %s", setting.Variable(setting.CACertificate), broken)
	}
	for _, certificate := range bundle.Certificates {
		g.Authorities = append(g.Authorities, catalogue.NameOf(certificate.Subject))
	}
	return bundle.Certificates
}

// clientCertificate reads the certificate for a gateway that asks for one, and its key: both or neither.
func clientCertificate(g *given) (pair tls.Certificate) {
	chain := read(g, setting.ClientCertificate, setting.ParseChain)
	key := read(g, setting.ClientKey, setting.ParseKey)
	if g.Has(setting.ClientCertificate) != g.Has(setting.ClientKey) {
		g.problems = append(g.problems, fmt.Errorf("%s and %s belong together: set both or neither",
			setting.Variable(setting.ClientCertificate), setting.Variable(setting.ClientKey)))
	}
	if chain != nil && key != nil {
		var err error
		if pair, err = setting.Pair(chain, key); err != nil {
			err = fmt.Errorf("%s cannot be used: %w", setting.Variable(setting.ClientKey), err)
		}
		g.problems = append(g.problems, err)
	}
	return pair
}

// readAs returns how documents are read: as the provider reads them, but with hide applied to each name and text, and
// with the digits of numbers.
func readAs(hide func(string) string) json.Options {
	ofText := func(decoder *jsontext.Decoder, text *string) error {
		token, err := decoder.ReadToken()
		*text = hide(token.String())
		return err
	}
	ofNumber := func(decoder *jsontext.Decoder, value *any) error {
		if decoder.PeekKind() != jsontext.KindNumber {
			return errors.ErrUnsupported
		}
		number, err := decoder.ReadValue()
		*value = number.Clone()
		if text := hide(number.String()); text != number.String() {
			*value = text
		}
		return err
	}
	return json.JoinOptions(
		jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true),
		json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(ofText), json.UnmarshalFromFunc(ofNumber))),
	)
}

// hiding returns a function that hides the credentials in a text. A credential that clean does not find, because it is
// so short that it is a part of other words, is hidden if it is a word of the text.
func hiding(clean func(string) string, credential string) func(string) string {
	const end = "\x01" // keeps a text that only ends as a credential begins
	long := func(text string) string { return strings.TrimSuffix(clean(text+end), end) }
	if utf8.RuneCountInString(credential) >= redact.Shortest {
		return long
	}
	inBase64 := base64.RawStdEncoding.EncodeToString([]byte(credential))
	either := regexp.QuoteMeta(credential) + "|" + inBase64
	word := regexp.MustCompile(`([^\pL\pN]|^)(?:` + either + `)([^\pL\pN]|$)`)
	return func(text string) string {
		text = long(text)
		for range 2 { // two matches cannot share the character between them
			text = word.ReplaceAllString(text, "$1***$2")
		}
		return text
	}
}
