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
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Bundle is the certificates of a text, and why others are left out.
type Bundle struct {
	Certificates []*x509.Certificate
	LeftOut      []string // such as "certificate 2 of 3: x509: negative serial number"
}

// ParseBundle reads certificates in PEM form that are trusted. Those that cannot be parsed are left out, but at least
// one must parse: bundles that many programs ship had one that Go refuses. An error never quotes the text, because
// that may be a private key.
func ParseBundle(text string) (Bundle, error) {
	return parseBundle(text, CACertificate, "it holds a private key, which only its owner should have; "+
		"give the certificate of the authority that signed the service's certificate")
}

// ParseChain reads the certificate of a client, followed by those between it and its authority.
func ParseChain(text string) ([]*x509.Certificate, error) {
	chain, err := parseBundle(text, ClientCertificate, "it holds a private key; give that in "+ClientKey+
		", and only the certificates here")
	if err == nil && len(chain.LeftOut) > 0 {
		return nil, errors.New(chain.LeftOut[0])
	}
	return chain.Certificates, err
}

func parseBundle(text, argument, holdsKey string) (found Bundle, err error) {
	blocks := blocksOf(text)
	for i, block := range blocks {
		switch {
		case block.isKey():
			return found, errors.New(holdsKey)
		case block.label != "" && block.label != certificateLabel:
			return found, otherLabel(block.label, certificateLabel)
		}
		certificate, broken := x509.ParseCertificate(block.content)
		if broken == nil {
			found.Certificates = append(found.Certificates, certificate)
			continue
		}
		if block.content == nil {
			broken = errors.New("its PEM block is cut short or damaged")
		}
		said := fmt.Sprintf("certificate %d of %d is broken: %v", i+1, len(blocks), broken)
		found.LeftOut = append(found.LeftOut, said)
	}
	if len(found.Certificates) == 0 {
		why := append(found.LeftOut, "")[0]
		err = errors.New(cmp.Or(pemMistake(text, argument, certificateLabel), why))
	}
	return found, err
}

// ParseKey reads a private key in PEM form. It skips other blocks, such as its certificate.
func ParseKey(text string) (crypto.Signer, error) {
	blocks := blocksOf(text)
	var key pemBlock
	if at := slices.IndexFunc(blocks, pemBlock.isKey); at >= 0 {
		key = blocks[at]
	}
	if signer := signerOf(key.content); signer != nil {
		return signer, nil
	}
	mistake := pemMistake(text, ClientKey, keyLabel)
	switch {
	case mistake != "":
		return nil, errors.New(mistake)
	case key.encrypted:
		return nil, errors.New("it is encrypted, and the provider cannot ask for a password; use openssl pkey first")
	case key.label != "":
		return nil, fmt.Errorf("its block labelled %s is cut short or damaged, or is not an RSA, ECDSA or Ed25519 key",
			redact.Abridged(key.label))
	case blocks[0].label == certificateLabel:
		return nil, errors.New("it is a certificate; give that in " + ClientCertificate + ", and its private key here")
	}
	return nil, otherLabel(blocks[0].label, keyLabel)
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
	own := slices.IndexFunc(chain, func(certificate *x509.Certificate) bool {
		public, ok := certificate.PublicKey.(interface {
			Equal(other crypto.PublicKey) bool
		})
		return ok && public.Equal(key.Public())
	})
	switch {
	case own < 0:
		return pair, errors.New("it belongs to a different certificate than the one in " + ClientCertificate)
	case own > 0:
		return pair, fmt.Errorf("it belongs to certificate %d in %s, which has to be the first there", own+1,
			ClientCertificate)
	}
	pair = tls.Certificate{PrivateKey: key, Leaf: chain[own]}
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
)

// pemBlock is a block of a text in PEM form. Its content is empty if it is cut short or damaged, and its label is
// empty if its first line is.
type pemBlock struct {
	label     string
	content   []byte
	encrypted bool
}

func (b pemBlock) isKey() bool { return strings.HasSuffix(b.label, keyLabel) }

