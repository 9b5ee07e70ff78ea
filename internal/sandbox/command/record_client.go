package command

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// given are the provider's variables, and what is wrong with them.
type given struct {
	setting.Environment
	problems []error
	byFlag   string // the variable whose value -url gives, "" for none
}

// read returns what an argument of the provider is set to, the zero value for nothing.
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

// clientConfig reads the provider's variables. The address has no default.
func (p *program) clientConfig(address string) (catalogue.Config, error) {
	g := &given{Environment: setting.EnvironmentOf(os.Environ())}
	if address != "" {
		g.byFlag = setting.Variable(setting.BaseURL)
		g.Environment[g.byFlag] = address
	}
	cfg := catalogue.Config{
		BaseURL:        read(g, setting.BaseURL, setting.ParseBaseURL),
		CACertificates: read(g, setting.CACertificate, setting.ParseCertificates),
		RequestTimeout: cmp.Or(read(g, "request_timeout", setting.ParseDuration), 30*time.Second),
		ReadTimeout:    cmp.Or(read(g, "read_timeout", setting.ParseDuration), 15*time.Minute),
		Ceiling:        read(g, "max_requests", setting.ParseLimit),
		MaxRetries:     4,
		UserAgent:      "modelcatalogue-sandbox/" + p.version,
		Note:           func(_ context.Context, text string) { p.say("%s", text) },
	}
	if g.Has("max_retries") { // 0 is not the default
		cfg.MaxRetries = read(g, "max_retries", setting.ParseRetries)
	}
	if g.Has(setting.AccessToken) {
		cfg.AccessToken = read(g, setting.AccessToken, setting.ParseAccessToken)
	} else {
		cfg.ClientID = read(g, setting.ClientID, setting.Verbatim)
		cfg.ClientSecret = read(g, setting.ClientSecret, setting.Verbatim)
	}
	var err error
	cfg.Proxy, _, err = g.Proxy(cfg.BaseURL)
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
	return cfg, err
}

// nextStep says what to do about a failure of the client.
func nextStep(err error) string {
	var (
		refusal  *catalogue.APIError
		rejected *catalogue.RejectedError
		fault    *catalogue.NetworkError
		gaveUp   *catalogue.GaveUpError
		unusable *catalogue.UnusableAnswerError
	)
	switch {
	case errors.As(err, &refusal) && refusal.Location != "":
		return "It redirects to " + refusal.Location + ": give that address, if it is the service's."
	case refusal != nil && refusal.Status == http.StatusForbidden:
		return "The service refuses these credentials: ask its operator."
	case errors.As(err, &rejected):
		return afterRejection(rejected)
	case errors.As(err, &fault):
		return afterFault(fault)
	case errors.As(err, &gaveUp):
		return "Run again later" + orWait(gaveUp.Wait)
	case errors.As(err, &unusable) && unusable.IsPart:
		return "Look for a newer version of this program."
	}
	return "Check the address: this may be another service."
}

// afterRejection says what to do if no token can be had, or none that is accepted.
func afterRejection(rejected *catalogue.RejectedError) string {
	switch {
	case rejected.Given:
		return "MODELCATALOGUE_ACCESS_TOKEN may have expired, or be from another issuer."
	case rejected.Issued:
		return "The service itself gave this token a moment ago: ask its operator."
	}
	return "Check MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, and the address."
}

// orWait says how a wait that is too long can be waited for.
func orWait(wait time.Duration) string {
	if wait == 0 {
		return "."
	}
	return fmt.Sprintf(": a wait of %s is longer than MODELCATALOGUE_READ_TIMEOUT permits.", wait.Round(time.Second))
}

// afterFault says what to do if no whole answer came.
func afterFault(fault *catalogue.NetworkError) string {
	switch fault.Fault {
	case catalogue.PlainHTTP:
		return "The server answers in HTTP without TLS, and https needs TLS. Check the host and port of the address."
	case catalogue.NoTLS:
		return "The server does not speak TLS, which https needs. Check the host and port of the address."
	case catalogue.Broken, catalogue.StreamRefused:
		return "Run again later."
	}
	return "Check the address, HTTPS_PROXY if this network needs a proxy, and MODELCATALOGUE_CA_CERTIFICATE_PEM if " +
		"the service has an authority of its own."
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

// hiding returns a function that hides the credentials in a text. What clean does not find, because it is so short that
// it is a part of other words, is hidden if it is a word of the text.
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
