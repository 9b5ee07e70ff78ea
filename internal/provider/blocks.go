package provider

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// blocks counts the data source blocks that the process reads.
type blocks struct {
	mu              sync.Mutex
	underWay, ended int
	read            int // without an error
}

func (b *blocks) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.underWay++
}

// end reports whether no other block is under way. That is so at the end of a plan, and may be so before.
func (b *blocks) end(failed bool) (noneLeft bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.underWay--
	b.ended++
	if !failed {
		b.read++
	}
	return b.underWay == 0
}

// say returns how many blocks are read, "" if there is only one so far.
func (b *blocks) say() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended == 0 && b.underWay < 2 {
		return ""
	}
	return fmt.Sprintf("%d blocks read, %d under way", b.read, b.underWay)
}

// longPause is the shortest pause worth a warning: a plan that stands still says nothing by itself.
const longPause = time.Minute

// warnOfPauses warns, once in a process, of pauses that held back its reads for a long time in all. No read knows
// whether it is the last, so the warning speaks of the run so far.
func (c *connection) warnOfPauses(diags *diag.Diagnostics) {
	held := c.client.Paused().Round(time.Second)
	if held < longPause {
		return
	}
	c.warned.Do(func() { diags.AddWarning(explain.SummaryHeldBack, c.explainer.HeldBack(held)) })
}
