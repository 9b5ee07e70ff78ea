package command

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAddresses has the addresses that credentials are sent to, or why they are not.
func TestAddresses(t *testing.T) {
	withCredentials(t)
	const another = "one such as https://catalogue.example.com is expected"
	for address, want := range map[string]string{
		"":                              "Give -url or set MODELCATALOGUE_BASE_URL. There is no default",
		"catalogue.example":             another,
		"ftp://catalogue.example":       another,
		"https://":                      another,
		"https://u:pass@c.example":      `the address is "c.example": one such as`,
		"https://c.example?x=1":         another,
		"https://c.example/#":           another,
		"https://c.example/v1/":         "leave out /v1",
		"http://catalogue.example":      "http would send the credentials in clear text. Write https",
		"http://localhost.evil.example": "clear text",
		"http://0.0.0.0":                "clear text",
		"http://127.0.0.1:80":           "",
		"http://localhost:1/prefix/":    "",
		"http://[::1]":                  "",
		"https://c.example":             "",
	} {
		r, err := newServiceReader(address)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
		if err == nil && strings.HasSuffix(r.base, "/") {
			t.Errorf("%s: %s", address, r.base)
		}
	}
}

// TestClearTextIsNotSent: credentials are not sent in clear text to 0.0.0.0. It is this machine, but not a loopback address.
func TestClearTextIsNotSent(t *testing.T) {
	withCredentials(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan bool)
	go func() { _, err := listener.Accept(); heard <- err == nil }()
	_, said, status := commanded(t, "record", "-url=http://"+listener.Addr().String())
	if status != 2 || !strings.Contains(said, "clear text") {
		t.Errorf("%d, %s", status, said)
	}
	listener.Close()
	if <-heard {
		t.Error("it was asked")
	}
}

// TestSettings: each of them may be in a file.
func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, value, file, want string }{
		{"CLIENT_SECRET", "", file, ""},
		{"CLIENT_SECRET", secret, "", ""},
		{"CLIENT_SECRET", " \t", "", "credentials are missing: set MODELCATALOGUE_CLIENT_ID and"},
		{"CLIENT_SECRET", "a", file, "MODELCATALOGUE_CLIENT_SECRET and MODELCATALOGUE_CLIENT_SECRET_FILE are both set"},
		{"ACCESS_TOKEN", "a\nb", "", "MODELCATALOGUE_ACCESS_TOKEN has a line break or another"},
		{"ACCESS_TOKEN", "", "/nope", "MODELCATALOGUE_ACCESS_TOKEN_FILE: open /nope"},
		{"CA_CERTIFICATE_PEM", "ca.pem", "", "MODELCATALOGUE_CA_CERTIFICATE_PEM has no certificate in PEM"},
	} {
		t.Run(test.name, func(t *testing.T) {
			withCredentials(t)
			t.Setenv("MODELCATALOGUE_"+test.name, test.value)
			t.Setenv("MODELCATALOGUE_"+test.name+"_FILE", test.file)
			r, err := newServiceReader("https://c.example")
			if test.want == "" && (err != nil || r.secret != secret) || !strings.Contains(fmt.Sprint(err), test.want) {
				t.Errorf("%q and %q: %v, want %s", test.value, test.file, err, test.want)
			}
		})
	}
}
