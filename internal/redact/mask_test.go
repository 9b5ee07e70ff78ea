package redact

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"
)

func TestMaskRemovesEverySpelling(t *testing.T) {
	t.Parallel()
	const secret = `s3cr&t "/+?é`
	var m Mask
	m.Add(secret)
	m.Add("token-abcdefgh")
	for _, text := range []string{
		secret, url.QueryEscape(secret), strings.ToLower(url.QueryEscape(secret)), url.PathEscape(secret),
		`{"echo":"s3cr&t \"/+?é"}`, "s3cr&amp;t &#34;/+?é",
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
		base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"Bearer token-abcdefgh",
	} {
		got := m.Clean("before " + text + " after")
		if !strings.Contains(got, masked) || strings.Contains(got, "3cr") || strings.Contains(got, "abcdefgh") ||
			!strings.HasSuffix(got, " after") {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, around := range []string{"", "i", "id", "id:", "id:x", "id:xy"} {
		blob := base64.StdEncoding.EncodeToString([]byte(around + secret + around))
		if got := m.Clean(blob); !strings.Contains(got, masked) || len(got) > len(blob)-len(secret)+2 {
			t.Errorf("%q around the secret in base64: %s of %s", around, got, blob)
		}
	}
	if got := m.Clean("nothing to hide"); got != "nothing to hide" {
		t.Errorf("%q", got)
	}
}

func TestMaskTakesWhiteSpaceAroundASecretAsAbsentToo(t *testing.T) {
	t.Parallel()
	var m Mask
	m.Add("  correct  horse\n")
	for text, want := range map[string]string{
		"got:   correct  horse\n.":   "got: ***.",
		"got: correct  horse.":       "got: ***.",
		"got: correct horse.":        "got: ***.",
		"got: correct%20%20horse.":   "got: ***.",
		"got: correct++horse%0A.":    "got: ***%0A.",
		`{"got":"correct  horse"}`:   `{"got":"***"}`,
		"Y29ycmVjdCAgaG9yc2U= it is": "*** it is",
	} {
		if got := m.Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMaskLooksForNothingShorterThanSixCharacters(t *testing.T) {
	t.Parallel()
	const text = "the model of dev1 and ééé, dev12 or devel4"
	var m Mask
	for _, short := range []string{"", "model", " dev1 ", "ééé", "\n"} {
		m.Add(short)
	}
	if got := m.Clean(text); got != strings.ReplaceAll(text, " dev1 ", "***") {
		t.Errorf("%q", got)
	}
	m.Add("devel4")
	if got := m.Clean("dev12 or devel4"); got != "dev12 or ***" {
		t.Errorf("%q", got)
	}
}

func TestMaskTakesTheLongestSpellingAtAPlace(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][]string{{"token-1", "token-12", "token-123"}, {"token-123", "token-12", "token-1"}} {
		var m Mask
		for _, secret := range secrets {
			m.Add(secret)
		}
		if got := m.Clean("token-123, token-12, token-1, token-1token-12, token-3"); got != "***, ***, ***, ******, token-3" {
			t.Errorf("%q", got)
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
	for _, spelling := range spellings(secret) {
		for end := minSecret; end <= len(spelling); end++ {
			if got := m.Clean("sent: " + spelling[:end]); got != "sent: ***" {
				t.Errorf("%q: %q", spelling[:end], got)
			}
		}
		if start := "sent: " + spelling[:minSecret-1]; m.Clean(start) != start {
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
