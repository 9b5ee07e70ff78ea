//go:build !windows

package main

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Whoever ends `go run` ends the sandbox too, by whatever signal: it keeps no
// port, no file and no process. (On Windows a process is not told that its
// parent is gone.)
func TestGoRunLeavesNothingBehind(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			folder := t.TempDir()
			file := filepath.Join(folder, "ready.json")
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			cmd := exec.CommandContext(t.Context(), "go", "run", ".", "-listen=127.0.0.1:0", "-ready-file="+file)
			cmd.Env = append(os.Environ(), "GOTMPDIR="+folder)
			cmd.Stdout = write
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			write.Close()
			if _, _, err := command(t, "wait", "-ready-file="+file, "-timeout=5m"); err != nil {
				t.Fatal(err)
			}
			var ready readiness
			if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, &ready) != nil {
				t.Fatalf("the ready file holds %q: %v", text, err)
			}
			if signal == syscall.SIGINT { // Ctrl-C reaches both
				if err := syscall.Kill(ready.PID, signal); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it says how it was ended

			// The pipe is at its end when the last process is that can write to it.
			if _, err := io.Copy(io.Discard, read); err != nil {
				t.Fatal(err)
			}
			if err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
				// Where the build cache has the executable, go leaves empty folders of its own.
				if err == nil && !entry.IsDir() {
					t.Errorf("%s is left", path)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}
