package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// spelled are the ways to write a text that Clean knows.
var spelled = map[string]func(string) string{
	"as it is":           func(s string) string { return s },
	"a form":             url.QueryEscape,
	"lower-case escapes": func(s string) string { return each("%%%02x", []byte(s)) },
	"JSON":               func(s string) string { return strings.ReplaceAll(inJSON(s), "/", `\/`) },
	"JSON in ASCII":      func(s string) string { return each(`\u%04X`, utf16.Encode([]rune(s))) },
	"XML":                strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace,
	"numbers of XML":     func(s string) string { return each("&#%d;", []rune(s)) },
	"base64":             inBase64,
	"base64 in a form":   func(s string) string { return url.QueryEscape(inBase64(s)) },
	"base64 for URLs":    func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
}

func inBase64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func inJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted[1 : len(quoted)-1])
}

// each spells each part of a text by the format.
func each[T byte | uint16 | rune](format string, parts []T) string {
	var out strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&out, format, part)
	}
	return out.String()
}

// odd are secrets with characters that spellings change, and with texts like escapes.
var odd = []string{
	`s3cr&t "/+?é'(!)* ~zyx`, `correct "horse" é😀+battery`, "  correct  horse\n", `50%25 off \u0041 &amp; \n`,
	"😀 smile <b>", "a+b+c+d/e=f==", "%41%42%43%44%45%46", "???>>>???>>>", "sixsix",
}

// masking returns a mask of that secret and another one.
func masking(secret string) *Mask {
	m := &Mask{}
	m.Add("token-abcdefgh")
	m.Add(secret)
	return m
}

// A body can break off anywhere, or be read up to a limit only. The beginning of a secret at its end is hidden as well.
func TestMaskFindsASecretInEverySpelling(t *testing.T) {
	t.Parallel()
	for name, spell := range spelled {
		for _, secret := range odd {
			m := masking(secret)
			secret = strings.TrimSpace(secret)
			whole := spell(secret)
			expectHidden := func(text, rest string) {
				got, isRest := strings.CutSuffix(m.Clean("sent: "+text+rest), rest)
				if strings.TrimRight(got, "=%3D") != "sent: ***" || !isRest {
					t.Errorf("%s, %q: %q", name, text+rest, got)
				}
			}
			expectHidden(whole, " after")
			for end := len(spell(secret[:Shortest])) + 2; end <= len(whole); end++ {
				expectHidden(whole[:end], "")
				expectHidden(whole[:end], cut+"\" or "+inBase64("another"))
			}
		}
	}
}

// Basic credentials show at most one character of the secret, whatever the length of the client id.
func TestMaskFindsBasicCredentials(t *testing.T) {
	t.Parallel()
	for _, secret := range odd {
		m := masking(secret)
		for _, id := range []string{"", "a", "ab", "abc", "northwind"} {
			for _, name := range []string{"base64", "base64 in a form", "base64 for URLs"} {
				spell := spelled[name]
				text := spell(id + ":" + strings.TrimSpace(secret))
				login, rest, _ := strings.Cut(m.Clean(text), "***")
				if len(login) > len(spell(id+":"))+1 || strings.Trim(rest, "=%3D") != "" {
					t.Errorf("%q of %q: %s***%s of %s", secret, id, login, rest, text)
				}
			}
		}
	}
}

// A gateway may repeat one cookie of several, a credential without what stands around it, or the password of Basic
// credentials. A short word may be an everyday one.
func TestMaskFindsPartsOfAHeader(t *testing.T) {
	t.Parallel()
	for separator := range strings.SplitSeq(" \t,;:=\"{}'/|[](<>)&@", "") {
		for _, key := range []string{"aaaabbbbcccc", "aaaa/bbbb=cc", "aa bb'cc,ddd"} {
			var m Mask
			m.AddHeader("theme=dark" + separator + key + separator + "end")
			if got := m.Clean("dark, " + key); got != "dark, ***" {
				t.Errorf("%q, %q: %s", separator, key, got)
			}
		}
	}
	for _, scheme := range []string{"Basic ", "basic  ", "BASIC\t"} {
		var m Mask
		m.AddHeader(scheme + inBase64("agent:horse-staple"))
		if got := m.Clean("agent, horse-staple"); got != "agent, ***" {
			t.Errorf("%q: %s", scheme, got)
		}
	}
}

