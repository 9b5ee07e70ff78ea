package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

const (
	// longPause is the least total of pauses for a warning. A plan prints nothing by itself while it waits.
	longPause = time.Minute
	// standstill is enough for a busy engine to begin the next block after one has ended. A read that may be the last
	// waits that long, until one has warned.
	standstill = time.Second
)

// warnOfPauses warns once in a process if pauses have held its reads back by longPause or more in total. No read knows
// whether it is the last, so the warning comes with a successful one if no other is under way, and none begins within
// standstill.
func (c *connection) warnOfPauses(ctx context.Context, next <-chan struct{}, diags *diag.Diagnostics) {
	held := c.client.TotalPause().Round(time.Second)
	if next == nil || held < longPause || c.warned.Load() {
		return
	}
	select {
	case <-next:
		return
	case <-ctx.Done():
		return
	case <-time.After(standstill):
	}
	if c.warned.CompareAndSwap(false, true) {
		diags.AddWarning(explain.SummaryHeldBack, c.explainer.HeldBack(held))
	}
}
