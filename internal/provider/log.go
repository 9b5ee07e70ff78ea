package provider

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// logConfigured writes one line with what the configuration came to, and where
// each value came from. Credentials are told by their origin only.
func logConfigured(ctx context.Context, s settings, version string) {
	tflog.Info(ctx, "Configured: "+strings.Join(configuredParts(s, version), ", "))
}

func configuredParts(s settings, version string) []string {
	var parts []string
	values := settled(s.client)
	for _, argument := range providerArguments {
		value, used := values[argument]
		from, given := s.origins[argument]
		switch {
		case slices.Contains(s.unknown, argument):
			parts = append(parts, argument+" not known yet")
		case given:
			parts = append(parts, strings.TrimSpace(argument+" "+value)+" from "+from.String())
		case used && value == "":
			parts = append(parts, "no "+argument)
		case used:
			parts = append(parts, argument+" "+value+" by default")
		}
		if len(from.Over) > 0 {
			parts[len(parts)-1] += " (not from " + explain.Enumerated(from.Over) + ")"
		}
	}
	through := "no proxy"
	if proxy := s.client.Proxy; proxy != nil {
		through = fmt.Sprintf("proxy %s from %s", proxy.Address, proxy.Variable)
	}
	parts = append(parts, through)
	if len(s.unread) > 0 {
		parts = append(parts, "not read: "+explain.Enumerated(s.unread))
	}
	return append(parts, "provider "+version)
}

// settled is what the arguments came to: those that are given, and those that have a
// value or "" where nothing gives one. Credentials are left out.
func settled(client catalogue.Config) map[string]string {
	values := map[string]string{
		argRequestTimeout: client.RequestTimeout.String(), argReadTimeout: client.ReadTimeout.String(),
		argMaxRetries: strconv.Itoa(client.MaxRetries), argMaxRequests: "", argSnapshot: strconv.FormatBool(client.Snapshot),
	}
	if client.Ceiling.Requests > 0 {
		values[argMaxRequests] = client.Ceiling.String()
	}
	if client.BaseURL != nil {
		values[argBaseURL] = client.BaseURL.String()
	}
	switch n := len(client.CACertificates); n {
	case 0:
	case 1:
		values[argCACertificate] = "of 1 certificate"
	default:
		values[argCACertificate] = fmt.Sprintf("of %d certificates", n)
	}
	return values
}

// logExchange writes one line for each request. Every field is a string, since
// the masks of terraform-plugin-log reach nothing else.
func logExchange(ctx context.Context, exchange catalogue.Exchange) {
	fields := map[string]any{
		"http_method":  exchange.Method,
		"http_path":    exchange.Path,
		"http_status":  strconv.Itoa(exchange.Status),
		"attempt":      strconv.Itoa(exchange.Attempt),
		"duration_ms":  strconv.FormatInt(exchange.Duration.Milliseconds(), 10),
		"size_bytes":   strconv.FormatInt(exchange.Size, 10),
		"request_id":   exchange.RequestID,
		"http_problem": exchange.Problem,
	}
	if exchange.Waited > 0 {
		fields["waited_ms"] = strconv.FormatInt(exchange.Waited.Milliseconds(), 10)
		fields["waited_for"] = exchange.WaitedFor
	}
	for name, value := range fields {
		if value == "" {
			delete(fields, name)
		}
	}
	tflog.Debug(ctx, exchangeLine(exchange), fields)
}

// exchangeLine says what the fields say, for a reader.
func exchangeLine(exchange catalogue.Exchange) string {
	result := strconv.Itoa(exchange.Status)
	if exchange.Status == 0 {
		result = "without an answer"
	}
	line := fmt.Sprintf("%s %s %s in %d ms, attempt %d",
		exchange.Method, exchange.Path, result, exchange.Duration.Milliseconds(), exchange.Attempt)
	if exchange.Problem != "" {
		line += ": " + exchange.Problem
	}
	return line
}

// logWait writes what keeps the process waiting: a pause, a retry, an outage, a token. It is
// for whoever wonders why a plan stands still, so it is not hidden among the lines of
// requests, and says how far a fleet is. The log adds a colon to a sentence and then fields.
func logWait(ctx context.Context, sentence string) {
	sentence = strings.TrimSuffix(sentence, ".")
	if far := progressOf(ctx); far != "" {
		sentence = far + ", " + strings.ToLower(sentence[:1]) + sentence[1:]
	}
	tflog.Info(ctx, sentence)
}
