package command

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const defaultAddress = "127.0.0.1:8080"

// settings are the flags of serving.
type settings struct {
	listen    string
	hosts     []string
	tls       bool
	readyFile string
	as        string
	catalogue string

	options   []sandbox.Option
	allowance sandbox.Allowance // for the welcome
}

func (set *settings) flags(flags *flag.FlagSet) *flag.FlagSet {
	option := func(option sandbox.Option) { set.options = append(set.options, option) }
	flags.StringVar(&set.listen, "listen", cmp.Or(set.listen, defaultAddress), "`address` to listen on; port 0 picks a free one")
	flags.Func("host", "`names` under which it is asked too, such as a container's, with commas between them",
		func(text string) error {
			for name := range strings.SplitSeq(text, ",") {
				if name = strings.ToLower(strings.TrimSpace(name)); name == "" {
					return errors.New("a name is empty")
				}
				set.hosts = append(set.hosts, name)
			}
			option(sandbox.WithHosts(set.hosts...))
			return nil
		})
	flags.BoolVar(&set.tls, "tls", false, "serve https, with an authority of its own for this process")
	flags.StringVar(&set.readyFile, "ready-file", "",
		"`file` to write a line of JSON to as soon as the sandbox serves, removed at the end")
	flags.StringVar(&set.as, "as", "", "`client id` whose credentials are given out (default: an owner's)")
	flags.StringVar(&set.catalogue, "catalogue", "", "catalogue `file` to serve (default: the built-in one)")
	flags.Func("token-life", "`time` for which a token is valid, such as 60s or 1h; 0 is for ever (default 1h)",
		duration(func(life time.Duration) { option(sandbox.WithTokenLife(life)) }))
	flags.Func("rate-limit", "`requests` allowed each client, such as 60/1m:fixed; fixed, sliding (default) or bucket",
		func(text string) (err error) {
			set.allowance, err = sandbox.ParseAllowance(text)
			option(sandbox.WithAllowance(set.allowance))
			return err
		})
	flags.Func("page-size", "send lists in pages of that many `elements`", func(text string) error {
		size, err := strconv.Atoi(text)
		if err != nil || size < 1 {
			return fmt.Errorf("%q is no number from 1 on", text)
		}
		option(sandbox.WithPageSize(size))
		return nil
	})
	flags.Func("token-format", "content `type` of token requests: form (default), json or any", func(text string) error {
		format := sandbox.TokenFormat(text)
		if !slices.Contains([]sandbox.TokenFormat{sandbox.TokenForm, sandbox.TokenJSON, sandbox.TokenAny}, format) {
			return errors.New("it must be form, json or any")
		}
		option(sandbox.WithTokenFormat(format))
		return nil
	})
	flags.BoolFunc("hide-archived", "leave archived revisions out of lists of models", func(text string) error {
		hide, err := strconv.ParseBool(text)
		if hide {
			option(sandbox.WithArchivedUnlisted())
		}
		return err
	})
	return flags
}

// serving is a sandbox that serves.
type serving struct {
	set       *settings
	base      string
	authority string // of -tls, in PEM
	catalogue *sandbox.Catalogue
	caller    sandbox.Organisation
	failed    chan error
	server    *http.Server
}

