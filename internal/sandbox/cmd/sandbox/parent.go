package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Where `go run` puts what it has built: a folder of its own, which it removes
// when it ends in order, or the build cache.
var (
	workFolder = regexp.MustCompile(`^(.*[/\\]go-build[0-9]+)[/\\]b001[/\\]exe[/\\][^/\\]+$`)
	cacheEntry = regexp.MustCompile(`[/\\][0-9a-f]{2}[/\\][0-9a-f]{64}-d[/\\][^/\\]+$`)
)

// withoutOrphans ends ctx when `go run` is gone, if that started this program:
// whoever ends `go run` by a signal other than an interrupt ends only `go run`,
// and this program would keep the port. cleanUp removes what it left then.
//
// On Windows a process keeps the number of a parent that is gone, so that
// there the sandbox has to be ended itself.
//
// A program that was started otherwise outlives its parent, as a job that a
// shell leaves in the background has to.
func withoutOrphans(ctx context.Context) (_ context.Context, cleanUp func()) {
	executable, err := os.Executable()
	if err != nil {
		return ctx, func() {}
	}
	work := workFolder.FindStringSubmatch(executable)
	if work == nil && !cacheEntry.MatchString(executable) {
		return ctx, func() {}
	}
	parent := os.Getppid()
	ctx, orphaned := context.WithCancel(ctx)
	go func() {
		defer orphaned()
		for os.Getppid() == parent {
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		if os.Getppid() != parent && work != nil && filepath.IsAbs(work[1]) {
			_ = os.RemoveAll(work[1])
		}
		orphaned()
	}
}
