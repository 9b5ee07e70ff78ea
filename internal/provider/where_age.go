package provider

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// firstYear is the earliest year of a publication. Earlier dates are the zero dates of Go, Unix and SQL.
const firstYear = 2000

// readDate parses a date of the service, and returns what is wrong with it, or "". It returns the zero time for the
// zero dates of any system, and accepts a clock of the service that is up to a day ahead.
func readDate(name string, text *string, now time.Time) (moment time.Time, problem string) {
	if bare(orZero(text)) == "" {
		return moment, "the service does not say its " + name
	}
	moment, ok := parseTime(*text)
	switch {
	case !ok:
		problem = "cannot be read as a date"
	case moment.After(now.Add(day)):
		problem = "is in the future"
	case moment.UTC().Year() < firstYear:
		return time.Time{}, ""
	default:
		return moment, ""
	}
	return time.Time{}, fmt.Sprintf("its %s is %q, which %s", name, redact.Abridged(*text), problem)
}

// parseTime parses a date of ISO 8601: a day, or a moment to the minute or finer. The time follows a T or a space, and
// is UTC without a zone. It also accepts the zero date of SQL, which no calendar has.
func parseTime(text string) (moment time.Time, ok bool) {
	text = strings.ToUpper(strings.Replace(text, " ", "T", 1))
	if rest, isZero := strings.CutPrefix(text, "0000-00-00"); isZero {
		text = "0001-01-01" + rest
	}
	for _, zone := range []string{"Z07:00", "Z0700", "Z07", ""} {
		for _, clock := range []string{"T15:04:05", "T15:04"} {
			if moment, err := time.Parse(time.DateOnly+clock+zone, text); err == nil {
				return moment, true
			}
		}
	}
	moment, err := time.Parse(time.DateOnly, text)
	return moment, err == nil
}

const (
	day     = 24 * time.Hour
	maxDays = uint64(math.MaxInt64 / day) // in a time.Duration
)

// parseAge parses a duration above zero, with or without a number of days before it.
func parseAge(text string) (age time.Duration, ok bool) {
	days, clock, hasDays := strings.Cut(text, "d")
	switch {
	case !hasDays:
		days, clock = "0", text
	case clock == "":
		clock = "0"
	}
	whole, wrongDays := strconv.ParseUint(days, 10, 64)
	more, wrongClock := time.ParseDuration(clock)
	if wrongDays != nil || wrongClock != nil || whole > maxDays || more < 0 {
		return 0, false
	}
	age = time.Duration(whole)*day + more
	return age, age > 0 // it is negative if it is too long
}

// ageProblem returns what is wrong with an age, or "".
func ageProblem(value attr.Value) string {
	text := asText(value)
	if _, ok := parseAge(text); ok {
		return ""
	}
	return fmt.Sprintf(`is %q; write an age such as "72h", "3d12h" or "90m", above zero and at most %dd, or leave it `+
		"out for a model of any age", redact.Abridged(text), maxDays)
}
