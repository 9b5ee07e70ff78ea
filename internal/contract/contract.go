// Package contract is the service's interface, cited by the client and the sandbox, and owned by neither. INTERFACE.md
// has its rules, openapi.json its fields, and the code reads its headers.
package contract

import (
	_ "embed"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the interface as an OpenAPI 3.1 document.
func OpenAPI() []byte { return slices.Clone(openAPI) }

// RetryAfter reads a Retry-After header (RFC 9110 §10.2.3): seconds, with a fraction or not, or an HTTP date, counted
// from the answer's Date or else from now. ok is false for anything but a wait.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	const longest = 100 * 365 * 24 * time.Hour // within what a time.Duration holds
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, _ := strconv.ParseFloat(text, 64); seconds > 0 {
		return time.Duration(math.Round(min(seconds, longest.Seconds()) * float64(time.Second))), true
	}
	until, err := http.ParseTime(text)
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	if err != nil || !until.After(now) {
		return 0, false
	}
	return until.Sub(now), true
}
