package setting

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

const (
	// maxRequests bounds the requests of a ceiling: the client keeps the time of each.
	maxRequests = 1_000_000
	// minPeriod and maxPeriod bound the period of a ceiling. One that is longer than a run has no use, because every
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
		return 0, fmt.Errorf(`%q is not a duration; write a number and a unit, such as "30s", "1m30s" or "500ms"`,
			redact.Abridged(text))
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
		return pace.Limit{}, fmt.Errorf("%q is not a limit; write a number of requests, a slash and a time, such as "+
			"%q or %q", redact.Abridged(text), "60/1m", "1/2s")
	case err != nil || requests < 1 || requests > maxRequests:
		return pace.Limit{}, fmt.Errorf("the number of requests must be from 1 to %d, not %s; leave the argument out "+
			"for no ceiling", maxRequests, redact.Abridged(count))
	case per < minPeriod || per > maxPeriod:
		return pace.Limit{}, fmt.Errorf("the time must be from 1ms to 24h, not %s; leave the argument out for no "+
			"ceiling", redact.Abridged(period))
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

// ParseCertificates reads certificates in PEM form, indented or not. It skips text between them, as in bundles. An
// error quotes nothing of the text, because that may be a private key.
func ParseCertificates(text string) ([]*x509.Certificate, error) {
	text = unindented(strings.TrimPrefix(text, byteOrderMark))
	var certificates []*x509.Certificate
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		switch {
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return nil, errors.New("it holds a private key, which only its owner should have; " +
				"give the certificate of the authority that signed the service's certificate")
		case block.Type != "CERTIFICATE":
			return nil, fmt.Errorf("it holds a block labelled %s; give blocks labelled CERTIFICATE", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d in it is broken: %w", len(certificates)+1, err)
		}
		certificates = append(certificates, certificate)
	}
	if n := len(certificates); n == 0 || strings.Count(text, beginCertificate) > n {
		cut := fmt.Sprintf("certificate %d in it is broken: its PEM block is cut short or damaged", n+1)
		return nil, errors.New(cmp.Or(certificateMistakes.about(text), cut))
	}
	return certificates, nil
}

// unindented returns a text without the white space before its lines.
func unindented(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		lines.WriteString(strings.TrimLeft(line, " \t"))
	}
	return lines.String()
}

const beginCertificate = "-----BEGIN CERTIFICATE-----"

// certificateMistakes describe texts with a certificate that cannot be read.
var certificateMistakes = hints{
	{is(IsBlank), "it is blank"},
	{mistaken, "it is {}"},
	{begins("https://", "http://"), "it is a URL; download the file, and give its content"},
	{is(isQuoted), "it has quotes around it; leave them out"},
	{is(spelledBreaks), "its line breaks are spelled \\n; give it with real line breaks"},
	{otherLabel, "it holds a block labelled {}; give blocks labelled CERTIFICATE"},
	{is(lostBreaks), "it is only one line; give all of its lines, with real line breaks"},
	{begins("LS0tLS1CRUdJ"), `it is base64 of a text in PEM form; give the text itself, with base64decode("…") in ` +
		`the configuration, or base64 -d in a shell`},
	{begins("MII"), "it looks like a certificate without the line " + beginCertificate + " before it and the line " +
		"-----END CERTIFICATE----- after it"},
	{is(fileName), `it looks like the name of a file, and the content of the file is needed; write file("…") in the ` +
		`configuration, or name the file in ` + Prefix + "CA_CERTIFICATE_PEM" + fileSuffix},
	{is(isNoPEM), "it holds no certificate in PEM form, which begins with the line " + beginCertificate},
}

// otherLabel finds the label of a block in PEM form that is not a certificate.
func otherLabel(text string) (label string, found bool) {
	_, rest, found := strings.Cut(text, "-----BEGIN ")
	label, _, ends := strings.Cut(rest, "-----")
	return redact.Abridged(label), found && ends && label != "CERTIFICATE" && isOneLine(label)
}

func isNoPEM(text string) bool { return !strings.Contains(text, "-----BEGIN ") }

func spelledBreaks(text string) bool { return !isNoPEM(text) && strings.Contains(text, `\n`) }

func lostBreaks(text string) bool { return !isNoPEM(text) && isOneLine(text) }

func isOneLine(text string) bool { return !strings.Contains(strings.TrimSpace(text), "\n") }

func fileName(text string) bool {
	ending := strings.ToLower(filepath.Ext(strings.TrimSpace(text)))
	known := slices.Contains([]string{".cer", ".crt", ".pem"}, ending)
	return isOneLine(text) && len(text) < 300 && (known || strings.ContainsAny(text, `/\`))
}
