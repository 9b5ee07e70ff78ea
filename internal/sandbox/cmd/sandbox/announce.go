package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// readiness is the line of JSON that -ready-file writes.
type readiness struct {
	Sandbox      string `json:"sandbox"` // the version
	URL          string `json:"url"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	PID          int    `json:"pid"`
}

// announce tells people and scripts, in this order, that the sandbox serves.
func (set settings) announce(
	stdout io.Writer, base string, catalogue *sandbox.Catalogue, caller sandbox.Organisation,
) error {
	var err error
	switch {
	case set.printEnv:
		_, err = io.WriteString(stdout, environment(base, caller))
	case set.readyFile != "-":
		err = writeWelcome(stdout, base, catalogue, caller)
	}
	if err != nil || set.readyFile == "" {
		return err
	}
	line, err := json.Marshal(readiness{
		Sandbox: versionText(), URL: base, PID: os.Getpid(),
		ClientID: caller.ClientID, ClientSecret: caller.ClientSecret,
	})
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if set.readyFile == "-" {
		_, err = stdout.Write(line)
		return err
	}
	return writeWhole(set.readyFile, line)
}

// writeWhole writes a file that is there with all that is in it, or not at all.
func writeWhole(name string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".sandbox-")
	if err != nil {
		return fmt.Errorf("-ready-file: %w", err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("-ready-file: %w", err)
	}
	return nil
}

func (set settings) removeReadyFile() {
	if set.readyFile == "" || set.readyFile == "-" {
		return
	}
	if err := os.Remove(set.readyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(os.Stderr, "%s: -ready-file: %v\n", programName(), err)
	}
}

// environment is what a shell reads to use the provider with the sandbox.
func environment(base string, caller sandbox.Organisation) string {
	return fmt.Sprintf("export MODELCATALOGUE_BASE_URL=%s\n"+
		"export MODELCATALOGUE_CLIENT_ID=%s MODELCATALOGUE_CLIENT_SECRET=%s\n",
		shellWord(base), shellWord(caller.ClientID), shellWord(caller.ClientSecret))
}

// baseURL names a loopback host where the sandbox listens on every address:
// only there does the provider accept http.
func baseURL(listening net.Addr) string {
	host, port, err := net.SplitHostPort(listening.String())
	if err != nil {
		return "http://" + listening.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}).String()
}

// shellWord quotes what a shell would read as more than a word.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_.,:/@%+=", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
