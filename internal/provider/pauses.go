package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

const (
	// longPause is how long pauses have to last in all for a warning: a plan that stands still prints nothing by itself.
	longPause = time.Minute
	// standstill is enough for a busy engine to begin the next block when one has ended. A run waits it out once, for
	// the warning.
	standstill = time.Second
)

// warnOfPauses warns, once in a process, of pauses that have held back its reads for a long time in all. No read
// knows whether it is the last. The warning comes with one that succeeds, and after which no other begins for a moment:
// it is about the run so far.
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
