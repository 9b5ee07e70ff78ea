package provider

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// fileOf writes a file, and returns its path.
func fileOf(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestOddities: values that are not odd. TestMessages shows those that are.
func TestOddities(t *testing.T) {
	t.Parallel()
	for _, sound := range []string{"a long secret", "$ecret{}<xABCD", "ABCDEFGHIJKL==", "aBC=defghijk", "AB=defghijkl"} {
		if got := setting.Oddities(argClientSecret, sound); got != nil {
			t.Errorf("%q: %q", sound, got)
		}
	}
}
