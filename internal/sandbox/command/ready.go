package command

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/go-json-experiment/json"
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

// write writes the ready file, whole or not at all. remove removes it unless another sandbox has overwritten it.
func (r *readyLine) write(file string) (remove func(), err error) {
	remove = func() {}
	if file == "" {
		return remove, nil
	}
	if found, err := os.Stat(file); err == nil && !found.Mode().IsRegular() {
		return remove, fmt.Errorf("-ready-file: %s exists and is not a regular file", file)
	}
	r.PID = os.Getpid()
	line, err := json.Marshal(r)
	line = append(line, '\n')
	work := fmt.Sprint(file, ".", r.PID)
	if err == nil {
		err = os.WriteFile(work, line, 0o600)
	}
	if err == nil {
		err = os.Rename(work, file)
	}
	if err != nil {
		_ = os.Remove(work)
		return remove, fmt.Errorf("-ready-file: %s cannot be written: %w", file, reasonOf(err))
	}
	return func() {
		now, err := os.ReadFile(file) //nolint:gosec // the user's own choice
		if err == nil && bytes.Equal(now, line) {
			_ = os.Remove(file)
		}
	}, nil
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
