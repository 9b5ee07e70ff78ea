package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// head is the commit that is rehearsed.
type head struct {
	root string // of the checkout it is in
	hash string
}

// describeHead finds the commit, and says so where the checkout has more than it.
func describeHead(ctx context.Context) (head, error) {
	root, err := command{args: []string{"git", "rev-parse", "--show-toplevel"}}.output(ctx)
	if err != nil {
		return head{}, err
	}
	h := head{root: strings.TrimSpace(root)}
	hash, err := command{dir: h.root, args: []string{"git", "rev-parse", "--verify", "HEAD^{commit}"}}.output(ctx)
	if err != nil {
		return head{}, err
	}
	h.hash = strings.TrimSpace(hash)
	changes, err := command{dir: h.root, args: []string{"git", "status", "--porcelain"}}.output(ctx)
	if err != nil {
		return head{}, err
	}
	say("commit %.12s", h.hash)
	if n := strings.Count(changes, "\n"); n > 0 {
		say("%d changed files are not in that commit, nor in what is built", n)
	}
	return h, nil
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
	_, err := command{env: k.env(), args: []string{
		"gpg", "--batch", "--quiet", "--pinentry-mode=loopback", "--passphrase=",
		"--quick-generate-key", "Release rehearsal <rehearsal@example.invalid>", "rsa3072", "sign", "1d",
	}}.output(ctx)
	if err != nil {
		return nil, err
	}
	listed, err := command{env: k.env(), args: []string{"gpg", "--batch", "--with-colons", "--list-secret-keys"}}.output(ctx)
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

func (k *signingKey) env() []string { return []string{"GNUPGHOME=" + k.home} }

// forget ends the agent that gpg leaves behind for its home.
func (k *signingKey) forget(ctx context.Context) {
	// After an interrupt too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = command{env: k.env(), args: []string{"gpgconf", "--kill", "all"}}.output(ctx)
}

// release is what one build left in its clone.
type release struct {
	clone     string
	dist      string
	commit    string
	version   string
	platforms []platform
}

// platform is a pair that `go tool dist list` has.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// executable is the provider's file name on a platform, as the registry wants it.
func (r release) executable(p platform) string {
	name := project + "_v" + r.version
	if p.os == "windows" {
		name += ".exe"
	}
	return name
}

func (r release) zip(p platform) string { return fmt.Sprintf("%s_%s_%s.zip", project, r.version, p) }

func (r release) manifest() string { return fmt.Sprintf("%s_%s_manifest.json", project, r.version) }

func (r release) checksums() string       { return fmt.Sprintf("%s_%s_SHA256SUMS", project, r.version) }
func (r release) path(dist string) string { return filepath.Join(r.dist, dist) }

const project = "terraform-provider-modelcatalogue"

// build makes a snapshot release of the commit in a clone of its own. A cache
// that is named is used in place of Go's own build cache.
func build(ctx context.Context, goreleaser, clone string, commit head, key *signingKey, cache string) (release, error) {
	r := release{clone: clone, dist: filepath.Join(clone, "dist"), commit: commit.hash}
	program, err := locate(goreleaser)
	if err != nil {
		return r, err
	}
	if _, err := (command{args: []string{"git", "clone", "--quiet", commit.root, clone}}).output(ctx); err != nil {
		return r, err
	}
	if _, err := (command{dir: clone, args: []string{"git", "checkout", "--quiet", "--detach", commit.hash}}).output(ctx); err != nil {
		return r, err
	}

	env := append(key.env(), "GPG_FINGERPRINT="+key.fingerprint, "GITHUB_TOKEN=")
	if cache != "" {
		env = append(env, "GOCACHE="+cache)
	}
	_, err = command{dir: clone, env: env, args: []string{program, "release", "--snapshot", "--clean", "--skip=publish"}}.output(ctx)
	if err != nil {
		return r, err
	}

	raw, err := os.ReadFile(r.path("metadata.json"))
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

	listed, err := command{args: []string{"go", "tool", "dist", "list"}}.output(ctx)
	if err != nil {
		return r, err
	}
	r.platforms = wantedPlatforms(listed)
	return r, nil
}

// wantedPlatforms picks those that a release must have from `go tool dist list`.
func wantedPlatforms(listed string) []platform {
	var wanted []platform
	for line := range strings.Lines(listed) {
		os, arch, _ := strings.Cut(strings.TrimSpace(line), "/")
		switch os {
		case "linux", "darwin", "windows", "freebsd":
		default:
			continue
		}
		switch arch {
		case "amd64", "arm64", "386", "arm":
			wanted = append(wanted, platform{os, arch})
		}
	}
	return wanted
}
