package main

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"text/tabwriter"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// writeWelcome tells how to use the sandbox, in lines to paste into a shell.
func writeWelcome(w io.Writer, listening net.Addr, catalogue *sandbox.Catalogue) error {
	base := baseURL(listening)
	var text strings.Builder
	fmt.Fprintf(&text, "The sandbox serves the model catalogue at %s. Stop it with Ctrl-C.\n\n", base)

	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ORGANISATION\tROLE\tCLIENT ID\tCLIENT SECRET")
	caller := catalogue.Organisations()[0]
	var owned []string
	for _, o := range catalogue.Organisations() {
		groups := catalogue.Owned(o.Name)
		if owned == nil && len(groups) > 0 && permitted(o) {
			caller, owned = o, groups
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", o.Name, role(o, len(groups)), o.ClientID, o.ClientSecret)
	}
	if err := table.Flush(); err != nil {
		return err
	}

	fmt.Fprintf(&text, "\nTo use it as %s:\n\n", caller.Name)
	fmt.Fprintf(&text, "  export MODELCATALOGUE_BASE_URL=%s\n", base)
	fmt.Fprintf(&text, "  export MODELCATALOGUE_CLIENT_ID=%s MODELCATALOGUE_CLIENT_SECRET=%s\n",
		shellWord(caller.ClientID), shellWord(caller.ClientSecret))
	fmt.Fprint(&text, "\nThe provider for it: `make install` in a clone builds one and prints how `init` finds it.\n")
	if len(owned) > 0 {
		fmt.Fprint(&text, "\nTo publish a revision, with any fields of the model replaced:\n\n")
		fmt.Fprintf(&text, "  curl -X POST %s/control/model-groups/%s/publish \\\n", base, url.PathEscape(publishable(owned)))
		fmt.Fprint(&text, "    -d '{\"dockerImage\": \"registry.example/model:2.0.0\"}'\n")
	}
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

// baseURL names a loopback host where the sandbox listens on every address:
// only there does the provider accept http.
func baseURL(listening net.Addr) string {
	host, port, err := net.SplitHostPort(listening.String())
	if err != nil {
		return "http://" + listening.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// shellWord quotes what a shell would read as more than a word.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_.,:/@%+=", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
