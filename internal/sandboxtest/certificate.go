package sandboxtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
)

// Certify makes the certificate that a template describes: its hosts, its subject and its
// time. An authority of that name signs it, or the certificate itself where the name is "".
// It returns the certificate with its key, and that of whoever signed it.
func Certify(template *x509.Certificate, authority string) (certificate tls.Certificate, signer *x509.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic("sandboxtest: " + err.Error())
	}
	parent := template
	if authority != "" {
		parent = &x509.Certificate{
			Subject: pkix.Name{CommonName: authority}, NotBefore: template.NotBefore, NotAfter: template.NotAfter,
		}
	}
	parent.IsCA, parent.BasicConstraintsValid = true, true
	sign := func(template *x509.Certificate, serial int64) []byte {
		template.SerialNumber = big.NewInt(serial)
		return must(x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, key))
	}
	signed := sign(parent, 1)
	if signer, err = x509.ParseCertificate(signed); err != nil {
		panic("sandboxtest: " + err.Error())
	}
	if parent != template {
		signed = sign(template, 2)
	}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, signer
}
