package provider

import (
	"os"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Unset()
	os.Exit(m.Run())
}
