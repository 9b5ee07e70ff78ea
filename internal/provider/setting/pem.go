package setting

import (
	"cmp"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Bundle is the certificates of a text, and why others are left out.
type Bundle struct {
	Certificates []*x509.Certificate
	LeftOut      []string // such as "certificate 2 of 3: x509: negative serial number"
}

// ParseBundle reads certificates in PEM form. Those that cannot be parsed are left out, but at least one must parse:
// bundles that many programs ship had one that Go refuses. An error never quotes the text, because that may be a
// private key.
func ParseBundle(text string) (found Bundle, err error) {
	blocks := blocksOf(text)
	for i, block := range blocks {
		certificate, broken := x509.ParseCertificate(block.content)
		switch {
		case block.isKey():
			return found, errors.New("it holds a private key; only certificates belong here")
		case block.label != "" && block.label != certificateLabel:
			return found, otherLabel(block.label, certificateLabel)
		case broken == nil:
			found.Certificates = append(found.Certificates, certificate)
			continue
		case block.content == nil:
			broken = errors.New(damaged)
		}
		said := fmt.Sprintf("certificate %d of %d is broken: %v", i+1, len(blocks), broken)
		found.LeftOut = append(found.LeftOut, said)
	}
	if len(found.Certificates) == 0 {
		why := append(found.LeftOut, "")[0]
		err = errors.New(cmp.Or(notPEM(text, certificateLabel), why))
	}
	return found, err
}

// ParseChain reads the certificate of a client, followed by those between it and its authority. All must parse.
func ParseChain(text string) ([]*x509.Certificate, error) {
	chain, err := ParseBundle(text)
	if err == nil && len(chain.LeftOut) > 0 {
		return nil, errors.New(chain.LeftOut[0])
	}
	return chain.Certificates, err
}

// ParseKey reads a private key in PEM form. It skips other blocks, such as its certificate.
func ParseKey(text string) (crypto.Signer, error) {
	blocks := blocksOf(text)
	at := max(0, slices.IndexFunc(blocks, pemBlock.isKey))
	block := append(blocks, pemBlock{})[at]
	key, mistake := signerOf(block.content), notPEM(text, keyLabel)
	switch {
	case key != nil:
		return key, nil
	case mistake != "":
		return nil, errors.New(mistake)
	case block.label == certificateLabel:
		return nil, errors.New("it is a certificate; give that in " + ClientCertificate + ", and its private key here")
	case !block.isKey():
		return nil, otherLabel(block.label, keyLabel)
	case block.encrypted:
		return nil, errors.New("it is encrypted, and the provider cannot ask for a password; use openssl pkey first")
	case block.content == nil:
		return nil, errors.New(damaged)
	}
	return nil, fmt.Errorf("its block labelled %s is not an RSA, ECDSA or Ed25519 key", redact.Abridged(block.label))
}

// signerOf returns the private key in any form that TLS can use, or nil.
func signerOf(der []byte) crypto.Signer {
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key
	}
	key, _ := x509.ParsePKCS8PrivateKey(der) // nil if it is in another form
	signer, _ := key.(crypto.Signer)
	return signer
}

// Pair returns a certificate and its key, as TLS presents them. An error is about the key.
func Pair(chain []*x509.Certificate, key crypto.Signer) (pair tls.Certificate, err error) {
	public, ok := chain[0].PublicKey.(interface {
		Equal(other crypto.PublicKey) bool
	})
	if !ok || !public.Equal(key.Public()) {
		return pair, errors.New("it belongs to a different certificate than the first one in " + ClientCertificate)
	}
	pair = tls.Certificate{PrivateKey: key, Leaf: chain[0]}
	for _, certificate := range chain {
		pair.Certificate = append(pair.Certificate, certificate.Raw)
	}
	return pair, nil
}

const (
	certificateLabel = "CERTIFICATE"
	keyLabel         = "PRIVATE KEY" // ends the label of each kind of key
	beginBlock       = "-----BEGIN "
	dashes           = "-----"
	damaged          = "its PEM block is cut short or damaged; give all of its lines, with real line breaks"
)

// pemBlock is a block of a text in PEM form. Its label is empty if its first line is damaged, and its content is nil
// if any line is.
type pemBlock struct {
	label     string
	content   []byte
	encrypted bool
}

func (b pemBlock) isKey() bool { return strings.HasSuffix(b.label, keyLabel) }

// blocksOf returns the blocks of a text, whose lines may be indented, and which may be joined without a line break. It
// skips text between them, as in bundles.
func blocksOf(text string) (blocks []pemBlock) {
	var unindented strings.Builder
	for line := range strings.Lines(text) {
		unindented.WriteString(strings.TrimLeft(line, " \t"))
	}
	for _, part := range strings.Split(unindented.String(), beginBlock)[1:] {
		label, _, _ := strings.Cut(part, dashes)
		if strings.Trim(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ") != "" {
			label = ""
		}
		block := pemBlock{label: label, encrypted: strings.Contains(part, "ENCRYPTED")}
		if decoded, _ := pem.Decode([]byte(beginBlock + part)); decoded != nil {
			block.content = decoded.Bytes
		}
		blocks = append(blocks, block)
	}
	return blocks
}

func otherLabel(label, want string) error {
	if label == "" {
		return errors.New(damaged)
	}
	return fmt.Errorf("it holds a block labelled %s; give blocks labelled %s", redact.Abridged(label), want)
}

// notPEM says what stands in place of a text in PEM form, or returns "".
func notPEM(text, label string) string {
	odd := oddity(text)
	joined := strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	decoded, err := base64.RawStdEncoding.DecodeString(joined)
	form := binaryForm(decoded)
	if strings.Contains(string(decoded), beginBlock) {
		form = `a text in PEM form; give that text, as base64decode("…") does in a configuration`
	}
	switch {
	case odd != "":
		return "it " + odd
	case strings.Contains(text, beginBlock):
		return ""
	case err == nil && form != "":
		return "it is base64 of " + form
	case strings.ContainsAny(text, `./\`) && !strings.Contains(strings.TrimSpace(text), "\n"):
		return "it looks like the name of a file" + giveContent
	}
	return "it is not in PEM form, which begins with the line " + beginBlock + label + dashes
}

// binaryForm recognises a binary form by its beginning, a sequence that is long or begins with the number of a
// version, or returns "". A text never begins so.
func binaryForm(content []byte) string {
	const version, ofArchive = "\x02\x01", "\x02\x01\x03"
	if len(content) < 8 || content[0] != '\x30' || content[1] <= 0x80 && string(content[2:4]) != version {
		return ""
	}
	if strings.Contains(string(content[:8]), ofArchive) {
		return "a PKCS #12 archive; openssl pkcs12 takes the certificate and the key out of it"
	}
	return "a certificate or a key in binary form (DER); openssl x509 or openssl pkey converts it with -inform der"
}
