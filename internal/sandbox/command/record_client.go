package command

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// clientConfig resolves the provider's variables like a provider without a block. The explainer explains a failed read.
func (p *program) clientConfig() (catalogue.Config, *explain.Explainer, error) {
	env := settings.EnvironmentOf(os.Environ())
	if limit := settings.Variable(settings.ReadTimeout); env[limit] == "" {
		env[limit] = "15m" // one list may contain most of the catalogue
	}
	resolved := settings.Resolve(nil, env)
	var wrong []string
	for _, problem := range resolved.Problems {
		text := problem.Summary + "\n" + problem.Detail
		if problem.Kind == settings.Warning {
			p.say("%s", text)
			continue
		}
		wrong = append(wrong, text)
	}
	resolved.Client.Snapshot = false // a second look needs new answers
	resolved.Client.UserAgent = "modelcatalogue-sandbox/" + p.version
	resolved.Client.Note = func(_ context.Context, text string) { p.say("%s", text) }
	if wrong != nil {
		return resolved.Client, nil, errors.New(explain.Paragraphs(wrong...))
	}
	return resolved.Client, resolved.Explainer(), nil
}

// readAs returns the options for reading documents: leniently as the provider does, with every digit of numbers, and
// with hide applied to each name, text and number.
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
		lenient,
		json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(ofText), json.UnmarshalFromFunc(ofNumber))),
	)
}

// hiding returns a function that hides the credentials in a text. clean does not find a very short credential, which
// may be part of other words. It is hidden if it is a whole word.
func hiding(clean func(string) string, credential string) func(string) string {
	const end = "\x01" // keeps the end of a text that is the beginning of a credential
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
