package provider

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// argAcceptWithdrawn is the argument that silences the warning of withdrawn revisions.
const argAcceptWithdrawn = "accept_withdrawn"

func acceptWithdrawnAttribute() schema.BoolAttribute {
	return schema.BoolAttribute{
		MarkdownDescription: "Whether to leave out the warning of a revision that is archived or disabled, or may " +
			"be. The default is `false`.",
		Optional: true,
	}
}

// The next step for pinned revisions, and for followed ones.
const (
	pinAnother = "The plan continues. Pin another revision, or set accept_withdrawn = true to silence this warning."
	passOver   = "The plan continues. With enabled = true and archived = false, where reads the newest revision in " +
		"service instead, or fails if the service does not say which that is; accept_withdrawn = true silences this " +
		"warning."
)

// withdrawn collects the archived and disabled models of a block, a line each.
type withdrawn struct {
	models        int      // all models of the block
	certain, open []string // open: the service does not say
}

// add counts a model of the block, and adds a line if it is archived or disabled, or may be. It ignores a setting on
// which where has a condition.
func (w *withdrawn) add(model *catalogue.Model, where *whereState, latest string) {
	var inService whereState
	if orZero(where).Enabled == nil {
		inService.Enabled = new(true)
	}
	if orZero(where).Archived == nil {
		inService.Archived = new(false)
	}
	w.models++
	verdict := inService.judge(model, time.Time{})
	if len(verdict) == 0 {
		return
	}
	line := fmt.Sprintf("%q: revision %d: %s%s", *model.ModelGroupID, *model.Revision, verdict.words(), latest)
	if verdict.standing() == unmet {
		w.certain = append(w.certain, line)
	} else {
		w.open = append(w.open, line)
	}
}

// warn adds one warning for all of them, unless they are accepted.
func (w *withdrawn) warn(r *blockRead, accepted *bool, at path.Path, next string) {
	summary, lines := explain.SummaryWithdrawn, slices.Concat(w.certain, w.open)
	switch {
	case len(lines) == 0, orZero(accepted):
		return
	case len(w.certain) == 0:
		summary = explain.SummaryMayBeWithdrawn
	}
	count := ""
	if w.models > 1 {
		count = fmt.Sprintf(" (%d of %d)", len(lines), w.models)
	}
	r.warn(at, summary, fmt.Sprintf("Archived, disabled or not said to be in service%s:%s\n\n%s",
		count, explain.Bulleted(lines, explain.MaxIDs), next))
}
