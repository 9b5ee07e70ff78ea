package provider

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// parseCertificates reads certificates in PEM form. Text between them is
// skipped, as bundles have it. An error says what text is instead, and quotes
// none of it, because it may be a private key.
func parseCertificates(text string) ([]*x509.Certificate, error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	var certificates []*x509.Certificate
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		switch {
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return nil, errors.New("it holds a private key, which nobody but its owner may have; " +
				"give the certificate of the authority that signed the service's certificate")
		case block.Type != "CERTIFICATE":
			return nil, fmt.Errorf("it holds a %s, and only certificates are read from it", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d in it is broken: %w", len(certificates)+1, err)
		}
		certificates = append(certificates, certificate)
	}
	begun := strings.Count(text, "-----BEGIN CERTIFICATE-----")
	switch {
	case begun > len(certificates):
		return nil, errors.New(problemOfPEM(text, len(certificates)+1))
	case len(certificates) > 0:
		return certificates, nil
	case inBase64(text):
		return nil, errors.New("it looks like base64 of a PEM text; give the text itself, by " +
			`base64decode("…") in the configuration, or base64 -d in a shell`)
	case !strings.ContainsAny(strings.TrimSpace(text), "\n"):
		return nil, errors.New("it looks like the name of a file, and the content of the file is needed; " +
			`write file("…") in the configuration, or "$(cat …)" in a shell`)
	default:
		return nil, errors.New("it holds no certificate in PEM form, which begins with the line -----BEGIN " +
			"CERTIFICATE-----")
	}
}

// problemOfPEM says why certificate n of a PEM text cannot be read.
func problemOfPEM(text string, n int) string {
	switch {
	case strings.Contains(text, `\n`):
		return `its line breaks are spelled \n; give the text with real line breaks`
	case !strings.ContainsAny(strings.TrimSpace(text), "\r\n"):
		return "its line breaks are missing; give the text with real line breaks"
	}
	return fmt.Sprintf("certificate %d in it is broken: its PEM block is cut short or damaged", n)
}

// inBase64 tells whether text is a PEM text in base64, as CI systems and
// Kubernetes keep files.
func inBase64(text string) bool {
	const begin = "-----BEGIN "
	packed := strings.Join(strings.Fields(text), "")
	length := min(len(packed), base64.StdEncoding.EncodedLen(len(begin))) &^ 3
	decoded, err := base64.StdEncoding.DecodeString(packed[:length])
	return err == nil && strings.HasPrefix(string(decoded), begin)
}
