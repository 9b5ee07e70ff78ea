package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestAges(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"72h":          72 * time.Hour,
		"3d":           72 * time.Hour,
		"1d12h":        36 * time.Hour,
		"0d1s":         time.Second,
		"90m":          90 * time.Minute,
		"106751d":      106751 * day,
		"106751d23h":   106751*day + 23*time.Hour,
		"99999d":       99999 * day,
		"1d2562023h0s": 2562047 * time.Hour,
	} {
		if got, ok := parseAge(text); got != want || !ok || ageProblem(types.StringValue(text)) != "" {
			t.Errorf("%q is %s, %t", text, got, ok)
		}
	}
	for _, text := range []string{
		"", " ", "72", "soon", "3 days", "0d", "-1h", "-3d", "3d-1h", "+3d", "P3D", "72H", "1.5d", "1h1d", "3dd",
		"106752d", "250000d", "106751d24h", "65535d2562047h", "99999999999999999999d", strings.Repeat("x", 200),
	} {
		if got := ageProblem(types.StringValue(text)); got == "" || len(got) > 300 {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-07T12:00:00Z":           noon,
		"2026-03-07t12:00:00z":           noon,
		"2026-03-07T13:00:00+01:00":      noon,
		"2026-03-07T13:00:00+0100":       noon,
		"2026-03-07T13:00:00+01":         noon,
		"2026-03-07T06:30:00-05:30":      noon,
		"2026-03-07T12:00:00":            noon,
		"2026-03-07 12:00:00":            noon,
		"2026-03-07 13:00+01:00":         noon,
		"2026-03-07T12:00Z":              noon,
		"2026-03-07T12:00":               noon,
		"2026-03-07T12:00:00.25Z":        noon.Add(250 * time.Millisecond),
		"2026-03-07T12:00:00,250+0000":   noon.Add(250 * time.Millisecond),
		"2026-03-07T12:00:00.000000001Z": noon.Add(1),
		"2026-03-07":                     noon.Add(-12 * time.Hour),
	} {
		if got, ok := parseTime(text); !ok || !got.Equal(want) {
			t.Errorf("%q is %s, %t", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "today", "2026", "2026-W10-6", "2026-066", "20260307T120000Z", "2026-03-07T12", "1772884800", "07.03.2026",
	} {
		if got, ok := parseTime(text); ok {
			t.Errorf("%q is %s", text, got)
		}
	}
}
