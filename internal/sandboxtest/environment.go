package sandboxtest

import (
	"os"
	"regexp"
	"strings"
)

// ofUsers are variables that the provider or the sandbox's program reads or warns of, and those of proxies.
var ofUsers = regexp.MustCompile(`(?i)^MODEL_?CATALOG(UE)?_|_PROXY$`)

// Unset removes the settings of the person who runs the tests from the environment of this process, and returns them.
// Variables that only tests read stay.
func Unset() map[string]string {
	settings := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if ofUsers.MatchString(name) && !strings.HasPrefix(name, "MODELCATALOGUE_TEST_") {
			settings[name] = value
			_ = os.Unsetenv(name) // it can be removed, because it is there
		}
	}
	return settings
}
