package provider

import (
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// The withdrawal of a revision: a condition on a setting accepts its state. TestMessages has the warnings.
func TestWithdrawnRevisions(t *testing.T) {
	t.Parallel()
	yes, no := new(true), new(false)
	const unsaid = "the service does not say whether it is "
	for _, test := range []struct {
		archived, enabled *bool
		where             *whereState
		certain, open     string
	}{
		{no, yes, nil, "", ""},
		{yes, yes, nil, "it is archived", ""},
		{yes, no, &whereState{MinAge: new("1h")}, "it is disabled; it is archived", ""},
		{yes, no, &whereState{Enabled: no}, "it is archived", ""},
		{yes, no, &whereState{Archived: yes}, "it is disabled", ""},
		{yes, no, &whereState{Archived: yes, Enabled: no}, "", ""},
		{no, nil, nil, "", unsaid + "enabled"},
		{nil, no, nil, "it is disabled; " + unsaid + "archived", ""},
	} {
		var got withdrawn
		got.add(&catalogue.Model{
			ModelGroupID: new("g"),
			Revision:     new(catalogue.Integer(1)),
			Archived:     test.archived,
			Enabled:      test.enabled,
		}, test.where, "")
		want := withdrawn{models: 1}
		if test.certain != "" {
			want.certain = []string{`"g": revision 1: ` + test.certain}
		}
		if test.open != "" {
			want.open = []string{`"g": revision 1: ` + test.open}
		}
		expectSame(t, got, want)
	}
}
