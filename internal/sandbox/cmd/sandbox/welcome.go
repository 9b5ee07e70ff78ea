package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"text/tabwriter"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// writeWelcome tells how to use the sandbox, in lines to paste into a shell.
func writeWelcome(w io.Writer, base string, catalogue *sandbox.Catalogue, caller sandbox.Organisation) error {
	var text strings.Builder
	fmt.Fprintf(&text, "This is a SANDBOX of the model catalogue, not the service: its models are made up.\n"+
		"It serves at %s. Stop it with Ctrl-C.\n\n", base)

	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ORGANISATION\tROLE\tCLIENT ID\tCLIENT SECRET")
	for _, o := range catalogue.Organisations() {
		role := role(o, len(catalogue.Owned(o.Name)))
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", o.Name, role, o.ClientID, o.ClientSecret)
	}
	if err := table.Flush(); err != nil {
		return err
	}

	fmt.Fprintf(&text, "\nTo use it as %s:\n\n", caller.Name)
	for line := range strings.Lines(environment(base, caller)) {
		text.WriteString("  " + line)
	}
	fmt.Fprint(&text, "\nThe provider for it: in a clone, `make install` builds it and prints how `init` finds it.\n")
	if owned := catalogue.Owned(caller.Name); len(owned) > 0 {
		fmt.Fprint(&text, "\nTo publish a revision, with any fields of the model replaced:\n\n")
		group := url.PathEscape(publishable(owned))
		fmt.Fprintf(&text, "  curl -X POST %s/control/model-groups/%s/publish \\\n", base, group)
		fmt.Fprint(&text, "    -d '{\"dockerImage\": \"registry.example/model:2.0.0\"}'\n")
	}
	fmt.Fprintf(&text, "\n%s/ in a browser shows what else it can be told to do.\n", base)
	_, err := io.WriteString(w, text.String())
	return err
}

func permitted(o sandbox.Organisation) bool { return o.Disabled == "" && !o.Forbidden }

func role(o sandbox.Organisation, groups int) string {
	switch {
	case o.Disabled != "":
		return "disabled: " + o.Disabled
	case o.Forbidden:
		return "forbidden"
	case groups == 0:
		return "owns none"
	case groups == 1:
		return "owner of 1 group"
	}
	return fmt.Sprintf("owner of %d groups", groups)
}

// publishable prefers an id that can be read in a URL.
func publishable(ids []string) string {
	for _, id := range ids {
		if url.PathEscape(id) == id {
			return id
		}
	}
	return ids[0]
}
