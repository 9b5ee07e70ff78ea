package command

import (
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
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// readyLine is the address and the credentials of a sandbox. Its JSON is the line of the ready file.
type readyLine struct {
	Sandbox       string `json:"sandbox"` // the version
	URL           string `json:"url"`
	Caller        string `json:"-"`
	ClientID      string `json:"clientId"`
	ClientSecret  string `json:"clientSecret"`
	CACertificate string `json:"caCertificate,omitempty"` // of -tls, in PEM
	PID           int    `json:"pid"`
}

// Variables returns the provider's variables for the sandbox.
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

// write writes the ready file, whole or not at all. Every user of the machine may read it, because a container with the
// same folder may run as another user. Whoever reaches the sandbox can read its data on the page, without credentials.
func (r *readyLine) write(file string) error {
	if file == "" {
		return nil
	}
	if found, err := os.Stat(file); err == nil && !found.Mode().IsRegular() {
		return fmt.Errorf("%s exists and is not a regular file", file)
	}
	// A random name: under a predictable one somebody could plant a link.
	work, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	const readable = 0o644 // whatever the umask
	encoder := jsontext.NewEncoder(work)
	err = cmp.Or(json.MarshalEncode(encoder, r), work.Close(), os.Chmod(work.Name(), readable))
	if err == nil {
		err = os.Rename(work.Name(), file)
	}
	if err != nil {
		_ = os.Remove(work.Name())
	}
	return err
}

// ready succeeds once a sandbox serves at the address: the health check of an image without a shell. It takes the flags
// and variables of serving, so both can have the same environment.
func (p *program) ready(flags *flag.FlagSet) run {
	set := newServeFlags(flags, defaultAddress)
	return func(ctx context.Context, _ []string) error {
		address, err := addressOf(set.Listen)
		if err != nil {
			return fmt.Errorf("%s: %w", p.givenBy("listen"), err)
		}
		for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			err := ask(ctx, address)
			if err == nil {
				return nil
			}
			if time.Since(begun) > 4*time.Second {
				return fmt.Errorf("no sandbox answers at %s: %w", set.Listen, err)
			}
		}
	}
}

// addressOf returns the address at which to ask a sandbox. It may listen on every address of this machine, as at :http.
func addressOf(listen string) (string, error) {
	address, err := net.ResolveTCPAddr("tcp", listen)
	switch {
	case err != nil:
		return "", err
	case address.Port == 0:
		return "", errors.New("port 0 is any free one: give the one that the sandbox has")
	case address.IP == nil || address.IP.IsUnspecified():
		address.IP = net.IPv4(127, 0, 0, 1)
	}
	return address.String(), nil
}

// asking sends the requests of `ready`. They contain no secret, so any certificate will do.
var asking = &http.Transport{
	DisableKeepAlives: true,
	TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // for requests without secrets
}

// ask returns nil if a sandbox serves at an address, with -tls or without. It gives up after a second.
func ask(ctx context.Context, address string) (failed error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, scheme := range []string{"http://", "https://"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+address+"/control/ready", http.NoBody)
		if err != nil {
			return err
		}
		response, err := asking.RoundTrip(request)
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

// certify returns a self-signed certificate for these hosts. It is its own authority.
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
