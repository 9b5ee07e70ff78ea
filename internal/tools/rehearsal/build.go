package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// head is the commit that is rehearsed.
type head struct {
	root string // of the checkout it is in
	hash string
}

// describeHead finds the commit, and says so where the checkout has more than it.
func describeHead(ctx context.Context) (head, error) {
	root, err := run(ctx, "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return head{}, err
	}
	h := head{root: strings.TrimSpace(root)}
	hash, err := run(ctx, h.root, "git", "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return head{}, err
	}
	h.hash = strings.TrimSpace(hash)
	changes, err := run(ctx, h.root, "git", "status", "--porcelain")
	if err != nil {
		return head{}, err
	}
	say("commit %.12s", h.hash)
	if n := strings.Count(changes, "\n"); n > 0 {
		say("%d changed files are not in that commit, nor in what is built", n)
	}
	return h, nil
}

// run runs a program in dir and returns what it wrote to standard output.
func run(ctx context.Context, dir, program string, arguments ...string) (string, error) {
	cmd := engine.Command(ctx, program, arguments...)
	cmd.Dir = dir
	return engine.Output(cmd)
}

// signingKey is a GnuPG home with one key in it.
type signingKey struct {
	home        string
	fingerprint string
}

func newSigningKey(ctx context.Context, home string) (*signingKey, error) {
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	k := &signingKey{home: home}
	// RSA: the registry takes no elliptic curves.
	_, err := k.gpg(ctx, "--quiet", "--pinentry-mode=loopback", "--passphrase=",
		"--quick-generate-key", "Release rehearsal <rehearsal@example.invalid>", "rsa3072", "sign", "1d")
	if err != nil {
		return nil, err
	}
	listed, err := k.gpg(ctx, "--with-colons", "--list-secret-keys")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(listed) {
		if fields := strings.Split(line, ":"); fields[0] == "fpr" && len(fields) > 9 {
			k.fingerprint = fields[9]
			return k, nil
		}
	}
	return nil, fmt.Errorf("gpg lists no key after making one:\n%s", listed)
}

// gpg runs gpg on the key's home.
func (k *signingKey) gpg(ctx context.Context, arguments ...string) (string, error) {
	return run(ctx, "", "gpg", append([]string{"--batch", "--homedir", k.home}, arguments...)...)
}

// forget ends the agent that gpg leaves behind for its home.
func (k *signingKey) forget(ctx context.Context) {
	// After an interrupt too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = run(ctx, "", "gpgconf", "--homedir", k.home, "--kill", "all")
}

// build makes a snapshot release of the commit in a clone of its own. A cache
// that is named is used in place of Go's own build cache.
func build(ctx context.Context, goreleaser, clone string, commit head, key *signingKey, cache string) (release, error) {
	r := release{clone: clone, commit: commit.hash}
	goreleaser, err := filepath.Abs(goreleaser)
	if err != nil {
		return r, err
	}
	if _, err := run(ctx, "", "git", "clone", "--quiet", commit.root, clone); err != nil {
		return r, err
	}
	if _, err := run(ctx, clone, "git", "checkout", "--quiet", "--detach", commit.hash); err != nil {
		return r, err
	}

	cmd := engine.Command(ctx, "tools/release.sh", "--snapshot")
	cmd.Dir = clone
	cmd.Env = append(os.Environ(), "GORELEASER="+goreleaser, "GNUPGHOME="+key.home, "GPG_FINGERPRINT="+key.fingerprint)
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	if _, err := engine.Output(cmd); err != nil {
		return r, err
	}

	raw, err := os.ReadFile(filepath.Join(clone, "dist", "metadata.json")) //nolint:gosec // of the clone
	if err != nil {
		return r, err
	}
	var metadata struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(raw, &metadata); err != nil {
		return r, fmt.Errorf("metadata.json: %w", err)
	}
	r.version = metadata.Version

	listed, err := run(ctx, "", "go", "tool", "dist", "list")
	if err != nil {
		return r, err
	}
	r.platforms = wantedPlatforms(listed)
	return r, nil
}
