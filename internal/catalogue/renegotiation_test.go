package catalogue

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// crypto/tls loads the system's roots at the first handshake by itself, which a plan that reads nothing never makes.
// TestRenegotiation needs openssl.
func TestTLSClientConfig(t *testing.T) {
	t.Parallel()
	config := newTransport(Config{}, nil).newest.TLSClientConfig
	if config.RootCAs != nil || config.Renegotiation != tls.RenegotiateOnceAsClient {
		t.Errorf("%+v", config)
	}
}

// A server may ask for a client certificate after it has read the request, by a second handshake (TLS 1.2).
// crypto/tls cannot do so as a server.
func TestRenegotiation(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip(err)
	}
	own, signer := ofService() // of both sides
	file := filepath.Join(t.TempDir(), "own.pem")
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signer.Raw})...)
	if err = os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), program, "s_server", "-accept", "127.0.0.1:0", "-tls1_2", "-cert", file, "-CAfile", file)
	keys, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = server.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(printed); lines.Scan(); {
			port, isReady := strings.CutPrefix(lines.Text(), "ACCEPT ")
			switch {
			case isReady:
				address <- port
			case lines.Text() == "": // ends the header of the request
				_, _ = io.WriteString(keys, "R\n")
			case lines.Text() == "SSL_do_handshake -> 1":
				_, _ = io.WriteString(keys, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[]\n")
			}
		}
	}()
	c := clientTo(t, "https://"+<-address, Config{
		CACertificates:    []*x509.Certificate{signer},
		ClientCertificate: own,
		AccessToken:       "t",
	})
	if _, err = c.ModelGroups(t.Context(), ""); err != nil || !c.asked.Load() {
		t.Errorf("%v, asked: %t", err, c.asked.Load())
	}
}
