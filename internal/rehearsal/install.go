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
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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

// workspace is a directory in which an engine knows one provider mirror.
type workspace struct {
	engine string
	dir    string
	mirror string
	env    []string
}

// install does with the release what its user does: init from a mirror, a plan
// against the sandbox, and init again with zips that are not those of the lock file.
func install(ctx context.Context, engine, dir string, r release) error {
	program, err := locate(engine)
	if err != nil {
		return err
	}
	w := workspace{engine: program, dir: filepath.Join(dir, "root")}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return err
	}
	settings := filepath.Join(dir, "engine.tfrc")
	w.env = []string{
		"TF_CLI_CONFIG_FILE=" + settings, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0",
		"TF_CLI_ARGS=", "TF_DATA_DIR=", "TF_WORKSPACE=", "TF_PLUGIN_CACHE_DIR=", "TF_LOG=",
	}
	mirror := filepath.Join(dir, "mirror")
	provision := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	if err := os.WriteFile(settings, []byte(provision), 0o600); err != nil {
		return err
	}
	version, err := w.run(ctx, "version")
	if err != nil {
		return err
	}
	// A source without a host is looked for in the engine's own registry.
	host := "registry.terraform.io"
	if strings.HasPrefix(version, "OpenTofu") {
		host = "registry.opentofu.org"
	}

	w.mirror = filepath.Join(mirror, host, "modelcatalogue", "modelcatalogue")
	if err := os.MkdirAll(w.mirror, 0o755); err != nil {
		return err
	}
	for _, name := range zips(r) {
		if err := copyFile(filepath.Join(w.mirror, name), r.path(name)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(w.dir, "main.tf"), fmt.Appendf(nil, configuration, r.version), 0o600); err != nil {
		return err
	}

	if _, err := w.run(ctx, "init"); err != nil {
		return err
	}
	here := platform{runtime.GOOS, runtime.GOARCH}
	files, err := unzip(r.path(r.zip(here)))
	if err != nil {
		return err
	}
	locked, err := os.ReadFile(filepath.Join(w.dir, ".terraform.lock.hcl"))
	if err != nil {
		return err
	}
	for _, want := range []string{host + "/modelcatalogue/modelcatalogue", fmt.Sprintf("%q", r.version), fmt.Sprintf("%q", packageHash(files))} {
		if !bytes.Contains(locked, []byte(want)) {
			return fmt.Errorf("the lock file lacks %s:\n%s", want, locked)
		}
	}
	first, _, _ := strings.Cut(version, "\n")
	say("%s installs %s from a mirror and locks its checksum", first, r.version)

	if err := plan(ctx, w, r); err != nil {
		return err
	}
	return refuseChanged(ctx, w, r, here, files)
}

// run runs the engine without colours and returns what it says.
func (w workspace) run(ctx context.Context, args ...string) (string, error) {
	if args[0] != "version" {
		args = append(args[:1:1], append([]string{"-no-color"}, args[1:]...)...)
	}
	return command{dir: w.dir, env: w.env, args: append([]string{w.engine}, args...)}.output(ctx)
}

// plan reads the sandbox's catalogue through the installed provider.
func plan(ctx context.Context, w workspace, r release) error {
	program := filepath.Join(filepath.Dir(w.dir), "sandbox")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	_, err := command{dir: r.clone, args: []string{"go", "build", "-o", program, "./internal/sandbox/cmd/sandbox"}}.output(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	sandbox := command{args: []string{program, "-listen", "127.0.0.1:0"}}.prepare(ctx)
	sandbox.Stderr = os.Stderr
	stdout, err := sandbox.StdoutPipe()
	if err != nil {
		stop()
		return err
	}
	if err := sandbox.Start(); err != nil {
		stop()
		return err
	}
	defer func() {
		stop()
		_ = sandbox.Wait() // It was told to end.
	}()
	credentials, err := readExports(stdout)
	if err != nil {
		return err
	}
	w.env = slices.Concat(w.env, credentials)

	if _, err := w.run(ctx, "plan", "-out=tfplan"); err != nil {
		return err
	}
	shown, err := w.run(ctx, "show", "-json", "tfplan")
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
	say("a plan against the sandbox reads %v model groups", groups)
	return nil
}

// readExports reads the sandbox's first lines until they have set what a provider
// needs: the shell lines `export NAME=VALUE`, of which the first of a name counts.
func readExports(sandbox io.Reader) ([]string, error) {
	missing := map[string]bool{
		"MODELCATALOGUE_BASE_URL": true, "MODELCATALOGUE_CLIENT_ID": true, "MODELCATALOGUE_CLIENT_SECRET": true,
	}
	var exports []string
	for lines := bufio.NewScanner(sandbox); len(missing) > 0 && lines.Scan(); {
		assignments, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "export ")
		if !ok {
			continue
		}
		for assignment := range strings.FieldsSeq(assignments) {
			name, value, _ := strings.Cut(assignment, "=")
			if missing[name] {
				delete(missing, name)
				exports = append(exports, name+"="+strings.Trim(value, `'"`))
			}
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("the sandbox does not say %q", slices.Sorted(maps.Keys(missing)))
	}
	return exports, nil
}

// refuseChanged shows that init takes no package but the one of the lock file.
func refuseChanged(ctx context.Context, w workspace, r release, here platform, files map[string]packed) error {
	inMirror := filepath.Join(w.mirror, r.zip(here))
	original, err := os.ReadFile(inMirror) //nolint:gosec // In the scratch directory.
	if err != nil {
		return err
	}
	reinstall := func(archive []byte) error {
		if err := os.RemoveAll(filepath.Join(w.dir, ".terraform")); err != nil {
			return err
		}
		if err := os.WriteFile(inMirror, archive, 0o600); err != nil {
			return err
		}
		_, err := w.run(ctx, "init")
		return err
	}

	broken := bytes.Clone(original)
	broken[len(broken)/2] ^= 1
	if err := reinstall(broken); err == nil {
		return errors.New("init takes a zip with one byte changed")
	} else if ctx.Err() != nil {
		return err
	}
	say("a zip with one byte changed is refused")

	// A zip in good order, of an executable with one byte changed: only the
	// checksum can tell.
	name := r.executable(here)
	changed := maps.Clone(files)
	executable := packed{mode: files[name].mode, content: bytes.Clone(files[name].content)}
	executable.content[len(executable.content)/2] ^= 1
	changed[name] = executable
	archive, err := pack(changed)
	if err != nil {
		return err
	}
	if err := reinstall(archive); err == nil {
		return errors.New("init takes an executable with one byte changed")
	} else if !strings.Contains(err.Error(), "checksum") {
		return fmt.Errorf("init refuses an executable with one byte changed, but not for its checksum: %w", err)
	}
	say("an executable with one byte changed is refused for its checksum")

	if err := reinstall(original); err != nil {
		return fmt.Errorf("init with the zip as it was: %w", err)
	}
	return nil
}

// pack makes a zip of the files.
func pack(files map[string]packed) ([]byte, error) {
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate}
		header.SetMode(files[name].mode)
		file, err := writer.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(files[name].content); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return archive.Bytes(), err
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from) //nolint:gosec // A zip of the release.
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}
