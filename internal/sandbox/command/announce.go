package command

import (
	"fmt"
	"io"
	"net"
	"strings"
	"text/tabwriter"
)

// environment is what a program needs to use the sandbox as the service.
func (s *serving) environment() [][2]string {
	variables := [][2]string{
		{"MODELCATALOGUE_BASE_URL", s.base},
		{"MODELCATALOGUE_CLIENT_ID", s.caller.ClientID},
		{"MODELCATALOGUE_CLIENT_SECRET", s.caller.ClientSecret},
	}
	if s.authority != "" {
		variables = append(variables, [2]string{"MODELCATALOGUE_CA_CERTIFICATE_PEM", s.authority})
	}
	return variables
}

// shellWord quotes what a shell would not read as one plain word.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.,:/@%+=", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// writeWelcome says how to use the sandbox, in lines to paste into a shell. They
// are not indented: a certificate has to be pasted as it is.
func (s *serving) writeWelcome(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "This is a SANDBOX of the model catalogue, not the service: its models are made up.\n"+
		"It serves at %s, a page to look at too. Stop it with Ctrl-C.\n", s.base)
	if host, _, err := net.SplitHostPort(s.set.listen); err == nil {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			fmt.Fprintf(&text, "It listens on %s: other machines can read it, with the credentials below.\n"+
				"Control routes are answered only under a loopback address and the names of -host.\n", s.set.listen)
		}
	}
	if s.set.allowance.Requests > 0 {
		fmt.Fprintf(&text, "Each client may send %s.\n", s.set.allowance)
	}
	fmt.Fprintln(&text)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ORGANISATION\tSTANDING\tCLIENT ID\tCLIENT SECRET")
	for _, o := range s.catalogue.Organisations() {
		standing := fmt.Sprintf("owns %d groups", len(s.catalogue.Owned(o.Name)))
		switch {
		case o.Disabled != "":
			standing = "disabled: " + o.Disabled
		case o.Forbidden:
			standing = "forbidden"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", o.Name, standing, o.ClientID, o.ClientSecret)
	}
	_ = table.Flush() // to memory
	fmt.Fprintf(&text, "\nTo use it as %s:\n\n", s.caller.Name)
	for _, variable := range s.environment() {
		fmt.Fprintf(&text, "export %s=%s\n", variable[0], shellWord(variable[1]))
	}
	if owned := s.catalogue.Owned(s.caller.Name); len(owned) > 0 {
		fmt.Fprintf(&text, "\nTo publish a revision, with any fields of the model replaced:\n\n"+
			"modelcatalogue-sandbox publish %s '{\"dockerImage\": \"registry.example/model:2.0.0\"}'\n", shellWord(owned[0]))
	}
	fmt.Fprint(&text, "\n`modelcatalogue-sandbox help` lists what else it can be told.\n")
	_, err := io.WriteString(w, text.String())
	return err
}
