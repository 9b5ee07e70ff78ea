package provider

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
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
			explain.Abridged(text))
	case d <= 0:
		return 0, fmt.Errorf("%q is not a time to wait; it must be longer than zero", explain.Abridged(text))
	}
	return d, nil
}

func parseRetries(text string) (int, error) {
	number, _, err := big.ParseFloat(text, 10, numberPrecision, big.ToNearestEven)
	if err != nil || number.IsInf() {
		return 0, fmt.Errorf("%q is not a number; write a whole number such as 4", explain.Abridged(text))
	}
	retries, err := wholeNumber(number)
	if err != nil {
		return 0, fmt.Errorf("it %w", err)
	}
	return int(min(retries, math.MaxInt32)), nil
}

// parseLimit reads a ceiling such as 60/1m: a number of requests, a slash, a time.
func parseLimit(text string) (pace.Limit, error) {
	count, period, _ := strings.Cut(text, "/")
	requests, err := strconv.ParseInt(count, 10, 64)
	per, errPeriod := time.ParseDuration(period)
	switch {
	case errors.Is(err, strconv.ErrSyntax) || errPeriod != nil:
		return pace.Limit{}, fmt.Errorf("%q is not a limit; write a number of requests, a slash and a time, such as %q or %q",
			explain.Abridged(text), "60/1m", "1/2s")
	case err != nil || requests < 1 || requests > maxRequests:
		return pace.Limit{}, fmt.Errorf("the number of requests must be from 1 to %d, not %s; leave the argument out for "+
			"no ceiling", maxRequests, explain.Abridged(count))
	case per < minPeriod || per > maxPeriod:
		return pace.Limit{}, fmt.Errorf("the time must be from 1ms to 24h, not %s; leave the argument out for no ceiling",
			explain.Abridged(period))
	}
	return pace.Limit{Requests: int(requests), Per: per}, nil
}

func parseSwitch(text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", explain.Abridged(text))
	}
	return on, nil
}

// parseCertificates reads certificates in PEM form, indented or not. Text between them is skipped, as
// bundles have it. An error says what text is instead, and quotes none of it, because it may be a private key.
func parseCertificates(text string) ([]*x509.Certificate, error) {
	var unindented strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(text, byteOrderMark)) {
		unindented.WriteString(strings.TrimLeft(line, " \t"))
	}
	text = unindented.String()
	var certificates []*x509.Certificate
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		switch {
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return nil, errors.New("it holds a private key, which only its owner should have; " +
				"give the certificate of the authority that signed the service's certificate")
		case block.Type != "CERTIFICATE":
			return nil, fmt.Errorf("it holds a %s, and only certificates are read from it", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d in it is broken: %w", len(certificates)+1, err)
		}
		certificates = append(certificates, certificate)
	}
	switch {
	case strings.Count(text, "-----BEGIN CERTIFICATE-----") > len(certificates):
		return nil, fmt.Errorf("certificate %d in it is broken: its PEM block is cut short or damaged, or its line breaks "+
			"are lost or spelled \\n", len(certificates)+1)
	case len(certificates) == 0:
		return nil, errors.New("it holds no certificate in PEM form, which begins with the line -----BEGIN CERTIFICATE-----; " +
			`give the text itself, such as file("…") in the configuration, or "$(cat …)" in a shell`)
	}
	return certificates, nil
}