// blocksOf returns the blocks of a text, whose lines may be indented, and which may be joined without a line break. It
// skips text between them, as in bundles.
func blocksOf(text string) (blocks []pemBlock) {
	text = unindented(withoutMark(text))
	for _, part := range strings.Split(text, beginBlock)[1:] {
		label, _, ends := strings.Cut(part, dashes)
		if !ends || !isOneLine(label) {
			label = ""
		}
		block := pemBlock{label: label, encrypted: strings.HasPrefix(label, "ENCRYPTED")}
		if decoded, _ := pem.Decode([]byte(beginBlock + part)); decoded != nil {
			block.content = decoded.Bytes
			block.encrypted = block.encrypted || strings.Contains(decoded.Headers["Proc-Type"], "ENCRYPTED")
		}
		blocks = append(blocks, block)
	}
	return blocks
}

func otherLabel(label, want string) error {
	if label == "" {
		return errors.New("the first line of its PEM block is damaged")
	}
	return fmt.Errorf("it holds a block labelled %s; give blocks labelled %s", redact.Abridged(label), want)
}

// unindented returns a text without the white space before its lines.
func unindented(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		lines.WriteString(strings.TrimLeft(line, " \t"))
	}
	return lines.String()
}

// pemMistake says what stands in place of a block of that label, as the value of an argument, or returns "".
func pemMistake(text, argument, label string) string {
	odd, inDER := oddity(text), inBase64(text)
	switch {
	case odd != "" && !isFile(text):
		return "it " + odd
	case strings.Contains(text, beginBlock):
		return notALineBreak(text)
	case inDER != "":
		return "it is base64 of " + inDER
	case fileName(text):
		return `it looks like the name of a file, or its address, and the content is needed; write file("…") in ` +
			`the configuration, or name the file in ` + FileVariable(argument)
	}
	return "it is not in PEM form, which begins with the line " + beginBlock + label + dashes
}

// notALineBreak says what follows the first line of a block in place of a line break, or returns "".
func notALineBreak(text string) string {
	before, rest, _ := strings.Cut(text, beginBlock)
	label, rest, ends := strings.Cut(rest, dashes)
	if !ends || strings.HasPrefix(strings.TrimPrefix(rest, "\r"), "\n") {
		return ""
	}
	first := len(before + beginBlock + label + dashes)
	at := 0
	odd := redact.OddCharacter(text, func(r rune) bool {
		at += utf8.RuneLen(r)
		return at > first
	})
	if odd == "" {
		return ""
	}
	return odd + ", where a line break is expected; give all of its lines, with real line breaks"
}

// inDER recognises a binary form by its beginning: a sequence, and in that the number of a version or another
// sequence. A text never begins so.
func inDER(content string) (what string, found bool) {
	const sequence, long, version, ofArchive = "\x30", 0x80, "\x02\x01", "\x02\x01\x03"
	if len(content) < 8 || !strings.HasPrefix(content, sequence) {
		return "", false
	}
	begin := 2 // after the length: one byte, or one that says how many more it has
	if content[1] > long {
		begin += int(content[1] & 3)
	}
	switch first := content[begin:]; {
	case strings.HasPrefix(first, ofArchive):
		return "a PKCS #12 archive; openssl pkcs12 takes the certificate and the key out of it", true
	case strings.HasPrefix(first, version):
		return "a private key in binary form (DER); openssl pkey -inform der converts it", true
	case strings.HasPrefix(first, sequence) && first[1] > long:
		return "a certificate in binary form (DER); openssl x509 -inform der converts it", content[1] > long
	}
	return "an encrypted private key in binary form (DER); openssl pkey -inform der decrypts it",
		content[begin] == sequence[0] && content[1] > long
}

// inBase64 names the content of a text in base64, or returns "".
func inBase64(text string) string {
	content, _ := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	what, found := inDER(string(content))
	switch {
	case strings.Contains(string(content), beginBlock):
		return `a text in PEM form; give the text itself, with base64decode("…") in the configuration, or base64 ` +
			`-d in a shell`
	case found:
		return what
	}
	return ""
}

func isOneLine(text string) bool { return !strings.Contains(strings.TrimSpace(text), "\n") }

func fileName(text string) bool {
	ending := strings.ToLower(filepath.Ext(strings.TrimSpace(text)))
	known := slices.Contains([]string{".cer", ".crt", ".key", ".p12", ".pem", ".pfx"}, ending)
	return isOneLine(text) && len(text) < 300 && (known || strings.ContainsAny(text, `/\`))
}
