package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// spelled are the ways to write a text that its readers undo.
var spelled = map[string]func(string) string{
	"as it is":           func(s string) string { return s },
	"a form":             url.QueryEscape,
	"a path":             url.PathEscape,
	"lower case":         func(s string) string { return strings.ToLower(percent("")(s)) },
	"encodeURIComponent": percent("-_.!~*'()"),
	"RFC 3986":           percent("-_.~"),
	"every byte":         func(s string) string { return each("%%%02x", []byte(s)) },
	"escaped twice":      times(2, url.QueryEscape),
	"escaped four times": inTurn(url.QueryEscape, url.PathEscape, times(2, percent(""))),

	"HTML":           html.EscapeString,
	"HTML, named":    named.Replace,
	"HTML, decimal":  func(s string) string { return each("&#%d;", []rune(s)) },
	"HTML, hex":      func(s string) string { return each("&#x%X;", []rune(s)) },
	"HTML, twice":    times(2, html.EscapeString),
	"a form in HTML": func(s string) string { return html.EscapeString("?client_id=a&client_secret=" + url.QueryEscape(s)) },

	"JSON":           inJSON,
	"JSON, PHP":      func(s string) string { return strings.ReplaceAll(inJSON(s), "/", `\/`) },
	"JSON, units":    func(s string) string { return each(`\u%04x`, utf16.Encode([]rune(s))) },
	"JSON in JSON":   times(2, inJSON),
	"JSON in a form": inTurn(inJSON, url.QueryEscape),
	"Go":             strconv.QuoteToASCII,

	"base64":                  inBase64,
	"base64url":               func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64 of base64":        times(2, inBase64),
	"base64 in a form":        inTurn(inBase64, url.QueryEscape),
	"base64 of the form":      inTurn(clientForm, inBase64),
	"base64 of the JSON body": func(s string) string { return inBase64(`{"s":"` + inJSON(s) + `"}`) },
	"base64 in lines": func(s string) string {
		blob := inBase64(strings.Repeat("-", 12) + clientForm(s)) // so that the secret is in both lines
		return blob[:76] + "\r\n" + blob[76:]
	},
}

var named = strings.NewReplacer(
	"&", "&amp;", `"`, "&quot;", "'", "&apos;", "<", "&lt;", ">", "&gt;", "+", "&plus;", "/", "&sol;", "é", "&eacute;",
)

func inBase64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func clientForm(secret string) string {
	return url.Values{"grant_type": {"client_credentials"}, "client_id": {"northwind"}, "client_secret": {secret}}.Encode()
}

// inTurn spells a text in one way after the other.
func inTurn(ways ...func(string) string) func(string) string {
	return func(text string) string {
		for _, way := range ways {
			text = way(text)
		}
		return text
	}
}

func times(n int, way func(string) string) func(string) string {
	return inTurn(slices.Repeat([]func(string) string{way}, n)...)
}

// percent escapes all but letters, digits and those of keep.
func percent(keep string) func(string) string {
	return func(text string) string {
		var out strings.Builder
		for _, b := range []byte(text) {
			if b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || strings.IndexByte(keep, b) >= 0 {
				out.WriteByte(b)
			} else {
				fmt.Fprintf(&out, "%%%02X", b)
			}
		}
		return out.String()
	}
}

// each spells each part of a text by the format.
func each[T byte | rune | uint16](format string, parts []T) string {
	var out strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&out, format, part)
	}
	return out.String()
}

func inJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted[1 : len(quoted)-1])
}

// odd are secrets that hold what spellings change, and what looks like one.
var odd = []string{
	`s3cr&t "/+?é'(!)* ~zyx`, "correct-horse", "  correct  horse\n", `50%25 off \u0041 &amp; \n`, "😀 smile <b>",
	"a+b+c+d/e=f==", "%41%42%43%44%45%46", "???>>>???>>>",
}

