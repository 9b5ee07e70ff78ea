package explain

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Problem is the explanation of an error, in full and in short for further blocks with the same cause.
type Problem struct {
	Summary string
	Detail  string
	Path    path.Path // the argument at fault; empty if no argument is
	Source  string    // the block with the problem
	// Cause identifies a cause that other reads may share: nothing in it depends on the read. It is empty for a cause
	// of this read alone.
	Cause string
	Short string // the text of a short message, before the pointer to the full one
	Said  string // the service's words, which replace an empty Short if the full message has different ones
}

// Source names a block by its data source and its model group or time horizon, such as modelcatalogue_model "some-id".
// group is empty for a block with neither.
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

// pointing returns the problem with a pointer to the full message in place of the detail. said are the service's words
// in the full message.
func (p Problem) pointing(where, said string) Problem {
	if p.Short == "" && p.Said != said {
		p.Short = p.Said
	}
	p.Detail = joined("\n", p.Short, "The full message is in "+where+".")
	return p
}
