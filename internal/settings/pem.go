package settings

import (
	"cmp"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// bundle is the certificates of a text, also as plain PEM, and why others are left out.
type bundle struct {
	certificates []*x509.Certificate
	text         []byte
	leftOut      []string // such as "certificate 2 of 3 is broken: x509: negative serial number"
}

// parseBundle reads certificates in PEM form. It leaves out malformed ones, but at least one must parse: widely shipped
// bundles had one that Go refuses. An error never quotes the text, because it may be a private key.
func parseBundle(text string) (found bundle, err error) {
	blocks := blocksOf(text)
	for i, block := range blocks {
		certificate, broken := x509.ParseCertificate(block.Bytes)
		switch {
		case isKey(block):
			return found, errors.New("it holds a private key; only certificates belong here")
		case block.Type != "" && block.Type != certificateLabel:
			return found, otherLabel(block, certificateLabel)
		case block.Bytes == nil:
			broken = errors.New(damaged)
		case broken == nil:
			found.certificates = append(found.certificates, certificate)
			found.text = append(found.text, pem.EncodeToMemory(block)...)
			continue
		}
		said := fmt.Sprintf("certificate %d of %d is broken: %v", i+1, len(blocks), broken)
		found.leftOut = append(found.leftOut, said)
	}
	if len(found.certificates) == 0 {
		why := append(found.leftOut, "")[0]
		err = errors.New(cmp.Or(notPEM(text, certificateLabel), why))
	}
	return found, err
}

// parseChain reads the certificate of a client, followed by those between it and its authority. All must parse.
func parseChain(text string) (bundle, error) {
	chain, err := parseBundle(text)
	if err == nil && len(chain.leftOut) > 0 {
		return bundle{}, errors.New(chain.leftOut[0])
	}
	return chain, err
}

// parseKey returns the private key of a text, in PEM form. It skips other blocks, such as its certificate.
func parseKey(text string) ([]byte, error) {
	blocks, mistake := blocksOf(text), notPEM(text, keyLabel)
	if len(blocks) == 0 {
		return nil, errors.New(mistake)
	}
	block := blocks[max(0, slices.IndexFunc(blocks, isKey))]
	switch {
	case strings.Contains(block.Type+block.Headers["Proc-Type"], "ENCRYPTED"):
		return nil, errors.New("it is encrypted, and the provider cannot ask for a password; use openssl pkey first")
	case !slices.Contains([]string{"", keyLabel, "RSA " + keyLabel, "EC " + keyLabel, certificateLabel}, block.Type):
		return nil, otherLabel(block, keyLabel)
	case block.Bytes == nil:
		return nil, errors.New(cmp.Or(mistake, damaged))
	case block.Type == certificateLabel:
		return nil, errors.New("it is a certificate; give that in " + ClientCertificate + ", and its private key here")
	}
	return pem.EncodeToMemory(block), nil
}

const (
	certificateLabel = "CERTIFICATE"
	keyLabel         = "PRIVATE KEY" // ends the label of each kind of key
	beginBlock       = "-----BEGIN "
	damaged          = "its PEM block is cut short or damaged; give all of its lines, with real line breaks"
)

// blocksOf returns the blocks of a text in PEM form. It skips text between them, as in bundles. A damaged block has no
// bytes, and no label unless its first line is whole; it does not hide the next one. Lines may be indented, and blocks
// joined without a line break.
func blocksOf(text string) (blocks []*pem.Block) {
	unindented := regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(text, "")
	for _, part := range strings.Split(unindented, beginBlock)[1:] {
		block, _ := pem.Decode([]byte(beginBlock + part))
		label := regexp.MustCompile("^[A-Z0-9 ]+-----").FindString(part)
		blocks = append(blocks, cmp.Or(block, &pem.Block{Type: strings.TrimSuffix(label, "-----")}))
	}
	return blocks
}

func isKey(block *pem.Block) bool { return strings.HasSuffix(block.Type, keyLabel) }

func otherLabel(block *pem.Block, want string) error {
	return fmt.Errorf("it holds a block labelled %s; give one labelled %s", redact.Abridged(block.Type), want)
}

// notPEM returns a sentence about a text in place of PEM, or "".
func notPEM(text, label string) string {
	joined := strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	decoded, err := base64.RawStdEncoding.DecodeString(joined)
	odd, form := oddity(text), binaryForm(decoded)
	if strings.Contains(string(decoded), beginBlock) {
		form = `a text in PEM form; give that text, as base64decode("…") does in a configuration`
	}
	isWord := len(strings.Fields(text)) == 1
	switch {
	case odd != "":
		return "it " + odd
	case strings.Contains(text, beginBlock):
		return ""
	case err == nil && form != "":
		return "it is base64 of " + form
	case isWord && strings.Contains(text, "://"):
		return "it is a URL; download it, and give its content"
	case isWord && strings.ContainsAny(text, `./\`):
		return "it looks like the name of a file" + giveContent
	}
	return "it is not in PEM form, which begins with the line " + beginBlock + label + "-----"
}

// binaryForm recognises a binary form by its beginning, a sequence that is long or begins with the number of a version,
// or returns "". A text never begins so.
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
