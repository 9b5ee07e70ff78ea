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
	"net"
	"net/http"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// readyLine is how to use the sandbox. Its JSON is the line of the ready file.
type readyLine struct {
	Sandbox       string `json:"sandbox"` // the version
	URL           string `json:"url"`
	Caller        string `json:"-"`
	ClientID      string `json:"clientId"`
	ClientSecret  string `json:"clientSecret"`
	CACertificate string `json:"caCertificate,omitempty"` // of -tls, in PEM
	PID           int    `json:"pid"`
}

// Variables returns those with which the provider uses the sandbox.
func (r *readyLine) Variables() [][2]string {
	variables := [][2]string{
		{"MODELCATALOGUE_BASE_URL", r.URL},
		{"MODELCATALOGUE_CLIENT_ID", r.ClientID},
		{"MODELCATALOGUE_CLIENT_SECRET", r.ClientSecret},
	}
	if r.CACertificate != "" {
		variables = append(variables, [2]string{"MODELCATALOGUE_CA_CERTIFICATE_PEM", r.CACertificate})
	}
	return variables
}

// write writes the ready file, whole or not at all, for every user of the machine to read: a container that shares the
// folder may have another user, and the data behind the file is made up. remove removes it unless another sandbox has
// overwritten it. option is how the file was named.
func (r *readyLine) write(file, option string) (remove func(), err error) {
	remove = func() {}
	if file == "" {
		return remove, nil
	}
	if found, err := os.Stat(file); err == nil && !found.Mode().IsRegular() {
		return remove, fmt.Errorf("%s: %s exists and is not a regular file", option, file)
	}
	const readable = 0o644
	r.PID = os.Getpid()
	line, err := json.Marshal(r)
	line = append(line, '\n')
	work := fmt.Sprint(file, ".", r.PID)
	if err == nil {
		err = os.WriteFile(work, line, readable)
	}
	if err == nil {
		err = os.Chmod(work, readable) // whatever the umask
	}
	if err == nil {
		err = os.Rename(work, file)
	}
	if err != nil {
		_ = os.Remove(work)
		return remove, fmt.Errorf("%s: %s cannot be written: %w", option, file, reasonOf(err))
	}
	return func() {
		now, err := os.ReadFile(file) //nolint:gosec // the user's own choice
		if err == nil && bytes.Equal(now, line) {
			_ = os.Remove(file)
		}
	}, nil
}

// ready ends well once a sandbox serves at the address: the health check of an image without a shell. It has the flags
// and variables of serving, so that both can be given the same.
func (p *program) ready(flags *flag.FlagSet) run {
	set := newServeFlags(flags, defaultAddress)
	return func(ctx context.Context, _ []string) error {
		err := askOften(ctx, func(ctx context.Context) error { return ask(ctx, set.Listen) })
		if err == nil || ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("no sandbox answers at %s: %w", set.Listen, reasonOf(err))
	}
}

// askOften asks until the answer is good, for five seconds in all. It returns why the last question failed that was not
// cut short.
func askOften(ctx context.Context, ask func(context.Context) error) (failed error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for ; ; time.Sleep(50 * time.Millisecond) {
		err := ask(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = errors.New("a request got no answer")
		}
		if err == nil || failed == nil || ctx.Err() == nil {
			failed = err
		}
		if err == nil || ctx.Err() != nil {
			return failed
		}
	}
}

// ask returns an error unless a sandbox serves at an address, with -tls or without.
func ask(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	// Nothing secret is sent, so it does not matter whose certificate it is.
	transport := &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // as said above
	}
	var failed error
	for _, scheme := range []string{"http://", "https://"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+address+"/control/ready", http.NoBody)
		if err != nil {
			return err
		}
		response, err := transport.RoundTrip(request)
		if err != nil {
			return cmp.Or(failed, err)
		}
		_ = response.Body.Close()
		if response.Header.Get(sandbox.Header) != "" {
			return nil
		}
		failed = errors.New("another server has that address")
	}
	return failed
}

// certify returns a certificate for these hosts. It is its own authority.
func (r *readyLine) certify(hosts []string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Sandbox of the model catalogue"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.AddDate(1, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	text, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	r.CACertificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: text}))
	return tls.Certificate{Certificate: [][]byte{text}, PrivateKey: key}, err
}
