package provider

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// progress counts the reads of a fleet's groups, or of the process's blocks. It is safe for concurrent use.
type progress struct {
	mu     sync.Mutex
	groups int // in the fleet; 0 for blocks, whose number is unknown
	begun  int
	ended  int
	read   int       // ended without an error
	logged time.Time // the time of the last log line
	// next is closed when the next read begins. It is nil while any is under way.
	next chan struct{}
}

// progressKey is the context key for the progress to which a read belongs.
type progressKey struct{}

func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun++
	if p.next != nil {
		close(p.next)
		p.next = nil
	}
}

// end counts a read as ended. It returns a channel that is closed when the next one begins, or nil if others are under
// way.
func (p *progress) end(isRead bool) (next <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended++
	if isRead {
		p.read++
	}
	if p.begun > p.ended {
		return nil
	}
	p.next = make(chan struct{})
	return p.next
}

// say returns the counts for a log line, or "" for a single block, and records the time. A group with an error,
// such as one without models, does not count as read.
func (p *progress) say() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logged = time.Now()
	switch {
	case p.groups == 0 && p.begun < 2:
		return ""
	case p.groups == 0:
		return fmt.Sprintf("%d blocks read, %d under way", p.read, p.begun-p.ended)
	}
	return fmt.Sprintf("%d of %d groups read", p.read, p.groups)
}

// progressEvery is the least time between two log lines.
const progressEvery = time.Second

// log writes a line if the last one is old enough, or if every group has ended.
func (p *progress) log(ctx context.Context) {
	p.mu.Lock()
	isDue := p.ended == p.groups || time.Since(p.logged) >= progressEvery
	p.mu.Unlock()
	if isDue {
		tflog.Info(ctx, p.say())
	}
}

// sentence returns the counts for a message, or "" for a single group or block.
func (p *progress) sentence() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case max(p.groups, p.begun) < 2:
		return ""
	case p.groups == 0:
		return fmt.Sprintf("Blocks of this run that were read: %d.", p.read)
	}
	return fmt.Sprintf("%d of %d groups were read.", p.read, p.groups)
}
