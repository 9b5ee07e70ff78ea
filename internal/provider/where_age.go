package provider

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// firstYear is the year before which no revision was published: earlier dates are the zero dates of Go, Unix and SQL.
const firstYear = 2000

// publishedAt returns when a model was published. If that is not known, problem says why, and the time is zero.
func publishedAt(model *catalogue.Model) (moment time.Time, problem string) {
	moment, problem = readDate("created_at", model.CreatedAt)
	if problem == "" && moment.IsZero() {
		problem = fmt.Sprintf("its created_at is %q, which is before any publication", *model.CreatedAt)
	}
	return moment, problem
}

// republishedAt returns when a model was last re-published in place, or had its settings changed. The time is zero if
// it never was. If that is not known, problem says why.
func republishedAt(model *catalogue.Model) (moment time.Time, problem string) {
	return readDate("updated_at", model.UpdatedAt)
}

// readDate reads a date of the service. The zero dates of others are the zero time, too.
func readDate(name string, text *string) (moment time.Time, problem string) {
	if bare(orZero(text)) == "" {
		return moment, "the service does not say its " + name
	}
	moment, ok := parseTime(*text)
	switch {
	case !ok:
		return moment, fmt.Sprintf("its %s is %q, which cannot be read as a date", name, redact.Abridged(*text))
	case moment.UTC().Year() < firstYear:
		return time.Time{}, ""
	}
	return moment, ""
}

// parseTime reads a date of ISO 8601: a day, or a moment to the minute or finer, after a T or a space, with a zone or
// in UTC. It also reads the zero date of SQL, which is not a day.
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
	maxDays = math.MaxInt64 / int64(day) // that a time.Duration holds
)

// The errors of parseAge.
var (
	errNoDuration = errors.New("it cannot be read as a duration")
	errTooLong    = errors.New("it is too long")
)

// parseAge reads a duration that may begin with a number of days.
func parseAge(text string) (time.Duration, error) {
	days, clock, found := strings.Cut(text, "d")
	if !found {
		days, clock = "0", text
	}
	age, err := parseDays(days)
	if err != nil || found && clock == "" {
		return age, err
	}
	more, err := time.ParseDuration(clock)
	switch {
	case err != nil || more < 0:
		return 0, errNoDuration
	case more > math.MaxInt64-age:
		return 0, errTooLong
	}
	return age + more, nil
}

func parseDays(text string) (time.Duration, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), n > uint64(maxDays):
		return 0, errTooLong
	case err != nil:
		return 0, errNoDuration
	}
	return time.Duration(n) * day, nil
}

// ageProblem says what is wrong with an age, or returns "".
func ageProblem(value attr.Value) string {
	text := asText(value)
	age, err := parseAge(text)
	if err == nil && age > 0 {
		return ""
	}
	return fmt.Sprintf("is %q%s", redact.Abridged(text), ageMistake(text, err))
}

// ageMistake ends a sentence about an age that cannot be used. err is that of parseAge, nil for zero.
func ageMistake(text string, err error) string {
	const leaveOut = "; leave it out for a model of any age"
	switch {
	case setting.IsBlank(text):
		return leaveOut
	case errors.Is(err, errTooLong):
		return fmt.Sprintf(", which is too long; the most is %dd", maxDays)
	case strings.HasPrefix(strings.TrimSpace(text), "-"):
		return ", which is negative" + leaveOut
	case err == nil:
		return ", which is zero" + leaveOut
	}
	return `, which cannot be read as a duration; write days and hours, such as "72h" or "3d12h"`
}
