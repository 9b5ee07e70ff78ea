package setting

import (
	"errors"
	"fmt"
	"math"
	"math/big"
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
	// numberPrecision is that of an engine's numbers, in bits.
	numberPrecision = 512
)

// ParseDuration reads a time that is longer than zero.
func ParseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf(`%q is not a duration; write numbers with the units h, m, s or ms, such as "30s", `+
			`"1m30s" or "500ms"`, redact.Abridged(text))
	case d <= 0:
		return 0, fmt.Errorf("%q is not a time to wait; it must be longer than zero", redact.Abridged(text))
	}
	return d, nil
}

// ParseLimit reads a ceiling such as 60/1m: a number of requests, a slash, a time.
func ParseLimit(text string) (pace.Limit, error) {
	count, period, _ := strings.Cut(text, "/")
	requests, err := strconv.ParseInt(count, 10, 64)
	per, errPeriod := time.ParseDuration(period)
	switch {
	case errors.Is(err, strconv.ErrSyntax) || errPeriod != nil:
		return pace.Limit{}, fmt.Errorf("%q is not a limit; write a number of requests, a slash and a time in h, m, "+
			"s or ms, such as %q or %q", redact.Abridged(text), "60/1m", "1/2s")
	case err != nil || requests < 1 || requests > maxRequests:
		return pace.Limit{}, fmt.Errorf("the number of requests must be from 1 to %d, not %s; leave the argument out "+
			"to lift the ceiling", maxRequests, redact.Abridged(count))
	case per < minPeriod || per > maxPeriod:
		return pace.Limit{}, fmt.Errorf("the time must be from 1ms to 24h, not %s; leave the argument out to lift "+
			"the ceiling", redact.Abridged(period))
	}
	return pace.Limit{Requests: int(requests), Per: per}, nil
}

// ParseRetries reads how many further attempts a request may make.
func ParseRetries(text string) (int, error) {
	number, _, err := big.ParseFloat(text, 10, numberPrecision, big.ToNearestEven)
	if err != nil || number.IsInf() {
		return 0, fmt.Errorf("%q is not a number; write a whole number such as 4", redact.Abridged(text))
	}
	retries, err := WholeNumber(number)
	if err != nil {
		return 0, fmt.Errorf("it %w", err)
	}
	return int(min(retries, math.MaxInt32)), nil
}

// WholeNumber returns a number of a configuration that counts something. The framework's own whole numbers call 1.5 an
// error in the provider.
func WholeNumber(number *big.Float) (int64, error) {
	whole, accuracy := number.Int64()
	switch {
	case !number.IsInt():
		return 0, fmt.Errorf("must be a whole number, not %s", number.Text('g', 20))
	case number.Sign() < 0:
		return 0, fmt.Errorf("must be at least 0, not %s", number.Text('g', 20))
	case accuracy != big.Exact:
		return 0, fmt.Errorf("must be at most %d, not %s", int64(math.MaxInt64), number.Text('g', 20))
	}
	return whole, nil
}
