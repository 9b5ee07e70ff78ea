// Command modelcatalogue-sandbox serves the model catalogue service from memory, so that configurations can be tried
// and tested without the service, runs a command with it, and records a service.
package main

import (
	"os"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox/command"
)

// version is set by the release build. Elsewhere the module's version tells, which `go run …@VERSION` knows.
var version = ""

func main() { os.Exit(command.Main(version)) }
