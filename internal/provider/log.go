package provider

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

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

// logWait writes what keeps the process waiting: a pause, a retry, an outage, a
// token. It is for whoever wonders why a plan stands still, so it is not hidden
// among the lines of requests. The log adds a colon to a sentence and then fields.
func logWait(ctx context.Context, sentence string) {
	tflog.Info(ctx, strings.TrimSuffix(sentence, "."))
}
