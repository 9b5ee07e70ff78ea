package provider

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// progress is how far the groups of a fleet are read, or the blocks of the process. Any goroutine may ask it.
type progress struct {
	mu       sync.Mutex
	groups   int // of the fleet; 0 for blocks, because nobody knows how many come
	begun    int
	ended    int
	answered int // groups that the service has answered for, with an error or without
	read     int // without an error
	logged   int // how many had ended when the log last said so
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
func (p *progress) end(isAnswered, isRead bool) (next <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended++
	if isAnswered {
		p.answered++
	}
	if isRead {
		p.read++
	}
	if p.begun > p.ended {
		return nil
	}
	p.next = make(chan struct{})
	return p.next
}

// say returns how far it is for a line of the log, and takes note that the log says so. It returns "" if there is only
// one block. A group that was answered with an error, such as one without models, is not read.
func (p *progress) say() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logged = p.ended
	switch {
	case p.groups == 0 && p.begun < 2:
		return ""
	case p.groups == 0:
		return fmt.Sprintf("%d blocks read, %d under way", p.read, p.begun-p.ended)
	case p.ended > p.read:
		return fmt.Sprintf("%d of %d groups asked for, %d of them read", p.ended, p.groups, p.read)
	}
	return fmt.Sprintf("%d of %d groups read", p.read, p.groups)
}

// log writes a line if more have ended than the log says.
func (p *progress) log(ctx context.Context) {
	p.mu.Lock()
	isSaid := p.logged == p.ended
	p.mu.Unlock()
	if !isSaid {
		tflog.Info(ctx, p.say())
	}
}

// sentence says in a message how far it was when err ended a read. It returns "" if there is only one group or block.
func (p *progress) sentence(err error) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case max(p.groups, p.begun) < 2:
		return ""
	case p.groups == 0:
		return fmt.Sprintf("Blocks of this run that were read: %d.", p.read)
	case errors.Is(err, context.Canceled):
		return fmt.Sprintf("%d of %d groups were read.", p.read, p.groups)
	}
	return fmt.Sprintf("%d groups: %d answered, %d failed, %d not requested.",
		p.groups, p.answered, p.begun-p.answered, p.groups-p.begun)
}
