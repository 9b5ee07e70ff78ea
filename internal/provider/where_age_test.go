package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// How a model stands to an age, at noon on 10 March 2026.
func TestAgesOfModels(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	made := func(created, updated string) catalogue.Model {
		return catalogue.Model{CreatedAt: &created, UpdatedAt: &updated}
	}
	const oldAt, unchecked = "it will be old enough at 2026-03-", "min_age cannot be checked: "
	const unsaid, tooEarly = unchecked + "the service does not say its ", ", which is before any publication"
	const noDate, future = ", which cannot be read as a date", ", which is in the future"
	const old, young = "2026-01-01T00:00:00Z", "2026-03-10T01:00:00+02:00"
	for name, test := range map[string]struct {
		model catalogue.Model
		how   standing
		why   string
	}{
		"just old enough":        {made("2026-03-07T12:00:00Z", "2026-03-07T12:00:00.000Z"), met, ""},
		"a second too young":     {made("2026-03-07T12:00:01Z", "2026-03-07T12:00:00Z"), unmet, oldAt + "10 12:00:01 UTC"},
		"re-published":           {made(old, young), unmet, oldAt + "12 23:00:00 UTC"},
		"no updated_at":          {catalogue.Model{CreatedAt: new(old)}, undecided, unsaid + "updated_at"},
		"an empty updated_at":    {made(old, " "), undecided, unsaid + "updated_at"},
		"no created_at":          {catalogue.Model{UpdatedAt: new(old)}, undecided, unsaid + "created_at"},
		"the zero date of Go":    {made(old, "0001-01-01T00:00:00Z"), met, ""},
		"the zero date of Unix":  {made(old, "1970-01-01T00:00:00+00:00"), met, ""},
		"the zero date of SQL":   {made(old, "0000-00-00 00:00:00"), met, ""},
		"published on SQL's":     {made("0000-00-00", old), undecided, unchecked + `its created_at is "0000-00-00"` + tooEarly},
		"published last century": {made("1999-12-31", old), undecided, unchecked + `its created_at is "1999-12-31"` + tooEarly},
		"published tomorrow":     {made("2026-03-11T11:00:00Z", old), unmet, oldAt + "14 11:00:00 UTC"},
		"published in two days":  {made("2026-03-11T12:00:01Z", old), undecided, unchecked + `its created_at is "2026-03-11T12:00:01Z"` + future},
		"changed for good":       {made(old, "9999-12-31"), undecided, unchecked + `its updated_at is "9999-12-31"` + future},
		"young, and changed for good": {
			made(young, "2099-01-01"), unmet,
			unchecked + `its updated_at is "2099-01-01"` + future + "; " + oldAt + "12 23:00:00 UTC",
		},
		"neither is a date": {
			made("2026-W01", "today"), undecided,
			unchecked + `its created_at is "2026-W01"` + noDate + `, and its updated_at is "today"` + noDate,
		},
		"too young whatever updated_at is": {
			made(young, "today"), unmet,
			unchecked + `its updated_at is "today"` + noDate + "; " + oldAt + "12 23:00:00 UTC",
		},
	} {
		conditionCase{&whereState{MinAge: new("3d")}, test.model, test.how, test.why}.expect(t, name, now)
	}
}

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
