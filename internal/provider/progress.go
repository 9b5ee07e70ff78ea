package provider

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// progress is how far the groups of a fleet are read, or the blocks of the process. Any goroutine may ask it.
type progress struct {
	mu     sync.Mutex
	groups int // of the fleet; 0 for blocks, because nobody knows how many come
	begun  int
	ended  int
	read   int       // without an error
	logged time.Time // when the log last said how far it was
	// next is closed when the next one begins. It is nil while some are under way.
	next chan struct{}
}

// progressKey is the key of the progress that a read is a part of, in its context.
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

// end returns a channel that is closed when the next one begins, or nil if others are under way.
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

// say returns how far it is for a line of the log, and records that the log says it. It returns "" if there is only
// one block. A group that was answered with an error, such as one without models, does not count as read.
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

// progressEvery is the least time between two lines of progress in the log.
const progressEvery = time.Second

// log writes a line if the last is old enough, or if every group was asked for.
func (p *progress) log(ctx context.Context) {
	p.mu.Lock()
	isDue := p.ended == p.groups || time.Since(p.logged) >= progressEvery
	p.mu.Unlock()
	if isDue {
		tflog.Info(ctx, p.say())
	}
}

// sentence says in a message how far it was. It returns "" if there is only one group or block.
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
