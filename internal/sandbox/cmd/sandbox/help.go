package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// topics are what `help TOPIC` prints. PROGRAM stands for this program.
var topics = map[string]string{
	"scripts": `A script starts the sandbox in the background, waits, works and stops it:

  PROGRAM -listen=127.0.0.1:0 -ready-file=sandbox.json &
  url=$(PROGRAM wait -ready-file=sandbox.json)
  …
  kill $!

The ready file is written when the sandbox serves, and removed when it ends. It
holds one line of JSON: sandbox (the version), url, clientId, clientSecret, pid.
With -ready-file=- that line is all that is printed. With -print-env it is the
lines that set the provider's variables:

  PROGRAM -print-env >sandbox.env &
`,
	"faults": `A fault makes requests fail until it has hit as many as it should:

  PROGRAM fault '{"route": "models", "status": 503, "times": 2}'

Which requests it hits:
  route       token, groups, group, latest, models, unknown or any (any)
  path        the exact path
  skip        how many pass first (0)
  times       how many it hits then (0: for good)

What they are answered:
  code        a code of the interface, such as RATE_LIMITED, or a new one with a status
  message     what the answer says
  status      a status from 200 to 599
  retryAfter  the header of that name: seconds, or an HTTP date in a string
  html        true: a page of HTML, as a gateway sends it

What becomes of the answer:
  delay       a time that passes first, such as "2s"
  drop        true: the connection is reset without an answer
  hang        true: no answer until the client gives up
  cut         "length": it ends before its length; "json": it ends inside its JSON
`,
	"limits": `-rate-limit REQUESTS/TIME:COUNTING permits each client id so many requests:

  60/1m:fixed     60 from one full minute to the next
  60/1m:sliding   60 in any minute, looking back
  60/1m:bucket    60 at once, and one more each second

Token requests count too. What is refused is not counted. Retry-After has whole
seconds, rounded up.
`,
	"catalogue": `A catalogue file has organisations, time horizons and model groups, whose
documents are spelled as the service sends them:

  PROGRAM catalogue >catalogue.json             the built-in one, to start from
  PROGRAM schema >catalogue.schema.json         its JSON Schema, for editors
  PROGRAM -catalogue=catalogue.json

Fields that the interface does not have are refused, with line and column, unless
-unchecked is given.
`,
}

// help prints the usage, or a topic.
func help(_ context.Context, arguments []string, stdout, _ io.Writer) error {
	if len(arguments) == 0 {
		printUsage(stdout)
		return nil
	}
	text, ok := topics[arguments[0]]
	if !ok {
		return fmt.Errorf("there is no topic %q; there are %s", arguments[0], topicNames())
	}
	_, err := io.WriteString(stdout, strings.ReplaceAll(text, "PROGRAM", programName()))
	return err
}

func topicNames() string { return strings.Join(slices.Sorted(maps.Keys(topics)), ", ") }

// groups of flags, in the order in which help shows them.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Where it serves, and how it says so", []string{"listen", "ready-file", "print-env", "as"}},
	{"What it serves", []string{"catalogue", "unchecked"}},
	{
		"How it is like your service",
		[]string{"token-life", "rate-limit", "token-format", "token-refusal", "hide-archived"},
	},
	{"Other", []string{"version"}},
}

// printUsage lists all there is, by topic.
func printUsage(w io.Writer) {
	program := programName()
	fmt.Fprintf(w, "%s serves the model catalogue from memory, for tests: made-up models, not the service.\n\n"+
		"Usage: %[1]s [FLAGS]               serve until Ctrl-C\n"+
		"       %[1]s COMMAND [ARGUMENTS]   control a sandbox that runs\n"+
		"       %[1]s help TOPIC            %s\n", program, topicNames())
	flags := serveFlags(new(settings))
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
	for _, c := range controlCommands {
		fmt.Fprintf(table, "  %s %s\t%s\n", c.name, c.arguments, c.does)
	}
	for _, c := range []string{
		"wait [-ready-file FILE]\twait until a sandbox serves, and print its URL",
		"catalogue\tprint the built-in catalogue",
		"schema\tprint the JSON Schema of catalogue files",
		"version\tprint the version",
	} {
		fmt.Fprintln(table, "  "+c)
	}
	_ = table.Flush()
}
