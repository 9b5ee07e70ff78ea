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
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	tokenLife time.Duration
	Allowance sandbox.Allowance
}

// newServeFlags defines the flags. help.txt describes them.
func newServeFlags(flags *flag.FlagSet, listen string) *serveFlags {
	set := &serveFlags{Listen: listen, tokenLife: time.Hour}
	flags.Func("listen", "", set.setListen)
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

func (set *serveFlags) setListen(text string) error {
	set.Listen = text
	if _, err := strconv.Atoi(text); err == nil {
		return fmt.Errorf("%q is only a port: write 127.0.0.1:%[1]s", text)
	}
	if _, _, err := net.SplitHostPort(text); err != nil {
		return fmt.Errorf("%q is not an address such as %s", text, defaultAddress)
	}
	return nil
}

// boolean returns what sets a flag without a value, which may also be given one.
func boolean(flag *bool) func(string) error {
	return func(text string) (err error) {
		if *flag, err = strconv.ParseBool(text); err != nil {
			return errors.New("must be true or false")
		}
		return nil
	}
}

func (set *serveFlags) setHosts(text string) error {
	set.hosts = strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' })
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
	failed chan error
	server *http.Server
	stop   func()
}

// start serves until stop is called.
func (p *program) start(ctx context.Context, set *serveFlags) (*serving, error) {
	catalogue, err := p.loadCatalogue(set.catalogue)
	if err != nil {
		return nil, err
	}
	s := &serving{serveFlags: set, Catalogue: catalogue, failed: make(chan error, 1)}
	first := catalogue.Organisations()[0]
	s.Sandbox = p.version
	s.Caller = first.Name
	s.ClientID = first.ClientID
	s.ClientSecret = first.ClientSecret
	s.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    8 << 10, // headers are kept with the requests
		ErrorLog:          log.New(p.stderr, p.name+": ", 0),
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	remove, err := s.write(set.readyFile, p.givenBy("ready-file"))
	s.stop = func() {
		remove()
		_ = s.server.Close()
	}
	return s, err
}

// begin listens and serves.
func (s *serving) begin(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		reason := reasonOf(err).Error()
		if ask(ctx, s.Listen) == nil {
			reason = "a sandbox serves there already"
		}
		return fmt.Errorf("cannot listen on %s: %s. Give another address by -listen or %sLISTEN; "+
			"127.0.0.1:0 takes a free port", s.Listen, reason, prefix)
	}
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	// A sandbox that listens on every address gives out the loopback one, because the provider accepts http only there.
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	s.URL = "http://" + net.JoinHostPort(host, port)
	for _, own := range []string{host, "localhost", "127.0.0.1", "::1"} {
		if !slices.Contains(s.hosts, own) {
			s.hosts = append(s.hosts, own)
		}
	}
	serve := s.server.Serve
	if s.tls {
		s.URL = "https://" + net.JoinHostPort(s.hosts[0], port)
		certificate, err := s.certify(s.hosts)
		if err != nil {
			return err
		}
		s.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
		serve = func(l net.Listener) error { return s.server.ServeTLS(l, "", "") }
	}
	s.server.Handler = s.sandbox(listener.Addr())
	go func() { s.failed <- serve(listener) }()
	return nil
}

// sandbox returns the sandbox that is served at an address. On loopback it refuses every request under a foreign name.
func (s *serving) sandbox(listening net.Addr) *sandbox.Sandbox {
	options := []sandbox.Option{
		sandbox.WithHosts(s.hosts...),
		sandbox.WithTokenLife(s.tokenLife),
		sandbox.WithAllowance(s.Allowance),
		sandbox.WithAuthority(s.CACertificate),
	}
	if tcp, ok := listening.(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		options = append(options, sandbox.WithOwnHostsOnly())
	}
	return sandbox.New(s.Catalogue, options...)
}

//go:embed welcome.txt
var welcome string

// serve serves until ctx ends. It says how, in lines to paste into a shell.
func (p *program) serve(flags *flag.FlagSet) run {
	set := newServeFlags(flags, defaultAddress)
	return func(ctx context.Context, _ []string) error {
		s, err := p.start(ctx, set)
		if err != nil {
			return err
		}
		defer s.stop()
		quoting := template.FuncMap{"quote": sandbox.Quote}
		var text bytes.Buffer
		if err := template.Must(template.New("").Funcs(quoting).Parse(welcome)).Execute(&text, s); err != nil {
			return err
		}
		if _, err := text.WriteTo(p.stdout); err != nil {
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

// IsExposed reports whether others than this machine may reach it.
func (s *serving) IsExposed() bool {
	host, _, _ := net.SplitHostPort(s.Listen)
	return host != "localhost" && !net.ParseIP(host).IsLoopback()
}

// loadCatalogue reads a catalogue file, or returns the built-in catalogue if name is empty. It says how old a
// recording may be.
func (p *program) loadCatalogue(name string) (*sandbox.Catalogue, error) {
	if name == "" {
		return sandbox.Default(), nil
	}
	text, err := os.ReadFile(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, fmt.Errorf("%s: %q cannot be read: %w", p.givenBy("catalogue"), name, reasonOf(err))
	}
	catalogue, err := sandbox.ReadCatalogue(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if newest, isRecorded := catalogue.Recorded(); isRecorded {
		p.say("%s is a recording, %s old: it lacks what the service has published since", name, ageOf(name, newest))
	}
	return catalogue, nil
}

// ageOf says how old a recording is, as closely as that is known. A recording does not contain its own time, so that
// the same service gives the same file. It was made after the newest change in it, and before the time of its file,
// which a checkout moves forward.
func ageOf(file string, newest time.Time) string {
	const day = 24 * time.Hour
	least := time.Duration(0)
	if found, err := os.Stat(file); err == nil {
		least = max(0, time.Since(found.ModTime())/day) // another machine's clock may be ahead
	}
	most := time.Since(newest) / day
	switch {
	case newest.IsZero() || most < least:
		return fmt.Sprintf("at least %d days", least)
	case most == least:
		return fmt.Sprintf("%d days", least)
	}
	return fmt.Sprintf("%d to %d days", least, most)
}

// reasonOf returns the innermost error, such as "connection refused".
func reasonOf(err error) error {
	for below := errors.Unwrap(err); below != nil; below = errors.Unwrap(err) {
		err = below
	}
	return err
}
