package sandboxtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
)

// Certify makes a certificate with the hosts, subject and times of the template. It is signed by an authority of that
// name, or by itself if authority is "". Certify returns it with its key, and the signer's certificate.
func Certify(template *x509.Certificate, authority string) (certificate tls.Certificate, signer *x509.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	parent := template
	if authority != "" {
		parent = &x509.Certificate{
			Subject:   pkix.Name{CommonName: authority},
			NotBefore: template.NotBefore,
			NotAfter:  template.NotAfter,
		}
	}
	parent.IsCA = true
	parent.BasicConstraintsValid = true
	sign := func(template *x509.Certificate) []byte {
		text, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, key)
		must(err)
		return text
	}
	signed := sign(parent)
	signer, err = x509.ParseCertificate(signed)
	must(err)
	if parent != template {
		signed = sign(template)
	}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, signer
}

func must(err error) {
	if err != nil {
		panic("sandboxtest: " + err.Error())
	}
}
