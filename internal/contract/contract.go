// Package contract is the service's interface: its rules are in INTERFACE.md, its fields in openapi.json. The client
// and the sandbox both cite it, and neither owns it.
package contract

import (
	_ "embed"
	"slices"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the interface as an OpenAPI 3.1 document.
func OpenAPI() []byte { return slices.Clone(openAPI) }
