package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

const (
	// maxRequests bounds the requests of a ceiling: the client keeps the time of each.
	maxRequests = 1_000_000
	// minPeriod and maxPeriod bound the period of a ceiling. A period longer than a run is useless, because every
	// process counts for itself.
	minPeriod, maxPeriod = time.Millisecond, 24 * time.Hour
)

// parseDuration reads a time longer than zero.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf(`%q is not a duration longer than zero; write numbers with the units h, m, s or ms, `+
			`such as "30s", "1m30s" or "500ms"`, redact.Abridged(text))
	}
	return d, nil
}

// parseLimit reads a ceiling such as 60/1m: a number of requests, a slash, a time.
func parseLimit(text string) (pace.Limit, error) {
	count, period, _ := strings.Cut(text, "/")
	requests, err := strconv.Atoi(count)
	per, errPeriod := time.ParseDuration(period)
	if err != nil || requests < 1 || requests > maxRequests || errPeriod != nil || per < minPeriod || per > maxPeriod {
		return pace.Limit{}, fmt.Errorf("%q is not a limit; write a number of requests from 1 to %d, a slash and a "+
			"time from 1ms to 24h, such as %q or %q, or leave the argument out to lift the ceiling",
			redact.Abridged(text), maxRequests, "60/1m", "1/2s")
	}
	return pace.Limit{Requests: requests, Per: per}, nil
}

// parseRetries reads how many further attempts a request may make.
func parseRetries(text string) (int, error) {
	retries, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number from 0 to %d; write one such as 4", redact.Abridged(text),
			math.MaxInt32)
	}
	return int(retries), nil
}

func parseSwitch(text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", redact.Abridged(text))
	}
	return on, nil
}
