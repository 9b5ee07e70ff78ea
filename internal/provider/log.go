package provider

import (
	"context"
	"strconv"

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
	for name, value := range fields {
		if value == "" {
			delete(fields, name)
		}
	}
	tflog.Debug(ctx, "Catalogue request", fields)
}

// logWait writes why the process waits, in a sentence.
func logWait(ctx context.Context, sentence string) { tflog.Debug(ctx, sentence) }