// start serves until stop is called.
func (p *program) start(ctx context.Context, set *settings) (*serving, error) {
	catalogue, err := readCatalogue(set.catalogue)
	if err != nil {
		return nil, err
	}
	s := &serving{set: set, catalogue: catalogue, failed: make(chan error, 1)}
	if s.caller, err = chooseCaller(catalogue, set.as); err != nil {
		return nil, err
	}
	s.server = &http.Server{
		Handler:           sandbox.New(catalogue, set.options...),
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    8 << 10, // headers are kept with the requests
		ErrorLog:          log.New(p.stderr, p.name+": ", 0),
	}
	if set.tls {
		var certificate tls.Certificate
		if certificate, s.authority, err = newAuthority(set.hosts); err != nil {
			return nil, err
		}
		s.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", set.listen)
	if err != nil {
		return nil, fmt.Errorf("-listen is %q: it cannot listen there (%w). Write an address such as %s; with port 0 it takes a free one",
			set.listen, reasonOf(err), defaultAddress)
	}
	s.base = baseURL(listener.Addr(), set)
	go func() {
		if set.tls {
			s.failed <- s.server.ServeTLS(listener, "", "")
		} else {
			s.failed <- s.server.Serve(listener)
		}
	}()
	return s, nil
}

// stop gives requests under way a moment to finish.
func (s *serving) stop() {
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.server.Shutdown(grace) != nil {
		_ = s.server.Close()
	}
}

// serve serves until ctx ends, and leaves nothing behind then.
func (p *program) serve(flags *flag.FlagSet) run {
	set := &settings{}
	set.flags(flags)
	return func(ctx context.Context, _ []string) error {
		s, err := p.start(ctx, set)
		if err != nil {
			return err
		}
		defer s.stop()
		if err := s.writeWelcome(p.stdout); err != nil {
			return err
		}
		remove, err := p.writeReady(s)
		if err != nil {
			return err
		}
		defer remove()
		select {
		case err := <-s.failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// readiness is the line of JSON that -ready-file writes.
type readiness struct {
	Sandbox       string `json:"sandbox"` // the version
	URL           string `json:"url"`
	ClientID      string `json:"clientId"`
	ClientSecret  string `json:"clientSecret"`
	CACertificate string `json:"caCertificate,omitempty"` // of -tls, in PEM
	PID           int    `json:"pid"`
}

// writeReady writes the ready file, whole or not at all. remove removes it,
// unless another sandbox has written there since.
func (p *program) writeReady(s *serving) (remove func(), err error) {
	name := s.set.readyFile
	line, err := json.Marshal(readiness{
		Sandbox: p.version, URL: s.base, PID: os.Getpid(), CACertificate: s.authority,
		ClientID: s.caller.ClientID, ClientSecret: s.caller.ClientSecret,
	})
	remove, line = func() {}, append(line, '\n')
	if err != nil || name == "" {
		return remove, err
	}
	if found, err := os.Stat(name); err == nil && !found.Mode().IsRegular() {
		return nil, fmt.Errorf("-ready-file: %s is there already, and is no file", name)
	}
	work, err := os.CreateTemp(filepath.Dir(name), ".sandbox-")
	if err != nil {
		return nil, fmt.Errorf("-ready-file is %q: no file can be written there (%w)", name, reasonOf(err))
	}
	_, err = work.Write(line)
	if err = errors.Join(err, work.Close()); err == nil {
		err = os.Rename(work.Name(), name)
	}
	if err != nil {
		_ = os.Remove(work.Name())
		return nil, fmt.Errorf("-ready-file is %q: %w", name, reasonOf(err))
	}
	return func() {
		if now, err := os.ReadFile(name); err == nil && bytes.Equal(now, line) { //nolint:gosec // the user's own choice
			_ = os.Remove(name)
		}
	}, nil
}

// baseURL names a host of -host, or a loopback one if the sandbox listens on
// every address: only there does the provider accept http.
func baseURL(listening net.Addr, set *settings) string {
	host, port, _ := net.SplitHostPort(listening.String())
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

func readCatalogue(name string) (*sandbox.Catalogue, error) {
	if name == "" {
		return sandbox.Default(), nil
	}
	file, err := os.Open(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	catalogue, err := sandbox.ReadCatalogue(file)
	if err != nil {
		return nil, fmt.Errorf("catalogue %s:\n%w", name, err)
	}
	return catalogue, nil
}

// chooseCaller returns the organisation of that client id, or by default the
// first that owns a group and is permitted to read it.
func chooseCaller(catalogue *sandbox.Catalogue, clientID string) (sandbox.Organisation, error) {
	organisations := catalogue.Organisations()
	for _, o := range organisations {
		owns := o.Disabled == "" && !o.Forbidden && len(catalogue.Owned(o.Name)) > 0
		if o.ClientID == clientID || clientID == "" && owns {
			return o, nil
		}
	}
	if clientID == "" {
		return organisations[0], nil
	}
	return sandbox.Organisation{}, misused("-as is %q: the catalogue has no such client id", clientID)
}

// newAuthority makes a certificate for the loopback address and these hosts,
// which is its own authority, and returns it in PEM too.
func newAuthority(hosts []string) (certificate tls.Certificate, authority string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate, "", err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "Sandbox of the model catalogue"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, DNSNames: []string{"localhost"},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	text, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	certificate = tls.Certificate{Certificate: [][]byte{text}, PrivateKey: key}
	return certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: text})), err
}

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
