package provider

import (
	"os"
	"strings"
	"testing"
)

// TestMain leaves out the variables of the shell that the provider reads, or warns of.
func TestMain(m *testing.M) {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch upper := strings.ToUpper(name); {
		case strings.HasPrefix(upper, envPrefix), strings.HasSuffix(upper, "_PROXY"):
			_ = os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}
