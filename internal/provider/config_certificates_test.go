package provider

import (
	"encoding/base64"
	"encoding/pem"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestParseCertificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(nil)
	server.Close()
	block := func(kind string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
	}
	whole := block("CERTIFICATE", server.Certificate().Raw)
	broken := block("CERTIFICATE", server.Certificate().Raw[:100])
	for text, want := range map[string]int{
		whole: 1, byteOrderMark + whole: 1, strings.ReplaceAll(whole, "\n", "\r\n"): 1,
		"Our authority\n" + whole + "\n# and the old one\n" + whole: 2,
	} {
		got, err := parseCertificates(text)
		if err != nil || len(got) != want || !got[0].Equal(server.Certificate()) {
			t.Errorf("%d certificates, %v; want %d of %s", len(got), err, want, text)
		}
	}
	for name, test := range map[string]struct{ text, want string }{
		"a file's name": {
			text: "certificates/ca.pem",
			want: `name of a file, and the content of the file is needed; write file("…")`,
		},
		"a file's name and break": {text: "ca.pem\n", want: `file("…")`},
		"a private key":           {text: block("PRIVATE KEY", []byte("hunter2")), want: "a private key"},
		"an older private key":    {text: block("RSA PRIVATE KEY", []byte("hunter2")), want: "a private key"},
		"a key beside it":         {text: whole + block("EC PRIVATE KEY", []byte("hunter2")), want: "a private key"},
		"a request for one":       {text: block("CERTIFICATE REQUEST", []byte("a")), want: "it holds a CERTIFICATE REQUEST, and only"},
		"broken inside":           {text: whole + broken, want: "certificate 2 in it is broken: x509: "},
		"cut short":               {text: whole[:300], want: "certificate 1 in it is broken: its PEM block is cut short"},
		"the second cut short":    {text: whole + whole[:300], want: "certificate 2 in it is broken: its PEM block is cut short"},
		"escaped line breaks":     {text: strings.ReplaceAll(whole, "\n", `\n`), want: `line breaks are spelled \n`},
		"breaks became spaces":    {text: strings.ReplaceAll(whole, "\n", " "), want: "its line breaks are missing"},
		"base64 of it": {
			text: base64.StdEncoding.EncodeToString([]byte(whole)),
			want: `looks like base64 of a PEM text; give the text itself, by base64decode("…")`,
		},
		"base64 of it, wrapped": {
			text: wrapped(base64.StdEncoding.EncodeToString([]byte(whole))) + "\n", want: "looks like base64 of a PEM text",
		},
		"none": {text: "some\nlines", want: "holds no certificate in PEM form"},
	} {
		got, err := parseCertificates(test.text)
		if err == nil || got != nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %v; want %q", name, got, err, test.want)
		}
	}
}

// wrapped is text in lines of 76 characters, as base64 prints it.
func wrapped(text string) string {
	var lines strings.Builder
	for ; len(text) > 76; text = text[76:] {
		lines.WriteString(text[:76] + "\n")
	}
	return lines.String() + text
}
