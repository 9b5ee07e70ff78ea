package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// controlCommand sends one request to a control route of a sandbox that runs.
// %s in its path stands for one argument each. What follows them, if anything
// may, is the body.
type controlCommand struct {
	name, arguments, does string
	method, path          string
	body                  func(argument string) string // nil: there is none
}

// asIs is a body that the user writes in JSON.
func asIs(argument string) string { return argument }

func reason(argument string) string {
	text, err := json.Marshal(map[string]string{"reason": argument})
	if err != nil {
		return argument // is no text, which the sandbox then says
	}
	return string(text)
}

var controlCommands = []controlCommand{
	{
		name: "publish", arguments: "GROUP [FIELDS]", body: asIs, method: http.MethodPost,
		path: "model-groups/%s/publish", does: "publish a revision, with the fields of a JSON object replaced",
	},
	{
		name: "republish", arguments: "GROUP REVISION [FIELDS]", body: asIs, method: http.MethodPost,
		path: "model-groups/%s/revisions/%s/republish", does: "change fields of a revision in place; updatedAt moves",
	},
	{
		name: "archive", arguments: "GROUP REVISION", method: http.MethodPost,
		path: "model-groups/%s/revisions/%s/archive", does: "archive a revision",
	},
	{
		name: "unarchive", arguments: "GROUP REVISION", method: http.MethodPost,
		path: "model-groups/%s/revisions/%s/unarchive", does: "end that",
	},
	{
		name: "disable", arguments: "GROUP REVISION", method: http.MethodPost,
		path: "model-groups/%s/revisions/%s/disable", does: "disable a revision, so that it does not run",
	},
	{
		name: "enable", arguments: "GROUP REVISION", method: http.MethodPost,
		path: "model-groups/%s/revisions/%s/enable", does: "end that",
	},
	{
		name: "disable-organisation", arguments: "CLIENT_ID [REASON]", body: reason, method: http.MethodPost,
		path: "organisations/%s/disable", does: "refuse an organisation's requests, for that reason",
	},
	{
		name: "enable-organisation", arguments: "CLIENT_ID", method: http.MethodPost,
		path: "organisations/%s/enable", does: "end that",
	},
	{
		name: "revoke-tokens", method: http.MethodPost,
		path: "tokens/revoke", does: "make every token issued so far invalid",
	},
	{
		name: "fault", arguments: "FAULT", body: asIs, method: http.MethodPost, path: "faults",
		does: "make requests fail as a JSON object says; see `help faults`",
	},
	{name: "faults", method: http.MethodGet, path: "faults", does: "list the faults"},
	{name: "remove-fault", arguments: "ID", method: http.MethodDelete, path: "faults/%s", does: "remove a fault"},
	{name: "clear-faults", method: http.MethodDelete, path: "faults", does: "remove all of them"},
	{name: "requests", method: http.MethodGet, path: "requests", does: "list what was requested"},
	{name: "clear-requests", method: http.MethodDelete, path: "requests", does: "forget it"},
}

func (c controlCommand) run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	base := urlFlag(flags)
	flags.Usage = func() {
		usage := strings.TrimSpace(c.name + " [-url URL] " + c.arguments)
		fmt.Fprintf(stderr, "Usage: %s %s\n\nTo %s.\n\n", programName(), usage, c.does)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(arguments); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return errUsage
	}
	needed, given := strings.Count(c.path, "%s"), flags.Args()
	most := needed
	if c.body != nil {
		most++
	}
	if len(given) < needed || len(given) > most {
		flags.Usage()
		return errUsage
	}
	body := ""
	if len(given) > needed {
		body = c.body(given[needed])
	}
	elements := make([]any, needed)
	for i, argument := range given[:needed] {
		elements[i] = url.PathEscape(argument)
	}
	if err := isSandbox(ctx, *base); err != nil {
		return err
	}
	answer, err := ask(ctx, c.method, *base, fmt.Sprintf(c.path, elements...), body)
	if err != nil {
		return err
	}
	return printJSON(stdout, answer)
}

// urlFlag takes the sandbox that the provider's own variable names, unless told.
func urlFlag(flags *flag.FlagSet) *string {
	return flags.String("url", cmp.Or(os.Getenv("MODELCATALOGUE_BASE_URL"), "http://127.0.0.1:8080"),
		"`URL` of the sandbox (default: MODELCATALOGUE_BASE_URL, or http://127.0.0.1:8080)")
}

// isSandbox asks before anything is changed: the address may come from the
// environment, and be a real service's.
func isSandbox(ctx context.Context, base string) error {
	_, err := ask(ctx, http.MethodGet, base, "ready", "")
	return err
}

// ask sends a request to a control route and returns the body of its answer.
func ask(ctx context.Context, method, base, path, body string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	address := strings.TrimSuffix(base, "/") + "/control/" + path
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("-url is %q: %w", base, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no sandbox answers: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	if response.Header.Get(sandbox.Header) == "" {
		return nil, fmt.Errorf("%s is no sandbox: its answers have no header %s. Nothing was changed there",
			base, sandbox.Header)
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", address, err)
	}
	if response.StatusCode < 300 {
		return answer, nil
	}
	var refusal struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answer, &refusal) != nil || refusal.Message == "" {
		return nil, fmt.Errorf("%s answers %s", address, response.Status)
	}
	return nil, errors.New(refusal.Message)
}

// printJSON prints an answer for people and programs alike.
func printJSON(w io.Writer, text jsontext.Value) error {
	if len(text) == 0 {
		return nil
	}
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n", text)
	return err
}
