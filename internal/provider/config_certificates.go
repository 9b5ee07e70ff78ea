package provider

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// parseCertificates reads certificates in PEM form. Text between them is
// skipped, as bundles have it. An error says what text is instead, and quotes
// none of it, because it may be a private key.
func parseCertificates(text string) ([]*x509.Certificate, error) {
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
	if begun := strings.Count(text, "-----BEGIN CERTIFICATE-----"); begun > len(certificates) {
		if strings.Contains(text, `\n`) {
			return nil, errors.New(`its line breaks are spelled \n; give the text with real line breaks`)
		}
		return nil, fmt.Errorf("certificate %d in it is broken: its PEM block is cut short or "+
			"damaged", len(certificates)+1)
	}
	switch {
	case len(certificates) > 0:
		return certificates, nil
	case !strings.ContainsAny(strings.TrimSpace(text), "\n"):
		return nil, errors.New("it looks like the name of a file, and the content of the file is needed; " +
			`write file("…") in the configuration, or "$(cat …)" in a shell`)
	default:
		return nil, errors.New("it holds no certificate in PEM form, which begins with the line -----BEGIN " +
			"CERTIFICATE-----")
	}
}
