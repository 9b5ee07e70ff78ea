//go:build !windows

package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// program writes a shell script with that name, and returns its folder.
func program(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFind(t *testing.T) {
	terraform := program(t, "terraform", `echo "Terraform v1.11.4"; echo "on linux_amd64"`)
	tofu := program(t, "tofu", `echo "OpenTofu v1.12.6"`)
	tests := map[string]struct{ path, variable, want string }{
		"on the PATH":         {terraform + ":" + tofu, "", "Terraform 1.11.4 registry.terraform.io"},
		"the other kind":      {tofu, "", "OpenTofu 1.12.6 registry.opentofu.org"},
		"named by its path":   {terraform, filepath.Join(tofu, "tofu"), "OpenTofu 1.12.6 registry.opentofu.org"},
		"named on the PATH":   {terraform + ":" + tofu, "tofu", "OpenTofu 1.12.6 registry.opentofu.org"},
		"none":                {t.TempDir(), "", "neither terraform nor tofu is on the PATH"},
		"named and not there": {terraform, "nope", "nope"},
		"something else": {
			program(t, "terraform", `echo "usage: terraform"`), "", `neither Terraform nor OpenTofu says "usage: terraform\n"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", test.path)
			t.Setenv(engine.Variable, test.variable)
			found, err := engine.Find(t.Context())
			got := fmt.Sprint(err)
			if err == nil {
				got = found.String() + " " + found.RegistryHost()
			}
			if !strings.Contains(got, test.want) || filepath.IsAbs(found.Path) != (err == nil) {
				t.Errorf("found %q at %q, want %q", got, found.Path, test.want)
			}
		})
	}
}

func TestEnvironmentLeavesOutItsUsersSettings(t *testing.T) {
	t.Setenv("TF_LOG", "TRACE")
	t.Setenv("TF_CLI_CONFIG_FILE", "mine")
	t.Setenv("MODELCATALOGUE_BASE_URL", "https://mine.example")
	t.Setenv("KEPT", "yes")
	env := engine.Environment(engine.Service("http://127.0.0.1:1", "id", "secret")...)
	settings := slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "MODELCATALOGUE_")
	})
	want := []string{
		"TF_CLI_CONFIG_FILE=" + os.DevNull,
		"TF_IN_AUTOMATION=1",
		"TF_INPUT=0",
		"MODELCATALOGUE_BASE_URL=http://127.0.0.1:1",
		"MODELCATALOGUE_CLIENT_ID=id",
		"MODELCATALOGUE_CLIENT_SECRET=secret",
	}
	if !slices.Equal(settings, want) || !slices.Contains(env, "KEPT=yes") {
		t.Errorf("the environment has the settings\n%q\nwant\n%q\nand KEPT=yes of\n%q", settings, want, env)
	}
}

// TestCommandEndsByAnInterrupt: a program handles the interrupt, so it can end its own processes.
func TestCommandEndsByAnInterrupt(t *testing.T) {
	dir := program(t, "tofu", `trap 'echo ended by itself; exit 0' INT; echo started; while :; do sleep 0.01; done`)
	ctx, interrupt := context.WithCancel(t.Context())
	cmd := engine.Command(ctx, filepath.Join(dir, "tofu"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	n, err := out.Read(buffer)
	if err != nil || string(buffer[:n]) != "started\n" {
		t.Fatalf("it says %q, %v", buffer[:n], err)
	}
	interrupt()
	n, err = out.Read(buffer)
	if err != nil || string(buffer[:n]) != "ended by itself\n" {
		t.Errorf("after the interrupt it says %q, %v", buffer[:n], err)
	}
	_ = cmd.Wait() // always the error of the context
}
