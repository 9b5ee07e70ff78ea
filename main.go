// The provider as Terraform starts it.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	gc "runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "keep running and print how an engine can attach, for use with a debugger")
	flag.Parse()

	// net/http quotes stray bytes of a connection to the standard logger, past
	// every mask, and an engine keeps what it says. Nothing else here uses it.
	log.SetOutput(io.Discard)

	// A read leaves little garbage behind what it returns, so collecting later
	// saves time and takes little memory (make bench).
	if os.Getenv("GOGC") == "" {
		gc.SetGCPercent(200)
	}

	var options []tf6server.ServeOpt
	if *debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	if err := tf6server.Serve(provider.Address, provider.NewServer(version), options...); err != nil {
		fmt.Fprintln(os.Stderr, "terraform-provider-modelcatalogue:", err)
		os.Exit(1)
	}
}
