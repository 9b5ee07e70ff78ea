package provider

import (
	"crypto/x509"
	"encoding/base64"
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
		return pace.Limit{}, fmt.Errorf("%q is not a limit; %s", explain.Abridged(text), limitForm)
	case errors.Is(err, strconv.ErrSyntax):
		return pace.Limit{}, fmt.Errorf("%q before the slash is not a whole number; %s", explain.Abridged(count), limitForm)
	case err != nil || requests < 1 || requests > maxRequests:
		return pace.Limit{}, fmt.Errorf("the number of requests must be from 1 to %d, not %s; %s",
			maxRequests, explain.Abridged(count), noCeiling)
	}
	per, err := time.ParseDuration(period)
	switch {
	case err != nil && isUnit(period):
		return pace.Limit{}, fmt.Errorf("the time %q has no number; write \"%d/1%s\"", period, requests, period)
	case err != nil:
		return pace.Limit{}, fmt.Errorf("%q behind the slash is not a duration; %s", explain.Abridged(period), limitForm)
	case per < minPeriod || per > maxPeriod:
		return pace.Limit{}, fmt.Errorf("the time must be from 1ms to 24h, not %s; %s", explain.Abridged(period), noCeiling)
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
		return false, fmt.Errorf("%q is neither true nor false", explain.Abridged(text))
	}
	return on, nil
}

// parseCertificates reads certificates in PEM form. Text between them is skipped, as bundles have
// it. An error says what text is instead, and quotes none of it, because it may be a private key.
func parseCertificates(text string) ([]*x509.Certificate, error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	var certificates []*x509.Certificate
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		switch {
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return nil, errors.New("it holds a private key, which nobody but its owner may have; " +
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
	begun := strings.Count(text, "-----BEGIN CERTIFICATE-----")
	switch {
	case begun > len(certificates):
		return nil, errors.New(problemOfPEM(text, len(certificates)+1))
	case len(certificates) > 0:
		return certificates, nil
	case inBase64(text):
		return nil, errors.New("it looks like base64 of a PEM text; give the text itself, by " +
			`base64decode("…") in the configuration, or base64 -d in a shell`)
	case !strings.ContainsAny(strings.TrimSpace(text), "\n"):
		return nil, errors.New("it looks like the name of a file, and the content of the file is needed; " +
			`write file("…") in the configuration, or "$(cat …)" in a shell`)
	default:
		return nil, errors.New("it holds no certificate in PEM form, which begins with the line -----BEGIN " +
			"CERTIFICATE-----")
	}
}

// problemOfPEM says why certificate n of a PEM text cannot be read.
func problemOfPEM(text string, n int) string {
	switch {
	case strings.Contains(text, `\n`):
		return `its line breaks are spelled \n; give the text with real line breaks`
	case !strings.ContainsAny(strings.TrimSpace(text), "\r\n"):
		return "its line breaks are missing; give the text with real line breaks"
	}
	return fmt.Sprintf("certificate %d in it is broken: its PEM block is cut short or damaged", n)
}

// inBase64 tells whether text is a PEM text in base64, as CI systems and Kubernetes keep files.
func inBase64(text string) bool {
	const begin = "-----BEGIN "
	packed := strings.Join(strings.Fields(text), "")
	length := min(len(packed), base64.StdEncoding.EncodedLen(len(begin))) &^ 3
	decoded, err := base64.StdEncoding.DecodeString(packed[:length])
	return err == nil && strings.HasPrefix(string(decoded), begin)
}
