package settings

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// addCredentials resolves client id and secret, or the access token in their place. The block's kind wins. Of two kinds
// in the environment the token wins: a job with a token often has the id and the secret it was issued for as well.
func (r *resolver) addCredentials() {
	pair, token := r.gives(ClientID) || r.gives(ClientSecret), r.gives(AccessToken)
	switch {
	case pair && token:
		r.addBothKinds()
	case token || !pair && r.env.has(AccessToken):
		take(r, AccessToken, parseAccessToken, &r.Client.AccessToken)
		r.addCredential(AccessToken, r.Client.AccessToken)
	default:
		r.addPair()
	}
	r.reportNeeded()
}

// gives reports whether the block gives a credential, now or later.
func (r *resolver) gives(name string) bool {
	value := r.block[name]
	return value.IsUnknown || !isBlank(value.Text)
}

func (r *resolver) addPair() {
	hasID := take(r, ClientID, verbatim, &r.Client.ClientID)
	hasSecret := take(r, ClientSecret, verbatim, &r.Client.ClientSecret)
	switch {
	case !hasID && !hasSecret:
		r.addMissingBoth()
	case !hasID:
		r.addMissing(ClientID, "", r.unusedToken(ClientSecret))
	case !hasSecret:
		r.addMissing(ClientSecret, "", r.unusedToken(ClientID))
	}
	r.addCredential(ClientID, r.Client.ClientID)
	r.addCredential(ClientSecret, r.Client.ClientSecret)
}

// addMissingBoth adds missing credentials. If the variable of the token is blank, a token was likely meant.
func (r *resolver) addMissingBoth() {
	instead := "Or give access_token in place of client_id and client_secret"
	if !r.elsewhere {
		if r.env.blankVariable(AccessToken) != "" {
			r.addMissing(AccessToken, "An access_token, or a client_id and client_secret, is required.")
			return
		}
		instead += ", such as in " + Variable(AccessToken)
	}
	r.addMissing(ClientID, "", instead+".")
	r.addMissing(ClientSecret, "", instead+".")
}

// unusedToken returns a sentence about a token in the environment, unused because the block gives one of the pair, or
// "".
func (r *resolver) unusedToken(given string) string {
	if token := r.env.variablesFor(AccessToken); token != nil {
		return token[0] + " is not used, because the provider block sets " + given + "."
	}
	return ""
}

// addBothKinds adds an error for both kinds in the block. An unknown value may turn out to be null.
func (r *resolver) addBothKinds() {
	isKnown := true
	for _, name := range ofService {
		if r.block[name].IsUnknown {
			r.Unknown = append(r.Unknown, name)
			isKnown = false
		}
	}
	if isKnown {
		r.add(Invalid, explain.SummaryBothCredentials,
			"The provider block gives access_token, and client_id or client_secret too. The provider uses one or the "+
				"other. Leave out access_token, or the other two: set them to null, or remove them.", AccessToken)
	}
}

// reportNeeded reports missing credentials in the block, if the environment has them for a different address.
func (r *resolver) reportNeeded() {
	if len(r.needed) == 0 {
		return
	}
	var variables []string
	for _, argument := range r.needed {
		variables = append(variables, r.env.variablesFor(argument)...)
	}
	own, needed := "", explain.Enumerated(r.needed)
	if address, _ := r.env.otherAddress(r.Client.BaseURL); address != "" {
		own = ", which is " + address
	}
	r.add(Invalid, explain.SummaryOtherAddress,
		fmt.Sprintf("The provider block sets base_url to %s, and does not give %s. The environment has %s, for the "+
			"address in %s%s. The provider never sends a credential of the environment to a different "+
			"address.\n\nGive %s in this provider block, or unset what is not meant for it.", r.Client.BaseURL,
			needed, explain.Enumerated(variables), Variable(BaseURL), own, needed), BaseURL)
}

// addCredential notes where a credential comes from, and its oddities.
func (r *resolver) addCredential(name, value string) {
	from, given := r.Origins[name]
	if !given {
		return
	}
	oddities := oddities(name, value)
	if name == ClientSecret && value == r.Client.ClientID {
		oddities = []string{"is the same text as " + ClientID}
	}
	r.credentials = append(r.credentials, explain.Credential{Argument: name, Origin: from, Oddities: oddities})
}

// oddities describes what is odd about a credential, without showing the value. An oddity may belong to the value, so
// it is not a problem by itself. If nothing else is odd, a short secret may be the wrong text or a part of one.
func oddities(argument, value string) []string {
	const short = 12
	inner := strings.TrimSpace(value)
	left, odd := oddityOfSecret(argument, inner), redact.OddCharacter(inner, isUnseen)
	length := utf8.RuneCountInString(value)
	switch {
	case inner != value:
		left = "has white space around it, such as the line break at the end of a file; leave it out"
	case left != "":
	case odd != "":
		left = "is odd: its " + odd
	case argument == ClientID || length >= short:
		return nil
	case length == 1:
		left = "has only one character"
	default:
		left = fmt.Sprintf("has only %d characters", length)
	}
	return []string{left}
}

// verbatim parses a client id or a client secret: any text.
func verbatim(text string) (string, error) { return text, nil }

// parseAccessToken returns an error for a text outside the syntax of bearer tokens (RFC 6750 §2.1), and for texts
// people paste in its place. It leaves out white space around the token. The error does not show the text.
func parseAccessToken(text string) (string, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
	const form = "; give one token, in ASCII, without a word such as Bearer before it"
	bare := strings.Trim(text, quotes) // they may belong to it
	odd := redact.OddCharacter(bare, func(r rune) bool { return r <= ' ' || r > '~' })
	switch problem := oddityOfSecret(AccessToken, bare); {
	case problem != "":
		return "", errors.New("it " + problem)
	case odd != "":
		return "", errors.New(odd + form)
	}
	return text, nil
}
