package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// readiness is the line of JSON that -ready-file writes.
type readiness struct {
	Sandbox       string `json:"sandbox"` // the version
	URL           string `json:"url"`
	ClientID      string `json:"clientId"`
	ClientSecret  string `json:"clientSecret"`
	CACertificate string `json:"caCertificate,omitempty"` // of -tls, in PEM
	PID           int    `json:"pid"`
}

// announcement is what there is to say when the sandbox serves.
type announcement struct {
	set       settings
	base      string
	authority string // of -tls, in PEM
	catalogue *sandbox.Catalogue
	caller    sandbox.Organisation
}

// announce tells people and scripts, in this order, that the sandbox serves.
func (p *program) announce(a announcement, ready *readyFile) error {
	var err error
	switch {
	case a.set.printEnv:
		_, err = io.WriteString(p.stdout, a.environment())
	case a.set.readyFile != "-":
		err = a.writeWelcome(p.stdout)
	}
	if err != nil || a.set.readyFile == "" {
		return err
	}
	line, err := json.Marshal(readiness{
		Sandbox: p.versionText(), URL: a.base, PID: os.Getpid(), CACertificate: a.authority,
		ClientID: a.caller.ClientID, ClientSecret: a.caller.ClientSecret,
	})
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if a.set.readyFile == "-" {
		_, err = p.stdout.Write(line)
		return err
	}
	return ready.write(line)
}

// readyFile is there with all that is in it, or not at all.
type readyFile struct {
	name string
	work *os.File
}

// newReadyFile fails where the file could not be written, and removes that of a
// sandbox that was killed: nobody should take it for this one's.
func newReadyFile(name string) (*readyFile, error) {
	r := &readyFile{name: name}
	if name == "" || name == "-" {
		return r, nil
	}
	work, err := os.CreateTemp(filepath.Dir(name), ".sandbox-")
	if err == nil {
		r.work = work
		if err = os.Remove(name); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		r.remove()
		return nil, fmt.Errorf("-ready-file: %w", err)
	}
	return r, nil
}

func (r *readyFile) write(text []byte) error {
	_, err := r.work.Write(text)
	if err = errors.Join(err, r.work.Close()); err == nil {
		err = os.Rename(r.work.Name(), r.name)
	}
	if err != nil {
		return fmt.Errorf("-ready-file: %w", err)
	}
	return nil
}

// remove leaves nothing behind; one of the two files is not there.
func (r *readyFile) remove() {
	if r.work != nil {
		_ = r.work.Close()
		_ = os.Remove(r.work.Name())
		_ = os.Remove(r.name)
	}
}

// environment is what a shell reads to use the provider with the sandbox.
func (a announcement) environment() string {
	text := fmt.Sprintf("export MODELCATALOGUE_BASE_URL=%s\n"+
		"export MODELCATALOGUE_CLIENT_ID=%s MODELCATALOGUE_CLIENT_SECRET=%s\n",
		shellWord(a.base), shellWord(a.caller.ClientID), shellWord(a.caller.ClientSecret))
	if a.authority != "" {
		text += "export MODELCATALOGUE_CA_CERTIFICATE_PEM=" + shellWord(a.authority) + "\n"
	}
	return text
}

// baseURL names a host of -host, or a loopback one where the sandbox listens on
// every address: only there does the provider accept http.
func baseURL(listening net.Addr, set settings) string {
	host, port, err := net.SplitHostPort(listening.String())
	if err != nil {
		return "http://" + listening.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http"
	if set.tls {
		scheme = "https"
		host = cmp.Or(strings.Join(set.hosts[:min(1, len(set.hosts))], ""), host)
	}
	return (&url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}).String()
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

// writeWelcome tells how to use the sandbox, in lines to paste into a shell.
func (a announcement) writeWelcome(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "This is a SANDBOX of the model catalogue, not the service: its models are made up.\n"+
		"It serves at %s. Stop it with Ctrl-C.\n", a.base)
	if host, _, err := net.SplitHostPort(a.set.listen); err == nil {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			fmt.Fprintf(&text, "It listens on %s: other machines can read it, with the credentials below.\n"+
				"Control routes are answered only under a loopback address and the names of -host.\n", a.set.listen)
		}
	}
	if a.set.allowance.Requests > 0 {
		fmt.Fprintf(&text, "Each client may send %s.\n", a.set.allowance)
	}
	fmt.Fprintln(&text)

	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ORGANISATION\tROLE\tCLIENT ID\tCLIENT SECRET")
	for _, o := range a.catalogue.Organisations() {
		role := role(o, len(a.catalogue.Owned(o.Name)))
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", o.Name, role, o.ClientID, o.ClientSecret)
	}
	if err := table.Flush(); err != nil {
		return err
	}

	fmt.Fprintf(&text, "\nTo use it as %s:\n\n", a.caller.Name)
	for line := range strings.Lines(a.environment()) {
		text.WriteString("  " + line)
	}
	fmt.Fprint(&text, "\nThe provider for it: in a clone, `make install` builds it and prints how `init` finds it.\n")
	if owned := a.catalogue.Owned(a.caller.Name); len(owned) > 0 && !a.set.tls {
		fmt.Fprint(&text, "\nTo publish a revision, with any fields of the model replaced:\n\n")
		group := url.PathEscape(owned[0])
		fmt.Fprintf(&text, "  curl -X POST %s/control/model-groups/%s/publish \\\n", a.base, group)
		fmt.Fprint(&text, "    -d '{\"dockerImage\": \"registry.example/model:2.0.0\"}'\n")
	}
	fmt.Fprintf(&text, "\n%s/ in a browser, and modelcatalogue-sandbox help, show what else it can be told.\n", a.base)
	_, err := io.WriteString(w, text.String())
	return err
}

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
