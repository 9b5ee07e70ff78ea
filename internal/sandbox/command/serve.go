package command

import (
	"bytes"
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const defaultAddress = "127.0.0.1:8080"

// serveFlags are the flags of serving.
type serveFlags struct {
	Listen    string
	hosts     []string // names and addresses of this host; the first one is in the URL of -tls
	tls       bool
	readyFile string
	catalogue string
	caller    string // for exec: the name of its organisation, or "" for the first one
	tokenLife time.Duration
	Allowance sandbox.Allowance
}

// newServeFlags defines the flags. help.txt describes them.
func newServeFlags(flags *flag.FlagSet, listen string) *serveFlags {
	set := &serveFlags{tokenLife: time.Hour}
	flags.StringVar(&set.Listen, "listen", listen, "")
	flags.Func("host", "", set.setHosts)
	flags.BoolFunc("tls", "", boolean(&set.tls))
	flags.StringVar(&set.readyFile, "ready-file", "", "")
	flags.StringVar(&set.catalogue, "catalogue", "", "")
	flags.Func("token-life", "", set.setTokenLife)
	flags.Func("rate-limit", "", func(text string) (err error) {
		set.Allowance, err = sandbox.ParseAllowance(text)
		return err
	})
	return set
}

// boolean returns the setter of a flag with an optional value.
func boolean(flag *bool) func(string) error {
	return func(text string) (err error) {
		if *flag, err = strconv.ParseBool(text); err != nil {
			return errors.New("must be true or false")
		}
		return nil
	}
}

func (set *serveFlags) setHosts(text string) error {
	set.hosts = strings.Fields(strings.ReplaceAll(strings.ToLower(text), ",", " "))
	isName := regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)
	for _, host := range set.hosts {
		if net.ParseIP(host) == nil && !isName.MatchString(host) {
			return fmt.Errorf("%q is not a name such as sandbox, without scheme, port and path", host)
		}
	}
	return nil
}

func (set *serveFlags) setTokenLife(text string) (err error) {
	if set.tokenLife, err = time.ParseDuration(text); err != nil || set.tokenLife < 0 {
		return fmt.Errorf("%q is not a time such as 60s or 1h", text)
	}
	return nil
}

// serving is a running sandbox. The template welcome.txt uses its exported names.
type serving struct {
	*serveFlags
	*sandbox.Catalogue
	readyLine
	IsExposed bool // whether other machines may reach it
	failed    chan error
	server    *http.Server
}

// start serves until stop is called.
func (p *program) start(ctx context.Context, set *serveFlags) (s *serving, stop func(), err error) {
	catalogue, err := p.loadCatalogue(set.catalogue)
	if err != nil {
		return nil, nil, err
	}
	caller, err := catalogue.Organisation(set.caller)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.givenBy("organisation"), err)
	}
	s = &serving{
		serveFlags: set,
		Catalogue:  catalogue,
		readyLine: readyLine{
			Sandbox:      p.version,
			Caller:       caller.Name,
			ClientID:     caller.ClientID,
			ClientSecret: caller.ClientSecret,
			PID:          os.Getpid(),
		},
		failed: make(chan error, 1),
		server: &http.Server{
			ReadHeaderTimeout: 10 * time.Second,
			MaxHeaderBytes:    8 << 10, // headers are kept with the requests
			ErrorLog:          log.New(p.stderr, p.name+": ", 0),
		},
	}
	if err := s.begin(ctx); err != nil {
		return nil, nil, err
	}
	stop = func() {
		_ = os.Remove(set.readyFile)
		_ = s.server.Close()
	}
	if err := s.write(set.readyFile); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.givenBy("ready-file"), err)
	}
	return s, stop, nil
}

// begin listens and serves.
func (s *serving) begin(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("%w. Give another address by -listen or %sLISTEN, such as %s; 127.0.0.1:0 takes a free port",
			err, prefix, defaultAddress)
	}
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	ip := net.ParseIP(host)
	s.IsExposed = !ip.IsLoopback()
	// A sandbox that listens on every address announces the loopback one, because the provider accepts http only there.
	if ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	for _, own := range []string{host, "localhost", "127.0.0.1", "::1"} {
		if !slices.Contains(s.hosts, own) {
			s.hosts = append(s.hosts, own)
		}
	}
	s.URL = "http://" + net.JoinHostPort(host, port)
	if s.tls {
		s.URL = "https://" + net.JoinHostPort(s.hosts[0], port)
		certificate, err := s.certify(s.hosts)
		if err != nil {
			return err
		}
		listener = tls.NewListener(listener, &tls.Config{
			Certificates: []tls.Certificate{certificate},
			MinVersion:   tls.VersionTLS12,
			NextProtos:   []string{"h2", "http/1.1"},
		})
	}
	s.server.Handler = s.sandbox()
	go func() { s.failed <- s.server.Serve(listener) }()
	return nil
}

// sandbox returns the sandbox to serve. On loopback it refuses every request under a foreign name.
func (s *serving) sandbox() *sandbox.Sandbox {
	options := []sandbox.Option{
		sandbox.WithHosts(s.hosts...),
		sandbox.WithTokenLife(s.tokenLife),
		sandbox.WithAllowance(s.Allowance),
		sandbox.WithAuthority(s.CACertificate),
	}
	if !s.IsExposed {
		options = append(options, sandbox.WithOwnHostsOnly())
	}
	return sandbox.New(s.Catalogue, options...)
}

//go:embed welcome.txt
var welcome string

// serve serves until a signal ends it. It prints lines to paste into a shell.
func (p *program) serve(flags *flag.FlagSet) run {
	set := newServeFlags(flags, defaultAddress)
	return func(ctx context.Context, _ []string) error {
		ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
		if !signal.Ignored(syscall.SIGHUP) { // as under nohup
			ends = append(ends, syscall.SIGHUP)
		}
		ctx, release := signal.NotifyContext(ctx, ends...)
		defer release()
		s, stop, err := p.start(ctx, set)
		if err != nil {
			return err
		}
		defer stop()
		quoting := template.FuncMap{"quote": sandbox.Quote}
		text := template.Must(template.New("").Funcs(quoting).Parse(welcome))
		if err := text.Execute(p.stdout, s); err != nil {
			return err
		}
		select {
		case err := <-s.failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// loadCatalogue reads a catalogue file, or returns the built-in catalogue if name is empty. It prints the largest
// possible age of a recording, from the newest change in it. A recording contains no date of its own, so the same
// service gives the same file.
func (p *program) loadCatalogue(name string) (*sandbox.Catalogue, error) {
	if name == "" {
		return sandbox.Default(), nil
	}
	text, err := os.ReadFile(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.givenBy("catalogue"), err)
	}
	catalogue, err := sandbox.ReadCatalogue(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if newest, isRecorded := catalogue.Recorded(); isRecorded {
		const day = 24 * time.Hour
		p.say("%s is a recording, up to %d days old: it lacks what the service has published since",
			name, max(0, time.Since(newest)/day))
	}
	if found := catalogue.Contradictions(); len(found) > 0 {
		p.say("%s: %s", name, found)
	}
	return catalogue, nil
}
