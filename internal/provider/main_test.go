package provider

import (
	"crypto/x509"
	"os"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Unset()
	// Messages about certificates are different on a machine without root certificates.
	_, root := sandboxtest.Certify(&x509.Certificate{}, "")
	roots := x509.NewCertPool()
	roots.AddCert(root)
	x509.SetFallbackRoots(roots)
	os.Exit(m.Run())
}
