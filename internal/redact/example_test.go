package redact_test

import (
	"fmt"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

func Example() {
	var mask redact.Mask
	mask.Add("northwind&secret")
	answer := "rejected:\n\tclient_secret=northwind%26secret, or bm9ydGh3aW5kJnNlY3JldA== in base64"
	fmt.Println(mask.Tidy(answer, 40))
	// Output: rejected: client_secret=***, or ***== in…
}
