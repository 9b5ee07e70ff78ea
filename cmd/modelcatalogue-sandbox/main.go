// Command modelcatalogue-sandbox serves the model catalogue service from memory, so that configurations can be tried
// and tested without the service, runs a command with it, and records a service.
package main

import (
	"os"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox/command"
)

// version is set by the release build. Without it the module's version counts, which `go run …@VERSION` sets.
var version = ""

func main() { os.Exit(command.Main(version)) }
