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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// logConfigured writes one line with the resolved configuration and the origin of each value. Credentials appear by
// their origin only, headers by their names.
func logConfigured(ctx context.Context, s settings.Resolved, version string) {
	var parts []string
	for _, argument := range settings.Arguments {
		from, given := s.Origins[argument]
		part := strings.TrimSpace(argument + " " + s.Shown[argument])
		switch {
		case slices.Contains(s.Unknown, argument):
			part = argument + " not known yet"
		case !given:
			continue
		case from.String() == "":
			part += " by default"
		default:
			part += " from " + from.String()
		}
		if len(from.Over) > 0 {
			part += " (not from " + explain.Enumerated(from.Over) + ")"
		}
		parts = append(parts, part)
	}
	if len(s.Withheld) > 0 {
		parts = append(parts, "not used, because of the different address in MODELCATALOGUE_BASE_URL: "+
			explain.Enumerated(s.Withheld))
	}
	if proxy := s.Client.Proxy; proxy != nil {
		parts = append(parts, fmt.Sprintf("proxy %s from %s", proxy.Address, proxy.Variable))
	}
	tflog.Info(ctx, "Configured: "+strings.Join(append(parts, "provider "+version), ", "))
}

// logExchange writes one line for each request. Every field is a string: the masks of terraform-plugin-log apply to
// nothing else.
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

// exchangeLine returns the line for an exchange.
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

// logWait writes why the process waits: a pause, a retry, an outage, a token. The level is higher than that of
// requests, because it explains a plan that stands still. The line begins with the progress of a fleet, and has no full
// stop: the log adds a colon and fields.
func logWait(ctx context.Context, sentence string) {
	sentence = strings.TrimSuffix(sentence, ".")
	if far, ok := ctx.Value(progressKey{}).(*progress); ok {
		if line := far.say(); line != "" {
			sentence = line + ", " + strings.ToLower(sentence[:1]) + sentence[1:]
		}
	}
	tflog.Info(ctx, sentence)
}
