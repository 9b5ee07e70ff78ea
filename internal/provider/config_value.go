package provider

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

const (
	// numberPrecision is that of an engine's numbers, in bits.
	numberPrecision = 512
	// maxRequests bounds the requests of a ceiling: the client keeps a moment for each.
	maxRequests = 1_000_000
	// minPeriod and maxPeriod bound the stretch of a ceiling. A longer one than a
	// run lasts is of no use, since every process counts for itself.
	minPeriod, maxPeriod = time.Millisecond, 24 * time.Hour
)

// parseDuration reads a time that is longer than zero.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf(`%q is not a duration; write a number and a unit, such as "30s", "1m30s" or "500ms"`,
			abridged(text))
	case d <= 0:
		return 0, fmt.Errorf("%q is not a time to wait; it must be longer than zero", abridged(text))
	}
	return d, nil
}

func parseRetries(text string) (int, error) {
	number, _, err := big.ParseFloat(text, 10, numberPrecision, big.ToNearestEven)
	if err != nil || number.IsInf() {
		return 0, fmt.Errorf("%q is not a number; write a whole number such as 4", abridged(text))
	}
	retries, err := wholeNumber(types.NumberValue(number))
	if err != nil {
		return 0, fmt.Errorf("it %w", err)
	}
	return int(min(retries, math.MaxInt32)), nil
}

const (
	limitForm = `write so many requests in such a time, such as "60/1m" or "1/2s"`
	noCeiling = "leave the argument out for no ceiling"
)

// parseLimit reads a ceiling such as 60/1m: so many requests, a slash, a duration.
func parseLimit(text string) (pace.Limit, error) {
	count, period, found := strings.Cut(text, "/")
	requests, err := strconv.ParseInt(count, 10, 64)
	switch {
	case !found:
		return pace.Limit{}, fmt.Errorf("%q is not a limit; %s", abridged(text), limitForm)
	case errors.Is(err, strconv.ErrSyntax):
		return pace.Limit{}, fmt.Errorf("%q before the slash is not a whole number; %s", abridged(count), limitForm)
	case err != nil || requests < 1 || requests > maxRequests:
		return pace.Limit{}, fmt.Errorf("the number of requests must be from 1 to %d, not %s; %s",
			maxRequests, abridged(count), noCeiling)
	}
	per, err := time.ParseDuration(period)
	switch {
	case err != nil && isUnit(period):
		return pace.Limit{}, fmt.Errorf("the time %q has no number; write \"%d/1%s\"", period, requests, period)
	case err != nil:
		return pace.Limit{}, fmt.Errorf("%q behind the slash is not a duration; %s", abridged(period), limitForm)
	case per < minPeriod || per > maxPeriod:
		return pace.Limit{}, fmt.Errorf("the time must be from 1ms to 24h, not %s; %s", abridged(period), noCeiling)
	}
	return pace.Limit{Requests: int(requests), Per: per}, nil
}

// isUnit tells whether text is a unit of time without its number.
func isUnit(text string) bool {
	_, err := time.ParseDuration("1" + text)
	return err == nil && !strings.ContainsAny(text, "0123456789.")
}

func parseSwitch(text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", abridged(text))
	}
	return on, nil
}
