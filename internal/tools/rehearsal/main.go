// Command rehearsal makes a release of the commit that is checked out and does
// with it what a user does, up to a plan. Nothing is published.
//
// It signs with a key made for the occasion, verifies checksums and signatures,
// holds each archive and its bill of materials against what the registries and
// the project ask of it, installs the provider from a filesystem mirror with a
// real engine, plans against the released sandbox, shows that a changed package
// is refused, and builds the same commit a second time to compare the two byte
// by byte. It needs git and gpg beside Go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := rehearse(ctx, os.Args[1:])
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "rehearsal: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "rehearsal:", err)
		os.Exit(1)
	}
}

func rehearse(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("rehearsal", flag.ContinueOnError)
	goreleaser := flags.String("goreleaser", ".cache/bin/goreleaser", "the path of the goreleaser `program`")
	keep := flags.String("keep", "", "a `directory` that must not exist yet, to keep the release in")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	with, err := engine.Find(ctx)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "rehearsal")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	// Paths are compared and looked for in binaries: no links in them.
	if work, err = filepath.EvalSymlinks(work); err != nil {
		return err
	}

	commit, err := describeHead(ctx)
	if err != nil {
		return err
	}
	key, err := newSigningKey(ctx, filepath.Join(work, "gpg"))
	if err != nil {
		return err
	}
	defer key.forget(ctx)

	start := time.Now()
	first, err := build(ctx, *goreleaser, filepath.Join(work, "first"), commit, key, "")
	if err != nil {
		return err
	}
	say("built %s in %s", first.version, time.Since(start).Round(time.Second))

	if err := verifyChecksums(ctx, first, key); err != nil {
		return err
	}
	if err := verifyArchives(first, work); err != nil {
		return err
	}
	if err := install(ctx, with, filepath.Join(work, "install"), first); err != nil {
		return err
	}

	// With a cache of its own: nothing of the first build can be in the second.
	start = time.Now()
	second, err := build(ctx, *goreleaser, filepath.Join(work, "second"), commit, key, filepath.Join(work, "gocache"))
	if err != nil {
		return err
	}
	if err := compareBuilds(first, second); err != nil {
		return err
	}
	say("a second clone, compiled afresh in %s, gives the same archives, bills of materials and checksums, byte by byte",
		time.Since(start).Round(time.Second))

	if *keep != "" {
		if err := os.CopyFS(*keep, os.DirFS(first.path(""))); err != nil {
			return err
		}
		say("kept in %s", *keep)
	}
	say("the rehearsal of %s is complete; nothing was published", first.version)
	return nil
}

// say prints one line of progress.
func say(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
}
