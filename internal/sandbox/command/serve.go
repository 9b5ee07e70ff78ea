package command

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// settings are the flags of serving.
type settings struct {
	listen    string
	hosts     []string
	tls       bool
	readyFile string
	printEnv  bool
	as        string
	catalogue string
	unchecked bool
	version   bool

	options   []sandbox.Option
	allowance sandbox.Allowance // to tell of it
}

func (set *settings) flags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.StringVar(&set.listen, "listen", defaultAddress, "`address` to listen on; port 0 picks a free one")
	flags.Func("host", "host `names` under which it is asked too, such as a container's, with commas between them",
		func(text string) error {
			set.hosts = strings.Split(text, ",")
			set.options = append(set.options, sandbox.WithHosts(set.hosts...))
			return nil
		})
	flags.BoolVar(&set.tls, "tls", false, "serve https, with an authority of its own for this process")
	flags.StringVar(&set.readyFile, "ready-file", "",
		"`file` to write a line of JSON to as soon as the sandbox serves, removed at the end; - is standard output")
	flags.BoolVar(&set.printEnv, "print-env", false, "print only the lines that set a shell's environment")
	flags.StringVar(&set.as, "as", "", "`client id` whose credentials are printed (default: an owner's)")

	flags.StringVar(&set.catalogue, "catalogue", "", "catalogue `file` to serve (default: the built-in one)")
	flags.BoolVar(&set.unchecked, "unchecked", false, "serve fields and types that the interface does not have")

	const life = "`time` for which a token is valid, such as 60s or 1h; 0 is for ever (default 1h)"
	flags.Func("token-life", life, func(text string) error {
		life, err := parseDuration(text)
		set.options = append(set.options, sandbox.WithTokenLife(life))
		return err
	})
	flags.Func("rate-limit", "`requests` allowed each client, such as 60/1m:fixed; fixed, sliding (default) or bucket",
		func(text string) (err error) {
			set.allowance, err = sandbox.ParseAllowance(text)
			set.options = append(set.options, sandbox.WithAllowance(set.allowance))
			return err
		})
	flags.Func("token-format", "content `type` of token requests: form (default), json or any", func(text string) error {
		formats := []sandbox.TokenFormat{sandbox.TokenForm, sandbox.TokenJSON, sandbox.TokenAny}
		if !slices.Contains(formats, sandbox.TokenFormat(text)) {
			return fmt.Errorf("it must be one of %v", formats)
		}
		set.options = append(set.options, sandbox.WithTokenFormat(sandbox.TokenFormat(text)))
		return nil
	})
	flags.BoolFunc("hide-archived", "leave archived revisions out of lists of models", func(text string) error {
		hide, err := strconv.ParseBool(text)
		if hide {
			set.options = append(set.options, sandbox.WithArchivedUnlisted())
		}
		return err
	})
	flags.BoolVar(&set.version, "version", false, "print the version")
	return flags
}

func (set *settings) check(flags *flag.FlagSet) error {
	_, port, err := net.SplitHostPort(set.listen)
	number, portErr := strconv.Atoi(port)
	switch {
	case flags.NArg() > 0:
		return misused("unexpected argument %q: a command comes before all flags", flags.Arg(0))
	case err != nil:
		return misused("-listen is %q: an address such as %s is expected", set.listen, defaultAddress)
	case portErr != nil || number < 0 || number > 65535:
		return misused("-listen is %q: a port from 0 to 65535 is expected", set.listen)
	case set.unchecked && set.catalogue == "":
		return misused("-unchecked is for a file of -catalogue")
	case set.printEnv && set.readyFile == "-":
		return misused("-print-env and -ready-file=- both write to standard output: give the file a name")
	}
	return nil
}

// serve serves until ctx ends, and leaves nothing behind then.
func (p *program) serve(ctx context.Context, arguments []string) error {
	var set settings
	flags := set.flags(p.name)
	if err := p.parse(flags, arguments, p.printUsage); err != nil {
		return err
	}
	if set.version {
		return p.printVersion(ctx, nil)
	}
	if err := set.check(flags); err != nil {
		return err
	}
	catalogue, err := readCatalogue(set.catalogue, set.unchecked)
	if err != nil {
		return err
	}
	caller, err := chooseCaller(catalogue, set.as)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, set.listen)
	if err != nil {
		return err
	}
	a := announcement{set: set, base: baseURL(listener.Addr(), set), catalogue: catalogue, caller: caller}
	return p.serveOn(ctx, listener, a)
}

func (p *program) serveOn(ctx context.Context, listener net.Listener, a announcement) error {
	server := &http.Server{
		Handler:           sandbox.New(a.catalogue, a.set.options...),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(p.stderr, p.name+": ", 0),
	}
	defer listener.Close() //nolint:errcheck // the server closes it too
	ready, err := newReadyFile(a.set.readyFile)
	if err != nil {
		return err
	}
	defer ready.remove()
	serve := server.Serve
	if a.set.tls {
		var certificate tls.Certificate
		if certificate, a.authority, err = newAuthority(a.set.hosts); err != nil {
			return err
		}
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	failed := make(chan error, 1)
	go func() { failed <- serve(listener) }()
	if err := p.announce(a, ready); err != nil {
		_ = server.Close()
		return err
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// ctx is over: requests under way get a moment of their own to finish.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if server.Shutdown(grace) != nil {
		_ = server.Close()
	}
	return nil
}

func readCatalogue(name string, unchecked bool) (*sandbox.Catalogue, error) {
	if name == "" {
		return sandbox.Default(), nil
	}
	file, err := os.Open(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	read := sandbox.ReadCatalogue
	if unchecked {
		read = sandbox.ParseCatalogue
	}
	catalogue, err := read(file)
	if problems, ok := errors.AsType[sandbox.TextErrors](err); ok && len(problems) > 1 {
		return nil, fmt.Errorf("catalogue %s has %d mistakes:\n%w", name, len(problems), err)
	}
	if err != nil {
		return nil, fmt.Errorf("catalogue %s: %w", name, err)
	}
	return catalogue, nil
}

// chooseCaller returns the organisation of that client id, or, unless one is
// asked for, the first that owns a group and is permitted to read it.
func chooseCaller(catalogue *sandbox.Catalogue, clientID string) (sandbox.Organisation, error) {
	organisations := catalogue.Organisations()
	i := slices.IndexFunc(organisations, func(o sandbox.Organisation) bool {
		if clientID != "" {
			return o.ClientID == clientID
		}
		return o.Disabled == "" && !o.Forbidden && len(catalogue.Owned(o.Name)) > 0
	})
	switch {
	case i >= 0:
		return organisations[i], nil
	case clientID == "":
		return organisations[0], nil
	}
	return sandbox.Organisation{}, misused("-as is %q: the catalogue has no such client id", clientID)
}

// listen says what to do where the address is taken, and by whom.
func listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	host, _, _ := net.SplitHostPort(address)
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, errNoSuchAddress):
		return nil, fmt.Errorf("-listen is %q: %s is no address of this machine", address, host)
	case !errors.Is(err, errAddressInUse):
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second) // whatever is there may not answer
	defer cancel()
	free := "-listen=" + net.JoinHostPort(host, "0")
	if base := "http://" + address; newSite(base).isSandbox(ctx) == nil {
		return nil, fmt.Errorf("%s is in use: a sandbox serves there already. Use that one, at %s, "+
			"or take a free port by %s", address, base, free)
	}
	return nil, fmt.Errorf("%s is in use by another program. Take a free port by %s", address, free)
}
