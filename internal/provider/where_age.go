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

// tooYoung says when a model will be old enough, or why its age is not known. It returns nil if the model is old
// enough.
func (w *whereState) tooYoung(model *catalogue.Model, now time.Time) []string {
	if w.MinAge == nil {
		return nil
	}
	least, _ := parseAge(*w.MinAge) // validated
	made, problem := madeAt(model)
	switch from := made.Add(least); {
	case problem != "":
		return []string{problem}
	case now.Before(from):
		return []string{"it will be old enough at " + from.UTC().Format("2006-01-02 15:04:05 MST")}
	}
	return nil
}

// madeAt returns the moment from which the age of a model counts: when it was published, or re-published in place after
// that. If it is not known, problem says why.
func madeAt(model *catalogue.Model) (made time.Time, problem string) {
	if model.CreatedAt == nil {
		return made, "the service does not say when it was made"
	}
	for _, date := range []struct {
		name string
		text *string
	}{{"created_at", model.CreatedAt}, {"updated_at", model.UpdatedAt}} {
		if date.text == nil {
			continue
		}
		moment, ok := parseTime(*date.text)
		if !ok {
			const unread = "its %s is %q, which cannot be read as a date"
			return made, fmt.Sprintf(unread, date.name, redact.Abridged(*date.text))
		}
		if moment.After(made) {
			made = moment
		}
	}
	return made, ""
}

// parseTime reads a date of ISO 8601: a day, or a moment to the minute or finer, after a T or a space, with a zone or
// in UTC.
func parseTime(text string) (moment time.Time, ok bool) {
	text = strings.ToUpper(strings.Replace(text, " ", "T", 1))
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
