// Terraform-provider-modelcatalogue is the plugin that Terraform and OpenTofu start.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	attach := flag.Bool("debug", false, "keep running and print how an engine can attach, for use with a debugger")
	flag.Parse()

	// net/http writes stray bytes of a connection to the standard logger, unmasked, and an engine keeps what that
	// prints. Nothing else uses this logger.
	log.SetOutput(io.Discard)

	// A read leaves little garbage beside what it returns, so a later collection saves time and takes little memory
	// (make bench).
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}

	var options []tf6server.ServeOpt
	if *attach {
		options = append(options, tf6server.WithManagedDebug())
	}
	if err := tf6server.Serve(provider.Address, provider.NewServer(version), options...); err != nil {
		fmt.Fprintln(os.Stderr, "terraform-provider-modelcatalogue:", err)
		os.Exit(1)
	}
}
