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
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const defaultAddress = "127.0.0.1:8080"

// settings are the flags of serving.
type settings struct {
	listen, readyFile, as, catalogue string
	hosts                            []string
	tls                              bool
	tokenLife                        time.Duration
	allowance                        sandbox.Allowance
}

func (set *settings) flags(flags *flag.FlagSet) *flag.FlagSet {
	set.listen = cmp.Or(set.listen, defaultAddress)
	flags.StringVar(&set.listen, "listen", set.listen, "`address` to listen on; port 0 picks a free one")
	flags.Func("host", "further host `names`, such as a container's, with commas between them",
		func(text string) error {
			set.hosts = strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' })
			return nil
		})
	flags.BoolVar(&set.tls, "tls", false, "serve https, with an authority of its own for this process")
	flags.StringVar(&set.readyFile, "ready-file", "",
		"`file` to write a line of JSON to as soon as the sandbox serves, removed at the end")
	flags.StringVar(&set.as, "as", "", "`client id` whose credentials it gives out (default: the first organisation's)")
	flags.StringVar(&set.catalogue, "catalogue", "", "catalogue `file` to serve (default: the built-in one)")
	flags.DurationVar(&set.tokenLife, "token-life", time.Hour, "`time` a token is valid, such as 60s; 0 is for ever")
	flags.Func("rate-limit", "`requests` allowed each client, such as 60/1m:fixed; fixed, sliding (default) or bucket",
		func(text string) (err error) {
			set.allowance, err = sandbox.ParseAllowance(text)
			return err
		})
	return flags
}

// sandbox returns the sandbox that is served at an address. On loopback it refuses every request under a foreign name.
func (set *settings) sandbox(catalogue *sandbox.Catalogue, listening net.Addr, authority string) *sandbox.Sandbox {
	options := []sandbox.Option{
		sandbox.WithHosts(set.hosts...),
		sandbox.WithTokenLife(set.tokenLife),
		sandbox.WithAllowance(set.allowance),
		sandbox.WithAuthority(authority),
	}
	if tcp, ok := listening.(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		options = append(options, sandbox.WithOwnHostsOnly())
	}
	return sandbox.New(catalogue, options...)
}

// serving is a running sandbox.
type serving struct {
	set       *settings
	base      string
	authority string // of -tls, in PEM
	catalogue *sandbox.Catalogue
	caller    sandbox.Organisation
	failed    chan error
	server    *http.Server
	stop      func()
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
		return nil, fmt.Errorf("-listen is %q: it cannot listen there (%w). Give another address; "+
			"127.0.0.1:0 takes a free port", set.listen, reasonOf(err))
	}
	s.server.Handler = set.sandbox(catalogue, listener.Addr(), s.authority)
	s.base = baseURL(listener.Addr(), set)
	go func() {
		if set.tls {
			s.failed <- s.server.ServeTLS(listener, "", "")
		} else {
			s.failed <- s.server.Serve(listener)
		}
	}()
	remove, err := p.writeReady(s)
	s.stop = func() { remove(); _ = s.server.Close() }
	return s, err
}

// serve serves until ctx ends.
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
		select {
		case err := <-s.failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// writeReady writes the ready file, whole or not at all. remove removes it unless another sandbox has overwritten it.
func (p *program) writeReady(s *serving) (remove func(), err error) {
	name := s.set.readyFile
	line, err := json.Marshal(struct {
		Sandbox       string `json:"sandbox"` // the version
		URL           string `json:"url"`
		ClientID      string `json:"clientId"`
		ClientSecret  string `json:"clientSecret"`
		CACertificate string `json:"caCertificate,omitempty"` // of -tls, in PEM
		PID           int    `json:"pid"`
	}{p.version, s.base, s.caller.ClientID, s.caller.ClientSecret, s.authority, os.Getpid()})
	remove, line = func() {}, append(line, '\n')
	if err != nil || name == "" {
		return remove, err
	}
	if found, err := os.Stat(name); err == nil && !found.Mode().IsRegular() {
		return remove, fmt.Errorf("-ready-file: %s is there already, and is no file", name)
	}
	work := fmt.Sprintf("%s.%d", name, os.Getpid())
	if err = os.WriteFile(work, line, 0o600); err == nil {
		err = os.Rename(work, name)
	}
	if err != nil {
		_ = os.Remove(work)
		return remove, fmt.Errorf("-ready-file is %q: no file can be written there (%w)", name, reasonOf(err))
	}
	return func() {
		if now, err := os.ReadFile(name); err == nil && bytes.Equal(now, line) { //nolint:gosec // the user's own choice
			_ = os.Remove(name)
		}
	}, nil
}

// baseURL returns the address to give out. With -tls that has the first name of -host. If the sandbox listens on every
// address, it is the loopback one, because the provider accepts http only there.
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
	text, err := os.ReadFile(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	catalogue, err := sandbox.ReadCatalogue(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("catalogue %s:\n%w", name, err)
	}
	return catalogue, nil
}

// chooseCaller returns the organisation of that client id, or the first.
func chooseCaller(catalogue *sandbox.Catalogue, clientID string) (sandbox.Organisation, error) {
	for _, o := range catalogue.Organisations() {
		if clientID == "" || o.ClientID == clientID {
			return o, nil
		}
	}
	return sandbox.Organisation{}, misused("-as is %q: the catalogue has no such client id", clientID)
}

// newAuthority returns a certificate for the loopback address and these hosts, and its authority, itself, in PEM.
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

// environment returns the variables with which the provider uses the sandbox.
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

// writeWelcome says how to use the sandbox, in lines to paste into a shell. They are not indented, because of the
// certificate.
func (s *serving) writeWelcome(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "This is a SANDBOX of the model catalogue, not the service: its models are made up.\n"+
		"It serves at %s, a page to look at too. Stop it with Ctrl-C.\n", s.base)
	if host, _, _ := net.SplitHostPort(s.set.listen); host != "localhost" && !net.ParseIP(host).IsLoopback() {
		fmt.Fprintf(&text, "-listen is %s: whoever can reach that address can read and change these models.\n", s.set.listen)
	}
	if s.set.allowance.Requests > 0 {
		fmt.Fprintf(&text, "Each client may send %s.\n", s.set.allowance)
	}
	fmt.Fprintln(&text)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ORGANISATION\tCLIENT ID\tCLIENT SECRET")
	for _, o := range s.catalogue.Organisations() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", o.Name, o.ClientID, o.ClientSecret)
	}
	_ = table.Flush() // to memory
	fmt.Fprintf(&text, "\nTo use it as %s:\n\n", s.caller.Name)
	for _, variable := range s.environment() {
		fmt.Fprintf(&text, "export %s='%s'\n", variable[0], strings.ReplaceAll(variable[1], "'", `'\''`))
	}
	fmt.Fprintf(&text, "\n`%s help` lists its flags and commands.\n", os.Args[0])
	_, err := io.WriteString(w, text.String())
	return err
}
