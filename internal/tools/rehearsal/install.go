package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

const configuration = `terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "%s"
    }
  }
}

data "modelcatalogue_model_groups" "all" {}

output "model_groups" {
  value = length(data.modelcatalogue_model_groups.all.model_groups)
}
`

// here is the platform of this machine.
var here = platform{os: runtime.GOOS, arch: runtime.GOARCH}

// install does with the release what its user does: init from a mirror, a plan
// against the sandbox, and init again where the mirror holds another zip than the
// one of the lock file.
func install(ctx context.Context, with engine.Engine, dir string, r release) error {
	w := engine.Workspace{Engine: with, Dir: filepath.Join(dir, "root")}
	mirror := filepath.Join(dir, "mirror", with.RegistryHost(), "modelcatalogue", "modelcatalogue")
	for _, folder := range []string{w.Dir, mirror} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	settings, err := engine.Mirror(filepath.Join(dir, "engine.tfrc"), filepath.Join(dir, "mirror"))
	if err != nil {
		return err
	}
	w.Env = engine.Environment(settings)
	main := fmt.Appendf(nil, configuration, r.version)
	if err := os.WriteFile(filepath.Join(w.Dir, "main.tf"), main, 0o600); err != nil {
		return err
	}
	released := r.path(r.archive(provider, here))
	mirrored := filepath.Join(mirror, filepath.Base(released))
	if err := copyFile(mirrored, released); err != nil {
		return err
	}

	if _, err := w.Run(ctx, "init"); err != nil {
		return err
	}
	hash, err := dirhash.HashZip(released, dirhash.Hash1)
	if err != nil {
		return err
	}
	locked, err := os.ReadFile(filepath.Join(w.Dir, ".terraform.lock.hcl"))
	if err != nil {
		return err
	}
	for _, want := range []string{with.RegistryHost() + "/modelcatalogue/modelcatalogue", r.version, hash} {
		if !bytes.Contains(locked, fmt.Appendf(nil, "%q", want)) {
			return fmt.Errorf("the lock file lacks %q:\n%s", want, locked)
		}
	}
	say("%s installs %s from a mirror and locks its checksum", with, r.version)

	if err := plan(ctx, w, r); err != nil {
		return err
	}
	return refuseChanged(ctx, w, mirrored, released)
}

// plan reads the catalogue of the sandbox through the provider, both as released.
func plan(ctx context.Context, w engine.Workspace, r release) error {
	content, err := openArchive(r, sandbox, here)
	if err != nil {
		return err
	}
	program := filepath.Join(filepath.Dir(w.Dir), r.executable(sandbox, here))
	if err := os.WriteFile(program, content, 0o700); err != nil {
		return err
	}
	credentials, stop, err := startSandbox(ctx, program)
	if err != nil {
		return err
	}
	defer stop()
	w.Env = append(w.Env, credentials...)
	if _, err := w.Run(ctx, "plan", "-out=tfplan"); err != nil {
		return err
	}
	shown, err := w.Run(ctx, "show", "-json", "tfplan")
	if err != nil {
		return err
	}
	var planned struct {
		Values struct {
			Outputs map[string]struct{ Value float64 } `json:"outputs"`
		} `json:"planned_values"`
	}
	if err := json.Unmarshal([]byte(shown), &planned); err != nil {
		return fmt.Errorf("show -json: %w", err)
	}
	groups := planned.Values.Outputs["model_groups"].Value
	if groups < 1 {
		return fmt.Errorf("the plan finds %v model groups in the sandbox", groups)
	}
	say("the installed provider reads %v model groups of the released sandbox", groups)
	return nil
}

// startSandbox runs the program on a free port until stop is called, and returns
// the environment in which the provider reads it.
func startSandbox(ctx context.Context, program string) (env []string, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := engine.Command(ctx, program, "-listen", "127.0.0.1:0")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, nil, err
	}
	stop = func() {
		cancel()
		_ = cmd.Wait() // It was told to end.
	}
	if env, err = readExports(stdout); err != nil {
		stop()
		return nil, nil, err
	}
	return env, stop, nil
}

// readExports reads what the sandbox prints up to the shell lines
// `export NAME=VALUE…` that set what a provider needs.
func readExports(welcome io.Reader) ([]string, error) {
	var env []string
	for lines := bufio.NewScanner(welcome); len(env) < 3 && lines.Scan(); {
		if assignments, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "export "); ok {
			env = append(env, strings.Fields(assignments)...)
		}
	}
	if len(env) < 3 {
		return nil, fmt.Errorf("the sandbox sets only %q", env)
	}
	return env, nil
}

// refuseChanged shows what SECURITY.md says of the lock file: an executable with
// one byte changed, in a zip that is otherwise in order, is not installed.
func refuseChanged(ctx context.Context, w engine.Workspace, mirrored, released string) error {
	changed, err := changeExecutable(released)
	if err != nil {
		return err
	}
	if err := os.WriteFile(mirrored, changed, 0o600); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(w.Dir, ".terraform")); err != nil {
		return err
	}
	_, err = w.Run(ctx, "init")
	switch {
	case err == nil:
		return errors.New("init takes an executable with one byte changed")
	case !strings.Contains(err.Error(), "checksum"):
		return fmt.Errorf("init refuses an executable with one byte changed, but not for its checksum: %w", err)
	}
	say("an executable with one byte changed is refused for its checksum")
	return nil
}

// changeExecutable returns the archive with one byte of its executable changed.
func changeExecutable(archive string) ([]byte, error) {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer reader.Close() //nolint:errcheck // Only read.
	var changed bytes.Buffer
	writer := zip.NewWriter(&changed)
	for _, file := range reader.File {
		if file.Mode().Perm()&0o111 == 0 {
			if err := writer.Copy(file); err != nil {
				return nil, err
			}
			continue
		}
		content, err := readZipped(file)
		if err != nil {
			return nil, err
		}
		content[len(content)/2] ^= 1
		header := &zip.FileHeader{Name: file.Name, Method: zip.Deflate}
		header.SetMode(file.Mode())
		part, err := writer.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(content); err != nil {
			return nil, err
		}
	}
	err = writer.Close()
	return changed.Bytes(), err
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from) //nolint:gosec // A zip of the release.
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}