// Our own words are never masked, unlike the quotes in them.
func TestCleanQuotes(t *testing.T) {
	t.Parallel()
	var m Mask
	m.Add("undefined")
	m.Add(`say "undefined"`)
	for text, want := range map[string]string{
		"":                               "",
		"undefined is undefined":         "undefined is undefined",
		`undefined: "undefined".`:        `undefined: "***".`,
		`it is "not undefined", is it`:   `it is "not ***", is it`,
		`it is "say \"undefined\""`:      `it is "***"`,
		`it is "undefi" or "undefi…"`:    `it is "undefi" or "***…"`,
		"5\" or\nundefined, \"undefi…\"": "5\" or\nundefined, \"***…\"",
		"`undefined`, 'undefined'":       "`undefined`, 'undefined'",
		`it is "\q", no escape`:          `it is "\q", no escape`,
	} {
		if got := m.CleanQuotes(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Comparing a text with one secret after the other would take minutes.
func TestManySecrets(t *testing.T) {
	t.Parallel()
	const many = 10_000
	var m Mask
	var text strings.Builder
	for i := range many {
		token := fmt.Sprintf("%d-token", i)
		m.Add(token)
		text.WriteString("idtoken=" + token + "; ")
	}
	if m.Clean(text.String()) != strings.Repeat("idtoken=***; ", many) {
		t.Error("a token is shown")
	}
}

// A text with many beginnings of a secret takes no longer than another one: less than a second.
func TestManyBeginningsOfASecret(t *testing.T) {
	t.Parallel()
	const many = 400_000
	var m Mask
	m.Add("secret-of-mine")
	began := time.Now()
	if m.Clean(strings.Repeat("secret", many)) != strings.Repeat("secret", many-1)+"***" {
		t.Error("a beginning within the text is hidden, or the one at its end is not")
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	const symbols, short = `s3cr&t "/+?é`, "the model of dev123 and ééé, dev1 or devel4"
	for _, test := range []struct {
		secrets    []string
		text, want string
	}{
		{nil, "no secret is known", "no secret is known"},
		{[]string{"one…after…another"}, "one…after…another one…after…", "*** ***"},
		{[]string{symbols}, "", ""},
		{[]string{symbols}, `100% \ + %zz \q %%%%% \\\\\`, `100% \ + %zz \q %%%%% \\\\\`},
		{[]string{symbols}, "/v1/model-group/3f0c0d8e-1f1b?timeHorizon=a%20b", "/v1/model-group/3f0c0d8e-1f1b?timeHorizon=a%20b"},
		{[]string{symbols}, "\xff\xfe " + symbols + " \xff", "\xff\xfe *** \xff"},
		{[]string{"correct\xffhorse"}, "got: correct\xffhorse.", "got: ***."},

		// Secrets shorter than six characters would mask everyday words.
		{[]string{"", "model", " dev1 ", "ééé", "\n"}, short, short},
		{[]string{"model", "devel4"}, short, "the model of dev123 and ééé, dev1 or ***"},

		// The longest at a place, and secrets that overlap.
		{[]string{"token-1", "token-12", "token-123"}, "token-1, token-12, token-1234, token-2", "***, ***, ***4, token-2"},
		{[]string{"abcdefgh", "efghijkl"}, "abcdefghijkl, efghijkl", "***, ***"},
		{[]string{"secret"}, "secretsecret", "***"},

		// The beginning of one at the end, unless it is a word.
		{[]string{"correct-horse"}, "sent: corre", "sent: corre"},
		{[]string{"correct-horse"}, "correct words", "correct words"},
	} {
		var m Mask
		for _, secret := range test.secrets {
			m.Add(secret)
		}
		if got := m.Clean(test.text); got != test.want {
			t.Errorf("%q without %q: %q, want %q", test.text, test.secrets, got, test.want)
		}
	}
}

func TestTidy(t *testing.T) {
	t.Parallel()
	var m Mask
	m.Add("correct-horse")
	for text, want := range map[string]string{
		"a\r\n\tb  c\x00d\u202e": "a b c d",
		"\xff\x1b[31m red":       "[31m red",
		"1234567890":             "1234567890",
		"éééééééééééé":           "éééééééééé…",
		"9 correct-horse":        "9 ***",
		"1234567 correct-horse":  "1234567 **…",
	} {
		if got := m.Tidy(text, 10); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Clean hides a secret in any surroundings, and returns. CleanQuotes does so in a quote, and changes nothing outside.
func FuzzMask(f *testing.F) {
	const secret = `s3cr&t "/+?é zyx`
	var m Mask
	m.Add(secret)
	f.Add("before %", "; after \\")
	f.Fuzz(func(t *testing.T, before, after string) {
		for name, spell := range spelled {
			// The spaces end an escape that the text around the secret has begun.
			text := before + " " + spell(secret) + " " + after
			got := m.Clean(text)
			if strings.Contains(got, spell(secret)) || !strings.Contains(got, "***") {
				t.Errorf("%s: %s becomes %s", name, strconv.Quote(text), strconv.Quote(got))
			}
			own := strings.ReplaceAll(text, `"`, "")
			quoted := m.CleanQuotes(own + strconv.Quote(text) + own)
			if want := own + strconv.Quote(m.clean(text, false)) + own; quoted != want {
				t.Errorf("%s: %s, want %s", name, strconv.Quote(quoted), strconv.Quote(want))
			}
		}
	})
}
