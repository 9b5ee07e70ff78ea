package provider

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// blocks counts the data source blocks that the process reads.
type blocks struct {
	mu       sync.Mutex
	underWay int
	ended    int
	read     int           // without an error
	next     chan struct{} // closed when the next block begins, nil while some are under way
}

func (b *blocks) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.underWay++
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// end returns a channel that is closed when the next block begins, or nil if other blocks are under way.
func (b *blocks) end(hasError bool) (next <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.underWay--
	b.ended++
	if !hasError {
		b.read++
	}
	if b.underWay > 0 {
		return nil
	}
	b.next = make(chan struct{})
	return b.next
}

// say returns how many blocks are read and under way, "" if there is only one so far.
func (b *blocks) say() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended+b.underWay < 2 {
		return ""
	}
	return fmt.Sprintf("%d blocks read, %d under way", b.read, b.underWay)
}

// howFar says in a sentence how many blocks are read, "" if there is only one so far.
func (b *blocks) howFar() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended+b.underWay < 2 {
		return ""
	}
	return fmt.Sprintf("Blocks of this run that were read: %d.", b.read)
}

const (
	// longPause is the shortest pause worth a warning: a plan that stands still says nothing by itself.
	longPause = time.Minute
	// moment is enough for a busy engine to begin the next block when one has ended. A run waits it out once, for the
	// warning.
	moment = time.Second
)

// warnOfPauses warns, once in a process, of pauses that have held back its reads for a long time in all. No read knows
// whether it is the last. The warning comes with one after which no other begins for a moment, and speaks of the run so
// far.
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
	case <-time.After(moment):
	}
	if c.warned.CompareAndSwap(false, true) {
		diags.AddWarning(explain.SummaryHeldBack, c.explainer.HeldBack(held))
	}
}
