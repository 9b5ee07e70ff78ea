package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Environment returns the environment of this process without the user's settings for an engine or the provider, and
// with more entries of the form NAME=value.
func Environment(more ...string) []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "MODELCATALOGUE_") {
			env = append(env, entry)
		}
	}
	env = append(env, "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0")
	return append(env, more...)
}

// Service returns entries for Environment that name the service at url.
func Service(url, clientID, clientSecret string) []string {
	return []string{
		"MODELCATALOGUE_BASE_URL=" + url,
		"MODELCATALOGUE_CLIENT_ID=" + clientID,
		"MODELCATALOGUE_CLIENT_SECRET=" + clientSecret,
	}
}

// Override writes an engine's settings to file, for TF_CLI_CONFIG_FILE: the engine runs the provider, and the
// providers of the other sources, from the folder plugins, without init.
func Override(file, plugins string, others ...string) error {
	var overrides strings.Builder
	for _, source := range append(others, "modelcatalogue/modelcatalogue") {
		fmt.Fprintf(&overrides, "    %q = %q\n", source, filepath.ToSlash(plugins))
	}
	return writeSettings(file, "dev_overrides {\n"+overrides.String()+"  }")
}

// Mirror writes an engine's settings to file, for TF_CLI_CONFIG_FILE: init installs every provider from the folder
// mirror.
func Mirror(file, mirror string) error {
	return writeSettings(file, fmt.Sprintf("filesystem_mirror {\n    path = %q\n  }", filepath.ToSlash(mirror)))
}

func writeSettings(file, method string) error {
	text := "provider_installation {\n  " + method + "\n}\n"
	return os.WriteFile(file, []byte(text), 0o600)
}