func TestMaskFindsASecretInEverySpelling(t *testing.T) {
	t.Parallel()
	for name, spell := range spelled {
		for _, secret := range odd {
			var m Mask
			m.Add(secret)
			m.Add("token-abcdefgh")
			for _, plain := range []string{secret, strings.TrimSpace(secret)} {
				text := spell(plain)
				got := m.Clean("before " + text + " after")
				before, rest, found := strings.Cut(got, masked)
				if _, after, again := strings.Cut(rest, masked); again {
					rest = after
				}
				left := strings.TrimSuffix(strings.TrimPrefix(before, "before"), " ") + strings.TrimSuffix(strings.TrimSuffix(rest, "after"), " ")
				around := len(spell("")) + len(text) - len(spell(strings.Repeat("x", len(plain))))
				if !found || len(left) > max(8, around+len(clientForm(""))*2) || strings.Contains(got, text) {
					t.Errorf("%s of %q, %s: %s", name, plain, text, got)
				}
			}
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	const (
		symbols = `s3cr&t "/+?é`
		spaced  = "  correct  horse\n"
		tokens  = "token-123, token-12, token-1, token-1token-12, token-3"
		short   = "the model of dev1 and ééé, dev12 or devel4"
	)
	for _, test := range []struct {
		secrets    []string
		text, want string
	}{
		// The rest of a text stays as it is.
		{[]string{symbols}, "", ""},
		{[]string{symbols}, "nothing to hide", "nothing to hide"},
		{[]string{symbols}, `100% \ & %%%%%%%%%%%% \\\\\ &&&&&&&&&&&&`, `100% \ & %%%%%%%%%%%% \\\\\ &&&&&&&&&&&&`},
		{[]string{symbols}, "/v1/model-group/3f0c0d8e-1f1b?timeHorizon=a%20b", "/v1/model-group/3f0c0d8e-1f1b?timeHorizon=a%20b"},
		{[]string{symbols}, "the caf&eacute; at 50% s3cr&amp;t &#34;/+?é, s3cr%26z", "the caf&eacute; at 50% ***, s3cr%26z"},
		{[]string{symbols}, "\xff\xfe s3cr&t \"/ ?é \xff", "\xff\xfe *** \xff"},

		// White space around a secret may be absent.
		{[]string{spaced}, "got:   correct  horse\n.", "got:   ***\n."},
		{[]string{spaced}, "got: correct  horse.", "got: ***."},
		{[]string{spaced}, "got: correct horse.", "got: ***."},
		{[]string{spaced}, "got: correct%20%20horse.", "got: ***."},
		{[]string{spaced}, "got: correct++horse%0A.", "got: ***%0A."},
		{[]string{spaced}, `{"got":"correct  horse"}`, `{"got":"***"}`},
		{[]string{spaced}, "Y29ycmVjdCAgaG9yc2U= it is", "*** it is"},

		// So may what is not printable, and each escape is undone.
		{[]string{"correct\x01horse"}, "got: correct horse.", "got: ***."},
		{[]string{"correct\xffhorse"}, "got: correct horse.", "got: ***."},
		{[]string{"correct\nhorse"}, `{"got":"correct\nhorse"}`, `{"got":"***"}`},
		{[]string{"correct\thorse"}, `{"got":"correct\thorse"}`, `{"got":"***"}`},
		{[]string{"correct&horse"}, `got: correct\x26horse.`, "got: ***."},
		{[]string{"correct😀horse"}, `got: correct\ud83d\ude00horse.`, "got: ***."},
		{[]string{"correct-horse😀"}, `got: correct-horse\ud83d\ude00`, "got: ***"},

		// What is shorter than six characters would mask everyday words.
		{[]string{"", "model", " dev1 ", "ééé", "\n"}, short, "the model of *** and ééé, dev12 or devel4"},
		{[]string{"model", "devel4"}, short, "the model of dev1 and ééé, dev12 or ***"},

		// The longest at a place.
		{[]string{"token-1", "token-12", "token-123"}, tokens, "***, ***, ***, ******, token-3"},
		{[]string{"token-123", "token-12", "token-1"}, tokens, "***, ***, ***, ******, token-3"},

		// A text that is escaped again and again is hidden whole.
		{[]string{"correct&horse"}, times(30, url.QueryEscape)("correct&horse"), "***"},
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

func TestCleanHidesNoMoreThanTheSecretOfBase64(t *testing.T) {
	t.Parallel()
	const secret = `s3cr&t "/+?é`
	var m Mask
	m.Add(secret)
	for _, around := range []string{"", "i", "id", "id:", "id:x", "id:xy"} {
		for _, before := range []string{"", "x", "xy", "xyz"} {
			blob := before + inBase64(around+secret+around)
			if got := m.Clean(blob); !strings.Contains(got, masked) || len(got) > len(blob)-len(secret)+2 {
				t.Errorf("%q before and %q around the secret in base64: %s of %s", before, around, got, blob)
			}
		}
	}
}

// TestMaskTakesTimeInProportionToTheText: the worst texts that a service can send. Where
// time grew with the square of the length, eight times the text would take 64 times as long.
func TestMaskTakesTimeInProportionToTheText(t *testing.T) {
	var m Mask
	m.Add("correct&horse")
	took := func(text string) time.Duration {
		best := time.Hour
		for range 5 {
			began := time.Now()
			m.Clean(text)
			best = min(best, time.Since(began))
		}
		return best
	}
	const bytes = 1 << 15
	for _, unit := range []string{"%25", "25", "&amp;", `\\`, "QUJDRA", "correct", "\n"} {
		text := "%" + strings.Repeat(unit, bytes/len(unit))
		if short, long := took(text[:bytes/8]), took(text); long > 32*short {
			t.Errorf("%q: %s for %d bytes, and %s for %d", unit, short, bytes/8, long, len(text))
		}
	}
}

// TestMaskHidesTheStartOfASecretWhereATextWasCut cuts each spelling anywhere: a
// body can break off, or be read up to a limit only.
func TestMaskHidesTheStartOfASecretWhereATextWasCut(t *testing.T) {
	t.Parallel()
	const secret = `correct "horse" é+battery`
	var m Mask
	m.Add(secret)
	for _, name := range []string{
		"as it is", "a form", "a path", "RFC 3986", "every byte", "escaped twice", "HTML", "HTML, decimal", "JSON", "JSON, units", "base64",
	} {
		spell := spelled[name]
		spelling := spell(secret)
		for end := len(spell(secret[:minSecret+1])) + 1; end <= len(spelling); end++ {
			if got := m.Clean("sent: " + spelling[:end]); got != "sent: ***" {
				t.Errorf("%q: %q", spelling[:end], got)
			}
		}
		if start := "sent: " + spell(secret[:minSecret-1]); m.Clean(start) != start {
			t.Errorf("%q is too short to be known, and was masked", start)
		}
	}
	if text := "correct " + "words"; m.Clean(text) != text {
		t.Errorf("%q was masked, though nothing is cut there", text)
	}
}

// TestMaskGrowsNoSlowerWithTheTokensItKnows compares what a thousand tokens
// cost with what the next three thousand cost.
//
//nolint:paralleltest // it counts what the whole process allocates
func TestMaskGrowsNoSlowerWithTheTokensItKnows(t *testing.T) {
	var m Mask
	added := 0
	cost := func(tokens int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range tokens {
			added++
			m.Add(fmt.Sprintf("eyJhbGciOiJSUzI1NiJ9.token-%d", added))
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	first, next := cost(1000), cost(3000)
	if next > 4*first {
		t.Errorf("the first thousand tokens took %d bytes, the next three thousand %d", first, next)
	}
	if got := m.Clean("a eyJhbGciOiJSUzI1NiJ9.token-1 b eyJhbGciOiJSUzI1NiJ9.token-4000 c"); got != "a *** b *** c" {
		t.Errorf("%q", got)
	}
}

func BenchmarkMaskOfAThousandTokens(b *testing.B) {
	for b.Loop() {
		var m Mask
		for i := range 1000 {
			m.Add(fmt.Sprintf("eyJhbGciOiJSUzI1NiJ9.%0200d", i))
		}
	}
}

func BenchmarkMaskOfAPath(b *testing.B) {
	var m Mask
	m.Add("northwind-sandbox-secret")
	for b.Loop() {
		m.Clean("/v1/model-group/3f0c0d8e-1f1b-4b8e-9d8e-0c0d8e1f1b4b/latest-model")
	}
}

func BenchmarkMaskOfAPage(b *testing.B) {
	var m Mask
	m.Add("northwind-sandbox-secret")
	page := strings.Repeat("<p>Something of 100% &amp; a word or two</p>\n", 1<<16/44)
	for b.Loop() {
		m.Clean(page)
	}
}

// FuzzMask: whatever stands around a secret, and however it is spelled there, Clean
// hides it and returns.
func FuzzMask(f *testing.F) {
	names := slices.Sorted(maps.Keys(spelled))
	escapes := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.HasPrefix(name, "base64") || name == "lower case" // which loses base64
	})
	for i := range names {
		f.Add(uint(i), uint(i+1), "before %", "; after \\")
	}
	const secret = `s3cr&t "/+?é zyx`
	var m Mask
	m.Add(secret)
	f.Fuzz(func(t *testing.T, first, second uint, before, after string) {
		inner, outer := spelled[names[first%uint(len(names))]], spelled[escapes[second%uint(len(escapes))]]
		text := before + " " + outer(inner(secret)) + " " + after
		got := m.Clean(text)
		if strings.Contains(got, secret) || !strings.Contains(got, masked) {
			t.Errorf("%q: %q", text, got)
		}
		if again := m.Clean(got); strings.Contains(again, secret) {
			t.Errorf("%q: %q", got, again)
		}
	})
}
