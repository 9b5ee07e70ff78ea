package command

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// topics are what `help TOPIC` prints. PROGRAM stands for this program.
//
//go:embed topics
var topics embed.FS

func topicNames() []string {
	var names []string
	entries, _ := topics.ReadDir("topics") // it is embedded
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".txt"))
	}
	return names
}

// help prints the usage, or a topic.
func (p *program) help(_ context.Context, arguments []string) error {
	if len(arguments) == 0 {
		p.printUsage(p.stdout)
		return nil
	}
	text, err := topics.ReadFile("topics/" + arguments[0] + ".txt")
	if err != nil {
		return misused("there is no topic %q; there are %s", arguments[0], strings.Join(topicNames(), ", "))
	}
	_, err = io.WriteString(p.stdout, strings.ReplaceAll(string(text), "PROGRAM", p.name))
	return err
}

// flagGroups are in the order in which help shows them.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Where it serves, and how it says so", []string{"listen", "host", "tls", "ready-file", "print-env", "as"}},
	{"What it serves", []string{"catalogue", "unchecked"}},
	{"How it is like your service", []string{"token-life", "rate-limit", "token-format", "hide-archived"}},
	{"Other", []string{"version"}},
}

// printUsage lists all there is, by topic.
func (p *program) printUsage(w io.Writer) {
	fmt.Fprintf(w, "%s serves the model catalogue from memory, for tests: made-up models, not the service.\n\n"+
		"Usage: %[1]s [FLAGS]               serve until Ctrl-C\n"+
		"       %[1]s COMMAND [ARGUMENTS]   control a sandbox that runs\n"+
		"       %[1]s help TOPIC            %s\n\n"+
		"Each flag is also a variable, such as %s.\n",
		p.name, strings.Join(topicNames(), ", "), variable("rate-limit"))
	flags := new(settings).flags(p.name)
	for _, group := range flagGroups {
		fmt.Fprintf(w, "\n%s:\n", group.title)
		part := flag.NewFlagSet("", flag.ContinueOnError)
		part.SetOutput(w)
		for _, name := range group.names {
			f := flags.Lookup(name)
			part.Var(f.Value, f.Name, f.Usage)
			part.Lookup(name).DefValue = f.DefValue
		}
		part.PrintDefaults()
	}
	fmt.Fprint(w, "\nCommands. -url names the sandbox; it is MODELCATALOGUE_BASE_URL unless told:\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(table, "  %s\t%s\n", strings.TrimSpace(c.name+" "+c.arguments), c.does)
	}
	_ = table.Flush()
}
