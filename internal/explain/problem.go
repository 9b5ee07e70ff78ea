package explain

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Problem is what an error says, in full and in short if many blocks have it.
type Problem struct {
	Summary string
	Detail  string
	Path    path.Path // the argument at fault; empty if no argument is
	Source  string    // the block that has the problem
	// Cause identifies a cause that other reads may have as well: nothing in it differs from read to read. It is empty
	// if only this read can have it.
	Cause string
	Short string // what a short message says besides where the full one is
	Said  string // the service's words: without Short, a short message has them if the full one has others
}

// Source names a block, such as modelcatalogue_model "some-id", by its data source and the model group or time horizon
// that it is about. group is empty if it is about neither.
func Source(dataSource, group string) string {
	if group == "" {
		return dataSource
	}
	return fmt.Sprintf("%s %q", dataSource, ShortID(group))
}

// Diagnostic returns the error for the engine.
func (p Problem) Diagnostic() diag.Diagnostic {
	if len(p.Path.Steps()) == 0 {
		return diag.NewErrorDiagnostic(p.Summary, p.Detail)
	}
	return diag.NewAttributeErrorDiagnostic(p.Path, p.Summary, p.Detail)
}

// pointing returns the problem with a detail that points to the full message. said are the words that one has.
func (p Problem) pointing(where, said string) Problem {
	if p.Short == "" && p.Said != said {
		p.Short = p.Said
	}
	p.Detail = joined("\n", p.Short, "The full message is in "+where+".")
	return p
}
